// Hearing of a baton's completion.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// Adds a handler that gets the outcome when the baton completes.
  ///
  /// Handlers are handed to their executors after the completion, in the order in which they were added. One that is
  /// added while this goes on joins the end of the line; one that is added later is handed over at once, by this call.
  ///
  /// - Parameters:
  ///   - executor: Where it runs.
  ///   - handler: Runs exactly once.
  public func onCompletion(on executor: Executor = .inline, _ handler: @escaping @Sendable (Outcome) -> Void) {
    let handler = Lifecycle.Handler(executor: executor, body: handler)
    if !core.lifecycle.withLock({ $0.add(handler) }) { handler.run(core.outcome) }
  }

  /// Adds a handler that gets the outcome on the main actor when the baton completes.
  ///
  /// - Parameters:
  ///   - executor: `.main`.
  ///   - handler: Runs exactly once, on the main actor, after all that were added before it.
  public func onCompletion(on executor: MainExecutor, _ handler: @escaping @MainActor @Sendable (Outcome) -> Void) {
    onCompletion(on: executor.executor) { outcome in MainActor.assumeIsolated { handler(outcome) } }
  }
}
