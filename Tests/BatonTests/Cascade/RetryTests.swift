// How often, and when, a load is tried again. (Retry.swift, CascadeRun.swift)

import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct RetryTests {
  typealias Cascade = Baton.Cascade<String, Int>

  let clock = ManualClock()
  let log = EventLog()

  /// A cascade of which each load fails so many times, and a log of all attempts.
  private func cascade(
    failing times: Int, _ retry: Baton.Retry, limit: Baton.Limiter? = nil
  ) -> (Cascade, Log<String>) {
    let attempts = Log<String>()
    let cascade = Cascade(name: "C", limit: limit, retry: retry, observer: log) { id, pass in
      attempts.add("\(id)\(pass.attemptCount)")
      guard pass.attemptCount <= times else { return pass.finish(.init(pass.attemptCount, children: [])) }
      pass.cancel(SomeError(pass.attemptCount))
    }
    return (cascade, attempts)
  }

  // MARK: How often

  @Test func `a load that succeeds is not tried again`() async {
    let asked = Counter()
    let retry = Baton.Retry.attempts(3) { _ in
      asked.add()
      return true
    }
    let (cascade, attempts) = cascade(failing: 0, retry)
    #expect(await cascade.run(["a", "b"]).resources == ["a": 1, "b": 1])
    #expect(attempts.all == ["a1", "b1"] && asked.value == 0)
  }

  @Test func `a load is tried until it succeeds`() async {
    let (cascade, attempts) = cascade(failing: 2, .attempts(5))
    let report = await cascade.run(["a"])
    #expect(report.resources == ["a": 3] && report.failures.isEmpty && !report.outcome.isCancelled)
    #expect(attempts.all == ["a1", "a2", "a3"] && log.misuses.isEmpty)
  }

  @Test func `attempts are counted, and the last one's error is the failure`() async {
    let (cascade, attempts) = cascade(failing: 9, .attempts(3))
    let report = await cascade.run(["a"])
    #expect(report.outcome.numbers == [3] && report.outcome.failures.map(\.path) == [["C", "a"]])
    #expect(report.failures["a"] as? SomeError == SomeError(3))
    #expect(attempts.all == ["a1", "a2", "a3"])
  }

  @Test func `a load is tried once where nothing else is said`() async {
    let (cascade, attempts) = cascade(failing: 9, .never)
    #expect(await cascade.run(["a"]).outcome.numbers == [1])
    #expect(attempts.all == ["a1"])
  }

  @Test func `a predicate stops the attempts`() async {
    let (cascade, attempts) = cascade(failing: 9, .attempts(5) { ($0 as? SomeError)?.number != 2 })
    #expect(await cascade.run(["a"]).outcome.numbers == [2])
    #expect(attempts.all == ["a1", "a2"])
  }

  @Test func `a cancellation is not tried again, unless the predicate says so`() async {
    func attempts(_ retry: Baton.Retry) async -> Int {
      let count = Counter()
      let cascade = Cascade(retry: retry) { _ in
        count.add()
        throw CancellationError()
      }
      #expect(await cascade.run(["a"]).failures["a"] is CancellationError)
      return count.value
    }
    #expect(await attempts(.attempts(3)) == 1)
    #expect(await attempts(.attempts(3) { _ in true }) == 3)
  }

  @Test func `a load that fails after the cancellation is not asked about`() {
    let (loads, asked) = (HeldLoads(Tree(children: [:], failing: ["a"])), Counter())
    let retry = Baton.Retry.attempts(3) { _ in
      asked.add()
      return true
    }
    let run = Reported(loads.cascade(retry: retry), ["a"])
    run.baton.cancelAll()
    loads.comeBack("a")
    #expect(asked.value == 0 && loads.started == ["a"] && run.reportCount == 1)
  }

  @Test func `a load that was let go is tried again`() async {
    let cascade = Cascade(retry: .attempts(2), observer: log) { id, pass in
      if pass.attemptCount == 2 { pass.finish(.init(2, children: [])) }
    }
    #expect(await cascade.run(["a"]).resources == ["a": 2])
    #expect(log.misuses.map(\.kind) == [.dropped])
  }

  @Test func `loads that fail at once are tried again on a small stack`() async {
    let (cascade, attempts) = cascade(failing: 20_000, .attempts(.max))
    let reported = Log<Cascade.Report>()
    let baton = await onSmallStack { cascade.start(["a"]) { reported.add($0) } }
    #expect(await baton.ending?.isCancelled == false)
    #expect(attempts.count == 20_001 && reported.all.first?.resources == ["a": 20_001])
  }

  @Test func `fewer than one attempt traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Baton.Retry.attempts(0)
    }
    expect(result, says: "A load needs at least one attempt, not 0.")
  }

  // MARK: When

  /// The times that pass before each attempt, the first included.
  private func delays(_ backoff: Baton.Backoff, attempts: Int) async -> [Duration] {
    let times = Log<Duration>()
    let cascade = Cascade(retry: .attempts(attempts, backoff: backoff, clock: clock)) { [clock] _, pass in
      times.add(clock.now.sinceStart)
      pass.cancel(SomeError())
    }
    let baton = cascade.start(["a"]) { _ in }
    for attempt in 1..<attempts {
      await clock.sleepers(1)
      // In steps, none of which is to be too early.
      while times.count == attempt, clock.asleep == 1 { clock.advance(by: .milliseconds(50)) }
      await until { times.count == attempt + 1 }
    }
    _ = await baton.ending
    return zip(times.all.dropFirst(), times.all).map { $0 - $1 }
  }

  @Test func `a backoff is waited for by the clock`() async {
    let exponential = Baton.Backoff.exponential(from: .milliseconds(100))
    #expect(await delays(exponential, attempts: 5) == [100, 200, 400, 800].map { .milliseconds($0) })
    #expect(await delays(.constant(.milliseconds(150)), attempts: 4) == [150, 150, 150].map { .milliseconds($0) })
    let limited = Baton.Backoff.exponential(from: .milliseconds(100), factor: 3, upTo: .milliseconds(500))
    #expect(await delays(limited, attempts: 5) == [100, 300, 500, 500].map { .milliseconds($0) })
  }

  @Test func `backoffs are what they say`() {
    #expect(Baton.Backoff.none.delay(1) == .zero && Baton.Backoff.none.delay(9) == .zero)
    let constant = Baton.Backoff.constant(.seconds(2))
    #expect(constant.delay(1) == .seconds(2) && constant.delay(7) == .seconds(2))
    let exponential = Baton.Backoff.exponential(from: .seconds(1))
    #expect((1...8).map(exponential.delay) == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(exponential.delay(1_000_000) == .seconds(60))
    #expect(Baton.Backoff.exponential(from: .seconds(3), upTo: .seconds(1)).delay(1) == .seconds(1))
  }

  @Test func `a part of a backoff may be left to chance`() {
    let half = Baton.Backoff.exponential(from: .seconds(2), jitter: 0.5)
    let delays = (0..<1_000).map { _ in half.delay(2) }
    #expect(delays.allSatisfy { (.seconds(2) ... .seconds(4)).contains($0) })
    #expect(Set(delays).count > 100)
    let all = (0..<1_000).map { _ in Baton.Backoff.exponential(from: .seconds(1), jitter: 7).delay(1) }
    #expect(all.allSatisfy { (.zero ... .seconds(1)).contains($0) })
  }

  // MARK: Meanwhile

  @Test func `a load that waits for its next attempt gives its permit back`() async {
    let loads = HeldLoads(Tree<String>(children: [:]))
    let retry = Baton.Retry.attempts(2, backoff: .constant(.seconds(1)), clock: clock)
    let limit = Baton.Limiter(1)
    let run = Reported(loads.cascade(limit: limit, retry: retry), ["a", "b", "c"])
    loads.take("a")?.cancel(SomeError(1))
    await clock.sleepers(1)
    #expect(loads.out == ["b"] && limit.counts == (1, 1))
    loads.comeBack("b")
    #expect(loads.out == ["c"])
    clock.advance(by: .seconds(1))
    // It waits for the permit that `c` has.
    await until { limit.counts == (1, 1) }
    #expect(loads.started == ["a", "b", "c"] && run.complete == ["b"])
    loads.comeBack("c")
    #expect(loads.out == ["a"])
    let pass = loads.take("a")
    #expect(pass?.attemptCount == 2)
    pass?.finish(.init("a", children: []))
    #expect(run.complete == ["b", "c", "a"] && run.report?.outcome.isCancelled == false)
    #expect(limit.counts == (0, 0))
  }

  @Test func `branches that share a load wait for its next attempt`() async {
    let loads = HeldLoads(Tree(children: ["a": ["x"], "b": ["x"]]))
    let retry = Baton.Retry.attempts(2, backoff: .constant(.seconds(1)), clock: clock)
    let run = Reported(loads.cascade(retry: retry), ["a", "b"])
    loads.comeBack("a")
    loads.comeBack("b")
    loads.take("x")?.cancel(SomeError(1))
    await clock.sleepers(1)
    #expect(run.complete == [] && !run.baton.isCancelled)
    clock.advance(by: .seconds(1))
    await until { loads.out == ["x"] }
    #expect(loads.started == ["a", "b", "x", "x"])
    loads.comeBack("x")
    #expect(run.complete == ["a", "b"] && run.report?.outcome.isCancelled == false)
  }

  @Test func `a run that is cancelled while a load waits for its next attempt ends with its error`() async {
    let loads = HeldLoads(Tree<String>(children: [:]))
    let retry = Baton.Retry.attempts(5, backoff: .constant(.seconds(1)), clock: clock)
    let run = Reported(loads.cascade(retry: retry), ["a", "b"])
    loads.take("a")?.cancel(SomeError(1))
    loads.comeBack("b")
    await clock.sleepers(1)
    #expect(run.complete == ["b"])
    run.baton.cancelAll()
    #expect(await run.baton.ending?.numbers == [1])
    #expect(clock.asleep == 0 && loads.started == ["a", "b"])
    #expect(run.report?.failures["a"] as? SomeError == SomeError(1))
    #expect(run.report?.branches["a"]?.outcome.numbers == [1])
    #expect(run.report?.branches["b"]?.outcome.isCancelled == false)
  }

  @Test func `a run that is cancelled is not tried again`() {
    let loads = HeldLoads(Tree<String>(children: [:]))
    let run = Reported(loads.cascade(retry: .attempts(5) { _ in true }), ["a"])
    run.baton.cancelAll()
    loads.take("a")?.cancel(SomeError(1))
    #expect(loads.started == ["a"] && run.report?.outcome.numbers == [1])
  }

  @Test func `a next attempt that waits for its permit never starts once the run is cancelled`() {
    let loads = HeldLoads(Tree<String>(children: [:]))
    let run = Reported(loads.cascade(limit: 1, retry: .attempts(2)), ["a", "b"])
    loads.take("a")?.cancel(SomeError(1))
    #expect(loads.out == ["b"])
    run.baton.cancelAll()
    #expect(run.complete == ["a"])
    loads.comeBack("b")
    #expect(loads.started == ["a", "b"] && run.report?.outcome.numbers == [1])
  }

  @Test func `a run that is cancelled while a load waits for its next attempt needs no permit for that`() async {
    let loads = HeldLoads(Tree<String>(children: [:]))
    let retry = Baton.Retry.attempts(5, backoff: .constant(.seconds(1)), clock: clock)
    let cascade = loads.cascade(limit: 1, retry: retry)
    let (run, other) = (Reported(cascade, ["a"]), Reported(cascade, ["b"]))
    loads.take("a")?.cancel(SomeError(1))
    await clock.sleepers(1)
    #expect(loads.out == ["b"])
    run.baton.cancelAll()
    #expect(await run.baton.ending?.numbers == [1])
    #expect(loads.out == ["b"] && run.reportCount == 1)
    loads.comeBack("b")
    #expect(other.report?.outcome.isCancelled == false)
  }

  @Test func `abandoning ends a run in which a load waits for its next attempt`() async {
    let retry = Baton.Retry.attempts(5, backoff: .constant(.seconds(1)), clock: clock)
    let (cascade, attempts) = cascade(failing: 9, retry)
    let reported = Log<Cascade.Report>()
    let baton = cascade.start(["a"]) { reported.add($0) }
    await clock.sleepers(1)
    baton.abandon()
    #expect(reported.count == 1 && reported.all.first?.branches["a"]?.outcome.isCancelled == true)
    await clock.sleepers(0)
    #expect(attempts.all == ["a1"])
  }
}
