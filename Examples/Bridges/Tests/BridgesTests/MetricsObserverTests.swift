// How much is out, how much comes and goes.
import Baton
@testable import Bridges
import Dispatch
import Metrics
import MetricsTestKit
import Testing

@Suite struct MetricsObserverTests {
  private let metrics = TestMetrics()
  private let observer: MetricsObserver

  init() {
    observer = withMetricsFactory(metrics) { MetricsObserver(dimensions: [("work", "downloads")]) }
  }

  private func count(_ label: String) throws -> Int64 {
    try metrics.expectCounter("baton.\(label)", [("work", "downloads")]).totalValue
  }
  private var outstanding: Double? {
    get throws { try metrics.expectMeter("baton.outstanding", [("work", "downloads")]).lastValue }
  }
  private var durations: [Int64] {
    get throws { try metrics.expectTimer("baton.pass.duration", [("work", "downloads")]).values }
  }

  @Test func `passes, settles and the time between are measured, a child's own pass is not`() throws {
    let start = ContinuousClock.now
    let tree = Baton(observer: observer)
    tree.pass(count: 2)
    let pass = tree.makeChild(name: "Branch").makePass("a")
    #expect(try outstanding == 3)
    pass.finish()
    tree.finish()
    tree.finish()
    let longest = start.duration(to: .now)
    #expect(tree.isComplete && tree.tally.passed == 3)
    #expect(try count("passes") == 3 && count("settles") == 3 && outstanding == 0)
    #expect(try durations.count == 1 && durations.allSatisfy { $0 > 0 && .nanoseconds($0) < longest })
    #expect(try count("failures") == 0 && count("cancels") == 0 && count("abandoned") == 0)
  }

  @Test func `failures, cancelled batons and misuse are counted`() throws {
    let tree = Baton(observer: observer)
    let passes = ["a", "b", "c"].map { tree.makePass($0) }
    passes[0].cancel(SomeError())
    passes[1].cancel()
    passes[1].cancel()
    passes[2].finish()
    #expect(try count("failures") == 1 && count("cancels") == 1 && count("misuses") == 1)
  }

  @Test func `what an abandoned baton leaves behind is counted as that, once`() throws {
    let baton = Baton(observer: observer)
    baton.pass(count: 2)
    let passes = (0..<3).map { baton.makePass("\($0)") }
    passes[0].finish()
    baton.abandon()
    #expect(try count("abandoned") == 4 && outstanding == 0)
    for pass in passes.dropFirst() { pass.finish() }
    baton.finish()
    #expect(try count("passes") == 5 && count("settles") == 1 && outstanding == 0 && durations.count == 1)
  }

  @Test func `threads lose no count`() throws {
    let baton = Baton(observer: observer)
    baton.withPass {
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        for _ in 0..<100 {
          let pass = baton.makePass()
          baton.pass()
          pass.finish()
          baton.finish()
        }
      }
    }
    #expect(try count("passes") == 1601 && count("settles") == 1601 && outstanding == 0 && durations.count == 800)
  }
}
