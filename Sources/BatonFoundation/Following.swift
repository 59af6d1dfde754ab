// How a progress learns that the counts have changed.

import Baton

extension Baton {
  /// Calls back when the counts have changed: within a tenth of a second, until the baton is complete.
  ///
  /// A look at the counts from time to time, rather than a call for each pass: a pass of a baton that nobody observes is one
  /// atomic operation (rule 10), and there is nobody to make that call; and what a person sees need not change more often.
  /// It keeps nothing alive, and ends with the baton.
  ///
  /// - Parameters:
  ///   - interval: The time between two looks.
  ///   - clock: What measures it.
  ///   - body: Is called on any thread, never twice at the same time.
  func follow<C: Clock>(
    every interval: Duration = .milliseconds(100), clock: C = ContinuousClock(), _ body: @escaping @Sendable () -> Void
  ) where C.Duration == Duration {
    let looks = Task.detached { [weak self] in
      var last: Tally?
      while let tally = self?.tally {
        if tally != last { body() }
        last = tally
        // Throws when completion cancels the task.
        let next = clock.now.advanced(by: interval)
        guard (try? await clock.sleep(until: next, tolerance: interval / 2)) != nil else { return }
      }
    }
    onCompletion { _ in looks.cancel() }
  }
}
