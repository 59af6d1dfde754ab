// CascadeStacks: how deep the settles of a run are nested, and who takes up those that had to wait.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

/// The settles of a run that are on stacks just now, each with what it has started above it, and those that wait until
/// there are fewer.
///
/// An object of its own since a watch outlasts what it watches: holding the run weakly instead would give it a side table,
/// by which every reference to it is counted from then on.
@usableFromInline
final class CascadeStacks: Sendable {
  /// How many settles are on stacks.
  private let nested = Atomic<Int>(0)

  /// How many may be: loads that settle at once would otherwise nest as deep as the tree. See `Limiter`.
  private static var deepestNesting: Int { 16 }

  /// Settles that came when there were so many.
  private let deferred = Mutex(CascadeDeferred())

  /// How long after it was set the watch looks whether deferred settles are taken up. What others lose by a thread that is
  /// held up, and so far longer than a stack of loads that are there at once.
  private static var watchInterval: Duration { .milliseconds(1) }

  /// How long a thread that brought but one settle takes up others; then the rest goes elsewhere. It may be the main thread.
  private static var longestStay: Duration { .milliseconds(5) }

  /// A settle goes onto the stack; `leave` takes it off.
  /// - Returns: False if there are too many, and it is to be deferred.
  @usableFromInline
  func enter() -> Bool {
    // Relaxed, here and below: a number of frames, which publishes nothing. The deferred have a lock; one that comes just
    // when the last frame was left has the watch.
    guard nested.load(ordering: .relaxed) < Self.deepestNesting else { return false }
    nested.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  /// A settle is through. Who leaves the last stack takes up what was deferred meanwhile.
  @usableFromInline
  func leave() {
    guard nested.wrappingSubtract(1, ordering: .relaxed).newValue == 0 else { return }
    takeUpDeferred(staying: Self.longestStay)
  }

  /// Takes in a settle that could not enter.
  @usableFromInline
  func postpone(_ settle: @escaping @Sendable () -> Void) {
    if deferred.withLock({ $0.append(CascadeDeferred.Settle(body: settle)) }) { watch() }
  }

  /// Takes up what was deferred, until there is none. Each may have as many frames on the stack above it as the first had.
  private func takeUpDeferred(staying limit: Duration?) {
    var since: ContinuousClock.Instant?
    while let settle = deferred.withLock({ $0.takeUp() }) {
      nested.wrappingAdd(1, ordering: .relaxed)
      settle.body()
      nested.wrappingSubtract(1, ordering: .relaxed)
      guard let limit else { continue }
      let now = ContinuousClock.now
      if let since, now - since > limit {
        return Baton.Executor.elsewhere { self.takeUpDeferred(staying: nil) }
      }
      since = since ?? now
    }
  }

  private func watch() {
    Baton.Executor.elsewhere(after: Self.watchInterval) {
      let look = self.deferred.withLock { $0.look() }
      if look != .ends { self.watch() }
      if look == .takesUp { self.takeUpDeferred(staying: nil) }
    }
  }
}
