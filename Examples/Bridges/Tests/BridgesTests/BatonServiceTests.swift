// Graceful shutdown, in a service group.
import Baton
@testable import Bridges
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// Runs a service in a group, with a body beside it that is over when the service ends.
private func withService(
  _ service: any Service, _ body: (ServiceGroup) async -> Void
) async throws {
  let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  let running = Task { try await group.run() }
  await body(group)
  try await running.value
}

@Suite(.timeLimit(.minutes(1))) struct BatonServiceTests {
  private let work = Baton(name: "Background")

  /// Until the service has its pass.
  private func serviceRuns() async { while work.tally.passed == 0 { await Task.yield() } }

  @Test func `stays open while nothing is out, until a shutdown cancels what is`() async throws {
    let cancelled = Mutex(false)
    try await withService(BatonService(work, abandonAfter: .seconds(3600))) { group in
      await serviceRuns()
      work.makePass("early").finish()
      #expect(!work.isComplete)
      let pass = work.makePass("running")
      pass.onCancel {
        cancelled.withLock { $0 = true }
        pass.finish()
      }
      await group.triggerGracefulShutdown()
    }
    #expect(cancelled.withLock { $0 })
    #expect(work.outcomeIfComplete?.isCancelled == true && work.outcomeIfComplete?.failures.isEmpty == true)
  }

  @Test func `abandons what doesn't come back, and says so`() async throws {
    let error = await #expect(throws: Baton.TimeoutError.self) {
      try await withService(BatonService(work, abandonAfter: .milliseconds(1))) { group in
        await serviceRuns()
        let stuck = work.makePass("stuck")
        await group.triggerGracefulShutdown()
        _ = await work.outcome
        stuck.finish()
      }
    }
    #expect(error == Baton.TimeoutError(limit: .milliseconds(1)))
    #expect(work.outcomeIfComplete?.failures.count == 2)
  }

  @Test func `ends with the failure that cancels the baton, once all is back`() async throws {
    await #expect(throws: SomeError.self) {
      try await withService(BatonService(work, abandonAfter: .seconds(3600))) { _ in
        await serviceRuns()
        let last = work.makePass("last")
        work.makePass("broken").cancel(SomeError())
        #expect(!work.isComplete)
        last.finish()
      }
    }
  }
}
