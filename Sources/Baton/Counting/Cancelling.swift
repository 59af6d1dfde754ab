// How a cancellation is recorded, and how it spreads.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// What a child's own cancellation means for its parent.
  public enum CancellationPolicy: Sendable, Hashable {
    /// It cancels the parent at once. Failures climb.
    case propagates
    /// It leaves the parent alone: the child succeeds or fails as a set, without harming its siblings.
    case contained
  }
}

/// A handler that wants to hear of a cancellation: a baton's, or one of a `Pass`, which forgets it when it settles.
enum CancelHandler: Sendable {
  case ofBaton(@Sendable () -> Void)
  case ofPass(PassCancelHandlers)
  /// A runner that waits for its permit.
  case ofRunner(Runner)

  func run() {
    switch self {
    case .ofBaton(let body): body()
    case .ofPass(let handlers): handlers.runAll()
    case .ofRunner(let runner): runner.withdraw()
    }
  }
}

extension Baton.Core {
  /// Marks the outcome, tells every descendant and, where the policy says so, the ancestors, and runs the handlers.
  ///
  /// The order is rule 5's: the failure is recorded and the flag set, in one step under the lock; then all descendants
  /// are flagged; then the handlers run, so that one which looks around sees everything cancelled. Each baton's lock is
  /// taken on its own. The walk is a loop over a list, so that depth costs no stack (rule 8).
  /// - Parameters:
  ///   - failure: Why, if anything went wrong.
  ///   - isNoiseWhenLate: Whether the failure is left out if the baton is cancelled already.
  /// - Returns: Whether this call was the one that cancelled the baton.
  @discardableResult
  func cancel(failure: Baton.Failure?, isNoiseWhenLate: Bool = false) -> Bool {
    let isNoise = isNoiseWhenLate || failure?.error is CancellationError
    let (isFirst, alarm) = lifecycle.withLock { life -> (Bool, Lifecycle.Alarm?) in
      let word = current
      guard !word.isSealed else { return (false, nil) }
      let cancelledFromAbove = isCancelledFromAbove(word, life)
      let isFirst = !word.isCancelled && !cancelledFromAbove
      if let failure, isFirst || !isNoise { life.failures.append(failure) }
      if word.isCancelled { return (false, stillTelling(life)) }
      _ = insert(.cancelled)
      // An unregistered baton has no handlers and no children: there is nobody to be told.
      return (isFirst, isFirst ? life.cancel(self, heard: failure) : nil)
    }
    if let alarm { spread(alarm, upwards: isFirst) }
    return isFirst
  }

  /// Tells those above and below of a cancellation, then runs the handlers of all.
  ///
  /// When it returns, every descendant is flagged, whoever else is at it: a core that is cancelled, but whose canceller
  /// hasn't flagged all below it yet (`hasTold`), is walked by whoever meets it.
  func spread(_ first: Lifecycle.Alarm, upwards: Bool) {
    var alarms = [first]
    // Up, to the first ancestor that is cancelled already.
    var below = first.children
    while upwards, let alarm = alarms.last, let parent = alarm.parent {
      guard let next = parent.core.hear(from: alarm.core, alarm.failure) else { break }
      // Without the one from which this comes: else each level of the way up would be walked again from above, a square.
      below += next.children.lazy.filter { $0 !== alarm.core }
      alarms.append(next)
    }
    // The uppermost first, as on the way down: a handler may hand back the last pass below, and so end those above, whose
    // own handlers are to have run by then (rule 5).
    alarms.reverse()
    // Down.
    var told = alarms.map(\.core)
    while let core = below.popLast() {
      guard let alarm = core.cancelFromAbove() else { continue }
      below.append(contentsOf: alarm.children)
      told.append(core)
      if !alarm.handlers.isEmpty || core.isObserved { alarms.append(alarm) }
    }
    // Releasing: pairs with `stillTelling`, whose caller then relies on all below being flagged.
    for core in told { core.hasTold.store(true, ordering: .releasing) }
    for alarm in alarms where !alarm.isRepeated {
      alarm.core.observe { .cancelled(alarm.failure) }
      for handler in alarm.handlers { handler.run() }
    }
  }

  /// Flags a registered child of a cancelled baton. The parent's cancellation is not the child's own failure.
  private func cancelFromAbove() -> Lifecycle.Alarm? {
    lifecycle.withLock { life in
      let word = current
      guard !word.isSealed else { return nil }
      if word.isCancelled { return stillTelling(life) }
      _ = insert(.cancelled)
      return life.cancel(self, heard: nil)
    }
  }

  /// Whom a canceller of this core may not have flagged yet; nil when it has flagged all.
  private func stillTelling(_ life: borrowing Lifecycle) -> Lifecycle.Alarm? {
    guard !hasTold.load(ordering: .acquiring), !life.children.isEmpty else { return nil }
    return Lifecycle.Alarm(
      core: self, failure: nil, handlers: [], children: life.children, parent: nil, isRepeated: true)
  }

