// The slots of a gather, as a pure struct.

/// Where the results of a gather are kept until all are there.
///
/// A slot is `waiting` until its runner has a permit, then `out` until its pass brings a result, then `filled`. A pass
/// without a permit to wait for is `out` from the start. Only a completion ends this: what is not filled by then gets an
/// error, and what comes later is not taken in.
///
/// Inlined into clients, which know what a value is: else each step would ask the runtime for the type of a slot, at
/// several thousand instructions a result.
@usableFromInline
struct GatherState<Value: Sendable>: Sendable {
  @usableFromInline
  enum Slot: Sendable {
    /// The runner waits for its permit. Followed by `out`, or by completion.
    case waiting
    /// The runner is at work. Followed by `filled`, or by completion.
    case out
    /// The result is there. Final.
    case filled(Result<Value, any Error>)

    /// What it comes to when nothing comes any more.
    @inlinable var result: Result<Value, any Error> {
      switch self {
      case .filled(let result): result
      case .waiting: .failure(CancellationError())
      case .out: .failure(Baton.AbandonedError(outstanding: 1))
      }
    }
  }

  /// A failure that fills a slot without cancelling the baton.
  @usableFromInline
  struct Recorded: Sendable {
    @usableFromInline let failure: Baton.Failure
    /// How many failures the baton had recorded by then.
    @usableFromInline let after: Int

    init(failure: Baton.Failure, after: Int) {
      self.failure = failure
      self.after = after
    }
  }

  @usableFromInline var slots: [Slot] = []
  /// In the order in which they were recorded.
  @usableFromInline var failures: [Recorded] = []
  @usableFromInline var results: Baton.Gather<Value>.Results?

  @inlinable init() {}

  /// Adds a slot, in pass order.
  /// - Returns: Its index.
  @inlinable mutating func open(waiting: Bool) -> Int {
    // After abandonment nothing is taken in any more.
    guard results == nil else { return 0 }
    slots.append(waiting ? .waiting : .out)
    return slots.count - 1
  }

  /// Makes room.
  @inlinable mutating func reserve(_ count: Int) { slots.reserveCapacity(slots.count + count) }

  /// The runner of a slot has its permit.
  @inlinable mutating func begin(_ index: Int) {
    if results == nil, case .waiting = slots[index] { slots[index] = .out }
  }

  /// A result comes in; after completion it is not taken. The failure is one that the outcome won't know of, since it
  /// doesn't cancel.
  @inlinable mutating func fill(_ index: Int, with result: Result<Value, any Error>, failure: Recorded?) {
    guard results == nil else { return }
    slots[index] = .filled(result)
    if let failure { failures.append(failure) }
  }

  /// All is in, or will never be.
  @inlinable mutating func complete(_ outcome: Baton.Outcome) -> Baton.Gather<Value>.Results {
    let results = Baton.Gather<Value>.Results(
      slots, failures: merged(outcome.failures), isCancelled: outcome.isCancelled)
    self.results = results
    slots = []
    failures = []
    return results
  }

  /// The failures of the slots among those of the outcome, in the order in which they were recorded.
  @usableFromInline
  func merged(_ others: [Baton.Failure]) -> [Baton.Failure] {
    var (merged, taken): ([Baton.Failure], Int) = ([], 0)
    for recorded in failures {
      let next = min(max(taken, recorded.after), others.count)
      merged += others[taken..<next]
      merged.append(recorded.failure)
      taken = next
    }
    return merged + others[taken...]
  }

  /// The results, once it is complete.
  @inlinable var completed: Baton.Gather<Value>.Results? { results }
}
