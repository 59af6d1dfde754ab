// The decisions of one run of a relay, as a pure struct.

/// Which stage of a relay runs next, and who starts it.
///
/// A run is `betweenStages` or `inStage`. A stage has begun when `next` returns it; it is over when its result has arrived
/// *and* the call that began it has returned, whichever is second. Who comes second goes on: so stages that end at once
/// are a loop, not a recursion, and exactly one thread is between two stages.
///
/// The legs run in order until one fails or the run is cancelled; then, in any case, the `finally`s; then it ends. The
/// result is settled when the last leg is over: a `finally` can't change it.
struct RelayState: Sendable {
  /// What a leg brings: its value, or its failure with all that the run has recorded by then.
  struct Arrival: Sendable {
    var result: Result<any Sendable, any Error>
    var failures: [Baton.Failure] = []
  }

  enum Move: Sendable {
    /// Run this leg with this value.
    case leg(Int, any Sendable)
    /// Run this `finally`, and tell it what the legs have come to.
    case finally(Int, Baton.Outcome)
    /// It is over.
    case end
  }

  private let legs: Int
  private let finallies: Int
  private var nextLeg = 0
  private var nextFinally = 0
  /// What the stage before has brought; nil while a leg is out.
  private var arrival: Arrival?
  /// The begun stage is over when this is 2.
  private var meetings = 2

  init(input: any Sendable, legs: Int, finallies: Int) {
    self.legs = legs
    self.finallies = finallies
    arrival = Arrival(result: .success(input))
  }

  /// The next stage, by the thread that is between two.
  ///
  /// - Parameter failures: What a cancelled run has recorded by now, so that the rest of the legs is skipped; nil while
  ///   nobody has cancelled.
  /// - Returns: What that thread has to do.
  mutating func next(cancelled failures: [Baton.Failure]?) -> Move {
    assert(meetings == 2, "a stage is running still")
    if nextLeg < legs, case .success(let value) = arrival?.result {
      guard let failures else {
        nextLeg += 1
        // Moved out, so that the run doesn't keep what it hands on.
        arrival = nil
        meetings = 0
        return .leg(nextLeg - 1, value)
      }
      cutShort(failures)
    }
    guard nextFinally < finallies else { return .end }
    nextFinally += 1
    meetings = 0
    return .finally(nextFinally - 1, outcome)
  }

  /// The call that began the stage has returned.
  /// - Returns: Whether the caller goes on.
  mutating func begun() -> Bool { meet() }

  /// A leg is over. One that comes in after its run has been abandoned is too late.
  /// - Returns: Whether the caller goes on.
  mutating func arrived(_ index: Int, _ new: Arrival) -> Bool {
    guard index == nextLeg - 1, arrival == nil else { return false }
    arrival = new
    return meet()
  }

  /// A `finally` is over.
  /// - Returns: Whether the caller goes on.
  mutating func arrived() -> Bool { meet() }

  /// The run's baton is complete: if that is by abandonment, a leg that is out counts as over, so that the `finally`s
  /// don't wait for it.
  /// - Returns: Whether the caller goes on.
  mutating func abandoned(_ failures: [Baton.Failure]) -> Bool {
    guard arrival == nil else { return false }
    cutShort(failures)
    return meet()
  }

  private mutating func cutShort(_ failures: [Baton.Failure]) {
    arrival = Arrival(result: .failure(CancellationError()), failures: failures)
  }

  private mutating func meet() -> Bool {
    assert(meetings < 2, "a stage was over twice")
    meetings += 1
    return meetings == 2
  }

  /// What the legs have come to. Only when they are over.
  private var outcome: Baton.Outcome {
    if case .success = arrival?.result { return .finished }
    return .cancelled(arrival?.failures ?? [])
  }

  /// What the last leg has brought, or the first failure. Only when it is over.
  var result: Result<any Sendable, any Error> {
    guard let arrival else { return .failure(CancellationError()) }
    return arrival.failures.first.map { .failure($0.error) } ?? arrival.result
  }
}
