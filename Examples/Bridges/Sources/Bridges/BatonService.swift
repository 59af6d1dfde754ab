// Baton and swift-service-lifecycle: graceful shutdown cancels a baton, and abandons it if that takes too long.
//
//     let background = Baton(name: "Background work")                 // request handlers call background.addTask { … }
//     let service = BatonService(background, abandonAfter: .seconds(10))
//     try await ServiceGroup(services: [server, service], gracefulShutdownSignals: [.sigterm], logger: logger).run()
//
// Until then the service holds a pass: the baton stays open when nothing else is out. Once the baton is cancelled, by whom
// ever, the service ends when the last pass is back: by a shutdown without complaint, else with the failure.
import Baton
import ServiceLifecycle

struct BatonService<C: Clock>: Service where C.Duration == Duration {
  private let baton: Baton
  private let grace: Duration
  private let clock: C

  /// - Parameters:
  ///   - baton: What is cancelled. It must not be complete when the service runs.
  ///   - grace: How long its runners may take to come back from a shutdown.
  ///   - clock: Measures that.
  init(_ baton: Baton, abandonAfter grace: Duration, clock: C = ContinuousClock()) {
    self.baton = baton
    self.grace = grace
    self.clock = clock
  }

  /// Returns when the baton is complete: after a graceful shutdown, or when the task that runs this is cancelled.
  /// - Throws: The first failure: a runner's, or a `TimeoutError` if some didn't come back in time.
  func run() async throws {
    let pass = baton.tryMakePass("service")
    pass?.onCancel { pass?.finish() }
    let outcome = await withTaskCancellationOrGracefulShutdownHandler {
      await baton.outcome
    } onCancelOrGracefulShutdown: { [baton, grace, clock] in
      // This is called under a lock of service-lifecycle. The baton's handlers may be anybody's, and do anything.
      Task.detached {
        baton.cancelAll()
        baton.abandon(after: grace, clock: clock)
      }
    }
    if let failure = outcome.failures.first { throw failure.error }
  }
}
