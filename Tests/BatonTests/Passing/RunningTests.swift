// Runners that a baton starts itself, and passes that are held for the length of a body.

import Synchronization
import Testing

@testable import Baton

/// Cancels its baton as soon as a runner has to wait.
private final class CancelsWhoWaits: Baton.Observer, RunnerWatching {
  let target = Holder<Baton>(nil)

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {}
  func baton(_ identity: Baton.Identity, pass id: UInt64, _ stage: RunnerStage, at instant: ContinuousClock.Instant) {
    if stage == .waitsForPermit { target.take()?.cancelAll() }
  }
}

@Suite struct RunningTests {
  let log = EventLog()
  let ran = Log<String>()

  // MARK: start

  @Test func `without a limit the body runs before start returns, with a pass of its own`() {
    let baton = Baton(name: "Query", observer: log)
    let passes = Log<Baton.Pass>()
    let line: UInt = #line + 1
    baton.start("logo.png") { pass in
      ran.add("body, \(pass.baton.tally.outstanding) out")
      passes.add(pass)
    }
    #expect(ran.all == ["body, 1 out"])
    #expect(passes.all.first?.label == "logo.png")
    #expect(passes.all.first?.location.description == "\(#fileID):\(line)")
    #expect(!baton.isComplete)
    passes.all.first?.finish()
    #expect(baton.outcomeIfComplete?.isCancelled == false)
    #expect(log.misuses.isEmpty)
  }

  /// Section 3: counted from the call, not from the start.
  @Test func `a runner that waits for its permit counts already`() {
    let baton = Baton(limit: 1)
    let first = Holder<Baton.Pass>(nil)
    baton.start { first.put($0) }
    baton.start { pass in
      ran.add("second")
      pass.finish()
    }
    #expect(baton.tally == Baton.Tally(passed: 2, outstanding: 2) && ran.count == 0)
    first.take()?.finish()
    #expect(ran.all == ["second"] && baton.isComplete)
  }

  @Test func `a body that cancels brings its error, label and place`() {
    let baton = Baton(name: "Query")
    let line: UInt = #line + 1
    baton.start("logo.png") { $0.cancel(SomeError(1)) }
    let failure = baton.outcomeIfComplete?.failures.first
    #expect(failure?.path == ["Query", "logo.png"] && failure?.error as? SomeError == SomeError(1))
    #expect(failure?.location?.description == "\(#fileID):\(line)")
  }

