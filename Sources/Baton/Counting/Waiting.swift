// Waiting for a baton: with await, with a limit, and blocking.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

#if canImport(Dispatch)
import Dispatch
#endif

/// Who waits for a baton's outcome.
enum Waiter: Sendable {
  /// A task without a limit.
  case task(CheckedContinuation<Baton.Outcome, Never>)
  /// A task with a limit, or one that stops waiting when it is cancelled.
  case timedTask(TimedWaiter)
  #if canImport(Dispatch)
  /// A blocked thread, which looks for the outcome itself when it wakes.
  case thread(DispatchSemaphore)
  #endif

  /// Wakes it. Outside any lock.
  func wake(_ outcome: Baton.Outcome) {
    switch self {
    case .task(let continuation): continuation.resume(returning: outcome)
    case .timedTask(let waiter): waiter.stop(outcome)
    #if canImport(Dispatch)
    case .thread(let semaphore): semaphore.signal()
    #endif
    }
  }
}

/// A waiting task that may be woken by the outcome, by its limit, or by its own cancellation: by whichever is first.
final class TimedWaiter: Sendable {
  private enum State {
    /// The task doesn't wait yet. Followed by `waiting` or `stopped`.
    case fresh
    /// The task waits. Followed by `stopped`.
    case waiting(CheckedContinuation<Baton.Outcome?, Never>)
    /// It has been woken, or won't need to wait. Final.
    case stopped(Baton.Outcome?)
  }

  private let state = Mutex<State>(.fresh)

  func wait() async -> Baton.Outcome? {
    await withCheckedContinuation { continuation in
      let known: Baton.Outcome?? = state.withLock { state in
        if case .stopped(let outcome) = state { return .some(outcome) }
        state = .waiting(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Ends the wait, unless it has ended.
  func stop(_ outcome: Baton.Outcome?) {
    let continuation = state.withLock { state -> CheckedContinuation<Baton.Outcome?, Never>? in
      switch state {
      case .stopped: return nil
      case .fresh:
        state = .stopped(outcome)
        return nil
      case .waiting(let continuation):
        state = .stopped(outcome)
        return continuation
      }
    }
    continuation?.resume(returning: outcome)
  }
}

extension Baton {
  /// The outcome, as soon as the baton is complete.
  ///
  /// It is there when the completion and the handlers have been handed to their executors: what runs inline has run.
  ///
  /// Cancelling the waiting task doesn't end the wait: use ``outcome(within:clock:)`` or ``withBaton(name:limit:observer:isolation:_:)``
  /// for that. A baton that nobody ever passes is waited for until somebody does.
  public var outcome: Outcome {
    get async {
      await withCheckedContinuation { continuation in
        if core.add(.task(continuation)) == nil { continuation.resume(returning: core.outcome) }
      }
    }
  }

  /// The outcome, if the baton completes in time.
  ///
  /// - Parameters:
  ///   - limit: How long to wait at most. Zero or less looks once and answers at once.
  ///   - clock: What measures the time.
  /// - Returns: Nil when the time is over or the waiting task is cancelled first. The baton is not changed by that, and
  ///   can be waited for again.
  public func outcome<C: Clock>(
    within limit: Duration, clock: C = ContinuousClock()
  ) async -> Outcome? where C.Duration == Duration {
    guard limit > .zero else { return outcomeIfComplete }
    let deadline = clock.now.advanced(by: limit.clamped)
    let waiter = TimedWaiter()
    guard let key = core.add(.timedTask(waiter)) else { return core.outcome }
    let timer = Task.detached {
      // Ends early only when it is cancelled, which is when nobody waits any more.
      try await clock.sleep(until: deadline, tolerance: nil)
      waiter.stop(nil)
    }
    let outcome = await withTaskCancellationHandler {
      await waiter.wait()
    } onCancel: {
      waiter.stop(nil)
    }
    timer.cancel()
    if outcome == nil { _ = core.lifecycle.withLock { $0.removeWaiter(key) } }
    return outcome
  }

  /// The outcome of a complete baton, nil of an open one.
  public var outcomeIfComplete: Outcome? { core.current.isSealed ? core.outcome : nil }

  /// Whether the baton has completed.
  ///
  /// It is true from the moment at which the last pass came back, before the completion and the handlers have run.
  public var isComplete: Bool { core.current.isSealed }

  #if canImport(Dispatch)
  /// Blocks the calling thread until the baton is complete.
  ///
  /// The work must not need this thread: the main thread waiting for a handler on the main queue waits for ever, and so
  /// does an inline completion that waits for its own baton.
  ///
  /// - Returns: The outcome.
  @available(*, noasync, message: "Use 'await baton.outcome'; this would block a thread of the concurrency pool.")
  @discardableResult
  public func wait() -> Outcome {
    let semaphore = DispatchSemaphore(value: 0)
    if core.add(.thread(semaphore)) != nil { semaphore.wait() }
    return core.outcome
  }

  /// Blocks the calling thread until the baton is complete, or the time is over.
  ///
  /// - Parameter timeout: How long to wait at most. Zero or less looks once and answers at once.
  /// - Returns: The outcome, or nil when the time is over. The baton can be waited for again.
  @available(
    *, noasync, message: "Use 'await baton.outcome(within:)'; this would block a thread of the concurrency pool."
  )
  public func wait(timeout: Duration) -> Outcome? {
    guard timeout > .zero else { return outcomeIfComplete }
    let semaphore = DispatchSemaphore(value: 0)
    guard let key = core.add(.thread(semaphore)) else { return core.outcome }
    if semaphore.wait(timeout: .now() + timeout.dispatchInterval) == .success { return core.outcome }
    // It may have completed just now.
    _ = core.lifecycle.withLock { $0.removeWaiter(key) }
    return outcomeIfComplete
  }
  #endif
}

extension Baton.Core {
  /// Puts a waiter in the line, or returns nil when the baton is complete.
  func add(_ waiter: Waiter) -> UInt64? { lifecycle.withLock { $0.add(waiter) } }
}

extension Duration {
  /// A hundred years at most: no clock's arithmetic overflows at that, and nobody will see the difference.
  var clamped: Duration { min(self, .seconds(3_155_760_000)) }
}

#if canImport(Dispatch)
extension Duration {
  /// The same time for Dispatch, rounded up so that a wait is never early.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = clamped.components
    return .nanoseconds(Int(seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000))
  }
}
#endif
