// Cancelling and abandoning after a time.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// Cancels after a time, with a ``TimeoutError``, unless the baton is complete or cancelled by then.
  ///
  /// Several deadlines may be set; the earliest wins. They end with the baton, and don't keep it alive.
  ///
  /// - Parameters:
  ///   - limit: The time from now on; zero or less cancels as soon as a task gets to run.
  ///   - clock: What measures the time.
  public func cancelAll<C: Clock>(after limit: Duration, clock: C = ContinuousClock()) where C.Duration == Duration {
    schedule(after: limit, clock: clock) { baton in
      let failure = Failure(error: TimeoutError(limit: limit), lineage: baton.core.lineage)
      baton.core.cancel(failure: failure, isNoiseWhenLate: true)
    }
  }

  /// Abandons after a time, with a ``TimeoutError``, unless the baton is complete by then.
  ///
  /// Several deadlines may be set; the earliest wins. They end with the baton, and don't keep it alive.
  ///
  /// - Parameters:
  ///   - limit: The time from now on; zero or less abandons as soon as a task gets to run.
  ///   - clock: What measures the time.
  public func abandon<C: Clock>(after limit: Duration, clock: C = ContinuousClock()) where C.Duration == Duration {
    schedule(after: limit, clock: clock) { baton in baton.abandon(TimeoutError(limit: limit)) }
  }

  private func schedule<C: Clock>(
    after limit: Duration, clock: C, _ action: @escaping @Sendable (Baton) -> Void
  ) where C.Duration == Duration {
    guard !isComplete else { return }
    let deadline = clock.now.advanced(by: limit.clamped)
    let timer = Task.detached { [weak self] in
      // Throws when the baton's completion cancels the timer.
      guard (try? await clock.sleep(until: deadline, tolerance: nil)) != nil, let self else { return }
      action(self)
    }
    if !core.lifecycle.withLock({ $0.add(timer) }) { timer.cancel() }
  }
}