  @Test func `a body that forgets its pass is reported`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    baton.start("logo.png") { _ in }
    #expect(baton.outcomeIfComplete?.failures.first?.error is Baton.AbandonedError)
    expectOneMisuse(log, .dropped, label: "logo.png", line: line)
  }

  /// BEHAVIOURS 15.
  @Test(arguments: [Baton.Limiter.unlimited, 2]) func `cancelled before, the body never runs, silently`(
    limiter: Baton.Limiter
  ) {
    let baton = Baton(limit: limiter, observer: log)
    baton.pass()
    baton.cancelAll(SomeError(1))
    let letGo = Counter()
    let capture = Holder(OnDeinit { letGo.add() })
    baton.start("late") { [capture = capture.take()] _ in ran.add("\(String(describing: capture))") }
    #expect(letGo.value == 1)
    #expect(baton.tally == Baton.Tally(passed: 2, outstanding: 1))
    baton.finish()
    #expect(ran.count == 0)
    #expect(baton.outcomeIfComplete?.numbers == [1] && baton.outcomeIfComplete?.failures.count == 1)
    #expect(log.misuses.isEmpty)
  }

  @Test func `below a cancelled ancestor the body never runs either`() {
    let root = Baton()
    let child = root.makeChild()
    root.cancelAll()
    child.start { _ in ran.add("body") }
    #expect(ran.count == 0 && root.isComplete)
  }

  /// Rule 4.
  @Test func `after abandonment the body never runs, silently`() {
    let baton = Baton(limit: 1, observer: log)
    baton.abandon()
    baton.start { _ in ran.add("body") }
    baton.addTask { ran.add("task") }
    #expect(ran.count == 0 && log.misuses.isEmpty)
    #expect(baton.tally == Baton.Tally(passed: 0, outstanding: 0))
  }

  @Test func `after completion it traps, with the name and the counts`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.start { $0.finish() }
      baton.start { $0.finish() }
    }
    expect(result, says: "Query", "was passed after it completed", "1 passed, 1 settled, 0 out")
  }

  /// Rule 9.
  @Test func `the body is let go when it has run, though its pass is still out`() {
    let letGo = Counter()
    for limiter in [nil, Baton.Limiter(1)] {
      let baton = Baton(limit: limiter)
      let pass = Holder<Baton.Pass>(nil)
      let capture = Holder(OnDeinit { letGo.add() })
      baton.start { [capture = capture.take()] in
        _ = capture
        pass.put($0)
      }
      #expect(!baton.isComplete)
      pass.take()?.finish()
    }
    #expect(letGo.value == 2)
  }

  // MARK: withPass

  @Test func `a runner listens for a cancellation while it waits, and no longer`() {
    let (baton, held) = (Baton(limit: 1), Log<Baton.Pass>())
    func listening() -> Int { baton.core.lifecycle.withLock { $0.waiting.cancelHandlers } }
    for _ in 0..<3 { baton.start { held.add($0) } }
    #expect(listening() == 2)
    held.all[0].finish()
    #expect(listening() == 1 && held.count == 2)
    baton.cancelAll()
    #expect(listening() == 0 && baton.tally.outstanding == 1)
    held.all[1].finish()
    #expect(held.count == 2 && baton.isComplete)
  }

  @Test func `a runner that is cancelled as it begins to wait goes back at once`() {
    let canceller = CancelsWhoWaits()
    let (baton, held) = (Baton(limit: 1, observer: canceller), Log<Baton.Pass>())
    canceller.target.put(baton)
    for _ in 0..<2 { baton.start { held.add($0) } }
    #expect(baton.isCancelled && baton.tally.outstanding == 1)
    held.all[0].finish()
    #expect(held.count == 1 && baton.isComplete)
  }

  @Test func `withPass holds one pass while the body runs, and returns what it returns`() {
    let baton = Baton()
    let number = baton.withPass {
      baton.withPass {}
      return baton.tally.outstanding
    }
    #expect(number == 1)
    #expect(baton.outcomeIfComplete?.isCancelled == false)
  }

  @Test func `withPass throws what the body throws, and leaves the outcome alone`() {
    let baton = Baton()
    #expect(throws: SomeError(1)) { try baton.withPass { throw SomeError(1) } }
    #expect(baton.isComplete && !baton.isCancelled)
  }

  /// Section 2, BEHAVIOURS 24.
  @Test func `withPass around an empty loop has it end`() async {
    let baton = Baton(name: "nothing")
    baton.withPass { for _ in 0..<0 { baton.pass() } }
    #expect(await baton.ending?.isCancelled == false)
  }

  @Test func `withPass of an async body holds its pass across suspensions`() async {
    let (baton, gate) = (Baton(), Gate())
    async let result = baton.withPass {
      await gate.wait()
      return baton.tally.outstanding
    }
    await until { baton.tally.outstanding == 1 }
    gate.open()
    #expect(await result == 1)
    #expect(baton.outcomeIfComplete?.isCancelled == false)
    let failing = Baton()
    await #expect(throws: SomeError(2)) {
      try await failing.withPass {
        await Task.yield()
        throw SomeError(2)
      }
    }
    #expect(failing.isComplete && !failing.isCancelled)
  }

  @MainActor @Test func `withPass of an async body stays on the actor of its caller`() async {
    var numbers: [Int] = []
    let baton = Baton()
    await baton.withPass {
      await Task.yield()
      MainActor.assertIsolated()
      numbers.append(baton.tally.outstanding)
    }
    #expect(numbers == [1] && baton.isComplete)
  }

  @Test func `withPass traps after completion`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.withPass {}
      baton.withPass {}
    }
    expect(result, says: "Query", "was passed after it completed")
  }
}
