// Which runners wait, as those who watch are told.

import Dispatch
import Synchronization
import Testing

@testable import Baton

/// Notes what happens to each pass that has a label.
private final class Stages: Baton.Observer, RunnerWatching {
  let lines = Log<String>()
  private let labels = Mutex<[UInt64: String]>([:])

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    switch event {
    case .passed(let pass): labels.withLock { if let id = pass.id { $0[id] = pass.label } }
    case .settled(let pass):
      if let label = pass.label { lines.add("\(label): \(pass.error.map { "\($0)" } ?? "finished")") }
    default: break
    }
  }

  func baton(_ identity: Baton.Identity, pass id: UInt64, _ stage: RunnerStage, at instant: ContinuousClock.Instant) {
    lines.add("\(labels.withLock { $0[id] } ?? "?"): \(stage)")
  }
}

/// Section 10: the bars of limited runners include their wait, and the roster's rows say who waits.
@Suite struct WaitingRunnersTests {
  private let stages = Stages()
  private let passes = Log<Baton.Pass>()
  private let never = "CancellationError()"

  private func start(_ baton: Baton, _ labels: String...) {
    for label in labels { baton.start(label) { passes.add($0) } }
  }

  @Test func `a runner that has to wait is told of, one that needn't is not`() {
    let baton = Baton(limit: 1, observer: stages)
    start(baton, "a", "b", "c")
    #expect(stages.lines.all == ["b: waitsForPermit", "c: waitsForPermit"])
    passes.all[0].finish()
    #expect(stages.lines.all.dropFirst(2) == ["a: finished", "b: begins"])
    passes.all[1].finish()
    passes.all[2].finish()
    #expect(stages.lines.all.dropFirst(4) == ["b: finished", "c: begins", "c: finished"])
  }

  @Test func `without a limit, and by those who don't want to know, nothing is told`() {
    let baton = Baton(observer: stages)
    start(baton, "a")
    passes.all[0].finish()
    #expect(stages.lines.all == ["a: finished"])
    #expect(!Baton(observer: EventLog()).core.watchesRunners && !Baton().core.watchesRunners)
    #expect(Baton(observer: Baton.Timeline()).core.watchesRunners)
  }

  @Test func `one that is cancelled before its permit came never begins`() {
    let baton = Baton(limit: 1, observer: stages)
    start(baton, "a", "b")
    baton.cancelAll()
    start(baton, "c")
    passes.all[0].finish()
    #expect(
      stages.lines.all == ["b: waitsForPermit", "b: \(never)", "c: waitsForPermit", "c: \(never)", "a: finished"])
  }

  @Test func `what comes after abandonment is told of as little as its pass`() {
    let baton = Baton(limit: 1, observer: stages)
    start(baton, "a")
    baton.abandon()
    start(baton, "late")
    #expect(stages.lines.all == [])
    for pass in passes.all { _ = pass.tryFinish() }
  }

  @Test func `tasks, and the runners of a gather, are runners like any other`() async throws {
    let gather = Baton.Gather<Int>(limit: 1, observer: stages)
    let first = Log<Baton.Gather<Int>.Pass>()
    gather.start("a") { first.add($0) }
    gather.addTask("b") { 2 }
    #expect(stages.lines.all == ["b: waitsForPermit"])
    first.all[0].finish(1)
    #expect(try await gather.values == [1, 2])
    #expect(stages.lines.all == ["b: waitsForPermit", "a: finished", "b: begins", "b: finished"])
  }

  @Test func `the loads of a cascade wait from their discovery, and between attempts`() async {
    let loads = HeldLoads(Tree(children: ["a": ["x"]]))
    let clock = ManualClock()
    let retry = Baton.Retry.attempts(2, backoff: .constant(.seconds(1)), clock: clock)
    let run = Reported(loads.cascade(limit: 1, retry: retry, observer: stages), ["a"])
    #expect(stages.lines.all == ["a: waitsForPermit", "a: begins"])
    loads.comeBack("a")
    #expect(stages.lines.all.dropFirst(2) == ["x: waitsForPermit", "a: finished", "x: begins"])
    loads.take("x")?.cancel(SomeError(1))
    #expect(stages.lines.all.dropFirst(5) == ["x: waitsForAttempt", "x: error 1"])
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await until { loads.out == ["x"] }
    loads.comeBack("x")
    #expect(stages.lines.all.dropFirst(7).prefix(3) == ["x: waitsForPermit", "x: begins", "x: finished"])
    #expect(run.report?.outcome.isCancelled == false)
  }

  @Test func `whoever is faster, it waits before it begins, and begins before it settles`() async {
    let baton = Baton(limit: 3, observer: stages)
    baton.withPass {
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        for round in 0..<200 { baton.start("\(thread).\(round)") { pass in pass.finish() } }
      }
    }
    _ = await baton.outcome
    let stages = Dictionary(grouping: stages.lines.all.map { $0.split(separator: ": ") }, by: { $0[0] })
    #expect(stages.count == 1600)
    for (label, lines) in stages {
      let stages = lines.map { String($0[1]) }
      #expect(stages == ["finished"] || stages == ["waitsForPermit", "begins", "finished"], "\(label)")
    }
  }

  // MARK: What is seen of it

  @Test func `the roster says who waits, and of who has waited, how long it is at work`() {
    let roster = Baton.Roster()
    let baton = Baton(name: "Query", limit: 1, observer: Baton.Observers([Baton.Timeline(), roster]))
    start(baton, "a", "b", "c")
    #expect(roster.holders.map(\.kind) == [.pass, .waitingRunner, .waitingRunner])
    passes.all[0].finish()
    #expect(roster.holders.map(\.kind) == [.pass, .waitingRunner])
    #expect(
      roster.description.contains("\"b\", at work for ") && roster.description.contains("\"c\", waiting for a permit"))
    let holder = roster.holders[0]
    #expect(holder.stageSince.map { $0 >= holder.since } == true)
    passes.all[1].finish()
    passes.all[2].finish()
  }

  @Test func `the timeline shows the waiting apart, and what never began`() {
    let timeline = Baton.Timeline()
    let baton = Baton(name: "Query", limit: 1, observer: timeline)
    start(baton, "a", "b", "c")
    #expect(timeline.svg().contains(">1 baton · 3 passes · 1 still out · 2 waiting to begin<"))
    passes.all[0].finish()
    baton.cancelAll(SomeError(1))
    passes.all[1].cancel()
    let svg = timeline.svg()
    #expect(svg.contains("1 never started") && svg.contains(">waiting to begin<") && svg.contains(">Query: error 1<"))
    let trace = timeline.chromeTrace()
    #expect(trace.contains("\"never started: c\"") && trace.contains("\"waiting to begin: Query\""))
  }
}