  /// A child's first cancellation is heard: once, either from the thread that cancelled it, or from the one that
  /// completed it, whichever is here first.
  private func hear(from child: Baton.Core, _ failure: Baton.Failure?) -> Lifecycle.Alarm? {
    let isNoise = failure?.error is CancellationError
    return lifecycle.withLock { life in hear(from: child, failure, isNoise: isNoise, &life) }
  }

  private func hear(
    from child: Baton.Core, _ failure: Baton.Failure?, isNoise: Bool, _ life: inout Lifecycle
  ) -> Lifecycle.Alarm? {
    let word = current
    guard !word.isSealed, !child.hasSpoken.load(ordering: .relaxed) else { return nil }
    child.hasSpoken.store(true, ordering: .relaxed)
    let isFirst = !word.isCancelled && !isCancelledFromAbove(word, life)
    if let failure, isFirst || !isNoise { life.failures.append(failure) }
    guard isFirst else { return nil }
    _ = insert(.cancelled)
    return life.cancel(self, heard: failure)
  }

  /// Takes in what a completed child brings: its failures, and its cancellation, if that has not been heard yet.
  ///
  /// The cancellation may come from here although another thread is just about to tell of it: else this baton could
  /// complete, as finished, before it has heard.
  func welcome(_ step: borrowing HandBack) {
    let child = step.child
    let climbs = step.cancelled && child.policy == .propagates
    guard climbs || child.current.isRegistered else { return }
    let said = step.failuresHeard
    let heard = said == 0 ? nil : step.failures.head
    let isNoise = heard?.error is CancellationError
    let failures = step.failures
    let (alarm, unlinked) = lifecycle.withLock { life in
      let alarm = climbs ? hear(from: child, heard, isNoise: isNoise, &life) : nil
      if climbs, !current.isSealed { life.failures.append(failures, dropping: said) }
      return (alarm, unlink(child, &life))
    }
    _ = unlinked
    if let alarm { spread(alarm, upwards: true) }
  }
}

extension Baton {
  /// Cancels: marks the outcome, and tells every runner that looks or listens. No pass is handed back.
  ///
  /// Cancellation goes down to all descendants at once, and up as each baton's policy says.
  ///
  /// - Parameter error: Why. It becomes a failure of the outcome, also when the baton was cancelled before; only a
  ///   `CancellationError` is left out then, being noise.
  /// - Returns: True for the call that cancelled the baton; false if it was cancelled, or complete, already. A complete
  ///   baton is not changed.
  @discardableResult
  public func cancelAll(_ error: (any Error)? = nil) -> Bool {
    core.cancel(failure: error.map { Failure(error: $0, lineage: core.lineage) })
  }

  /// Cancels, and completes now, although passes are out. What comes late is absorbed (rule 4).
  ///
  /// The outcome's failures are `error`, if given, and an ``AbandonedError`` with the number that was out, if any was; where
  /// a ``Roster`` watches, one for each holder follows, with its label and place.
  ///
  /// - Parameter error: Why.
  /// - Returns: True for the call that ended the baton, also if its cancellation was enough to bring the last pass back;
  ///   false if it was complete already. Of calls at the same time, one returns true.
  @discardableResult
  public func abandon(_ error: (any Error)? = nil) -> Bool {
    let cancelled = cancelAll(error)
    // Another one, that came between the two steps, has ended what this one cancelled.
    guard let ending = core.sealAbandoned() else { return cancelled && !core.current.isAbandoned }
    ending.complete(core)
    return true
  }

  /// Whether the baton was cancelled, itself or through an ancestor. Once true, it stays true (rule 5).
  public var isCancelled: Bool {
    let word = core.current
    if word.isCancelled || word.isSealed || word.isRegistered { return word.isCancelled }
    core.register()
    return core.current.isCancelled
  }

  /// Adds a handler that runs when the baton is cancelled: once, on the cancelling thread, without a lock.
  ///
  /// If the baton is cancelled already, it runs at once, before this call returns. It is let go when the baton completes
  /// without having been cancelled.
  ///
  /// - Parameter handler: Runs at most once. It may settle passes, and add handlers.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    core.register()
    if core.add(.ofBaton(handler)) == .runNow { handler() }
  }
}

extension Baton.Core {
  enum AddedCancelHandler: Equatable {
    case waits(key: UInt64)
    case runNow
    /// The baton is complete and was not cancelled.
    case never
  }

  func add(_ handler: CancelHandler) -> AddedCancelHandler {
    lifecycle.withLock { life in
      let word = current
      if word.isCancelled { return .runNow }
      return word.isSealed ? .never : .waits(key: life.add(handler))
    }
  }
}
