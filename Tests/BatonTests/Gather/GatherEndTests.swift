// How a gather ends when somebody forgets, or is late; and what it keeps. (Gather.swift, GatherPass.swift)

import Testing

@testable import Baton

@Suite struct GatherEndTests {
  let log = Log<String>()
  let events = EventLog()

  // MARK: Dropped (rule 3)

  @Test(arguments: [Baton.Gather<Int>.FailurePolicy.cancelsRest, .continues])
  func `a dropped pass leaves an AbandonedError in its slot, and is reported`(
    policy: Baton.Gather<Int>.FailurePolicy
  ) async throws {
    let gather = Baton.Gather<Int>(onFailure: policy, observer: events)
    let other = gather.makePass()
    let line: UInt = #line + 1
    let dropped = Holder(gather.makePass("logo.png"))
    dropped.drop()
    other.finish(1)
    let results = await gather.results
    #expect(try results[0].get() == 1)
    #expect(throws: Baton.AbandonedError(outstanding: 1)) { try results[1].get() }
    #expect(results.failures.map(\.label) == ["logo.png"])
    #expect(results.failures.first?.location?.line == line)
    #expect(results.isCancelled == (policy == .cancelsRest))
    expectOneMisuse(events, .dropped, label: "logo.png", line: line)
  }

  @Test(arguments: [Baton.Gather<Int>.FailurePolicy.cancelsRest, .continues])
  func `a callback that is let go without a call leaves an AbandonedError in its slot, and is reported`(
    policy: Baton.Gather<Int>.FailurePolicy
  ) async throws {
    let gather = Baton.Gather<Int>(onFailure: policy, observer: events)
    let other = gather.pass { $0 }
    let line: UInt = #line + 1
    Holder<@Sendable (Int) -> Void>(gather.pass("logo.png") { $0 }).drop()
    other(1)
    let results = await gather.results
    #expect(try results[0].get() == 1)
    #expect(throws: Baton.AbandonedError(outstanding: 1)) { try results[1].get() }
    #expect(results.failures.map(\.label) == ["logo.png"])
    #expect(results.isCancelled == (policy == .cancelsRest))
    expectOneMisuse(events, .dropped, label: "logo.png", line: line)
  }

  @Test func `a runner that lets its pass go leaves an AbandonedError, and its permit goes on`() async throws {
    let gather = Baton.Gather<Int>(limit: 1, onFailure: .continues, observer: events)
    let passes = Holder<Baton.Gather<Int>.Pass>(nil)
    gather.start("forgets") { pass in passes.put(pass) }
    gather.start("next") { $0.finish(2) }
    passes.drop()
    let results = await gather.results
    #expect(throws: Baton.AbandonedError(outstanding: 1)) { try results[0].get() }
    #expect(try results[1].get() == 2)
    #expect(events.misuses.map(\.label) == ["forgets"])
  }

  // MARK: Settled twice (BEHAVIOURS 37)

  @Test func `a second settle does nothing, and is reported`() async throws {
    let gather = Baton.Gather<Int>(observer: events)
    let line: UInt = #line + 1
    let pass = gather.makePass("one")
    pass.finish(1)
    pass.cancel(SomeError())
    #expect(try await gather.values == [1])
    expectOneMisuse(events, .settledTwice, label: "one", line: line)
  }

  @Test func `a callback's second call runs nothing, and is reported`() async throws {
    let gather = Baton.Gather<Int>(observer: events)
    gather.baton.pass()
    let line: UInt = #line + 1
    let callback: @Sendable (Int) -> Void = gather.pass("one") { value in
      log.add("\(value)")
      return value
    }
    callback(1)
    callback(2)
    gather.baton.finish()
    #expect(log.all == ["1"])
    #expect(try await gather.values == [1])
    expectOneMisuse(events, .settledTwice, label: "one", line: line)
  }

  @Test func `for honest races the one that is too late is told so, silently`() async throws {
    let gather = Baton.Gather<Int>(observer: events)
    let (one, two) = (gather.makePass(), gather.makePass())
    #expect(one.tryFinish(with: Result<Int, any Error>.success(1)))
    #expect(!one.tryCancel(SomeError()))
    #expect(!one.tryFinish(with: Result<Int, any Error>.success(2)))
    #expect(two.tryFinish(with: Result<Int, SomeError>.success(2)))
    #expect(try await gather.values == [1, 2])
    #expect(events.misuses.isEmpty)
  }

  @Test func `a race between a value and a failure has one winner`() async {
    let failed = await race(
      { _ in
        let gather = Baton.Gather<Int>()
        return (gather, gather.makePass(), Counter())
      },
      { _, pass, winners in
        if pass.tryFinish(with: Result<Int, any Error>.success(1)) { winners.add() }
      },
      { _, pass, winners in
        if pass.tryCancel(SomeError()) { winners.add() }
      },
      check: { gather, _, winners in
        winners.value == 1 && gather.baton.isComplete
      })
    #expect(failed == 0)
  }

  // MARK: Abandoned (rule 4)

  @Test func `what comes after abandonment is absorbed`() async throws {
    let gather = Baton.Gather<Int>(observer: events) { results in log.add("\(results.count) results") }
    let (early, late) = (gather.makePass("early"), gather.makePass("late"))
    early.finish(1)
    gather.baton.abandon(SomeError(9))
    #expect(log.all == ["2 results"])
    late.finish(2)
    gather.makePass("too late").finish(3)
    gather.start { _ in log.add("started") }
    gather.pass { 5 }()
    let results = await gather.results
    #expect(results.count == 2 && results.isCancelled)
    #expect(try results[0].get() == 1)
    #expect(throws: Baton.AbandonedError(outstanding: 1)) { try results[1].get() }
    #expect(throws: SomeError(9)) { try results.values() }
    #expect(log.all == ["2 results"])
    #expect(events.misuses.map(\.kind) == [.late])
  }

  @Test func `what is out at abandonment leaves an AbandonedError, whatever kind of pass it is`() async throws {
    let gather = Baton.Gather<Int>(limit: 1)
    let passes = Log<Baton.Gather<Int>.Pass>()
    let callback = gather.pass { (value: Int) in value }
    for _ in 0..<2 { gather.start { passes.add($0) } }
    passes.all[0].finish(1)
    #expect(passes.count == 2)
    gather.baton.abandon()
    let results = await gather.results
    #expect(try results[1].get() == 1)
    for index in [0, 2] { #expect(throws: Baton.AbandonedError(outstanding: 1)) { try results[index].get() } }
    // Late, which is absorbed.
    callback(0)
    passes.all[1].finish(2)
  }

  /// Without a completion nobody has asked for the results when the late ones come.
  @Test func `what comes after abandonment is absorbed also when nobody has looked yet`() async throws {
    for policy in [Baton.Gather<Int>.FailurePolicy.cancelsRest, .continues] {
      let gather = Baton.Gather<Int>(onFailure: policy, observer: events)
      let (one, two) = (gather.makePass(), gather.makePass())
      gather.baton.abandon()
      one.finish(1)
      two.cancel(SomeError())
      gather.makePass().finish(3)
      let results = await gather.results
      #expect(results.count == 2)
      for result in results { #expect(throws: Baton.AbandonedError(outstanding: 1)) { try result.get() } }
      #expect(results.failures.map { "\($0.error)" } == ["abandoned with 2 passes out"])
    }
  }

  /// A task can't know of the abandonment before it returns, so that there is nothing to complain of.
  @Test func `a task that returns after abandonment is absorbed silently`() async {
    let gather = Baton.Gather<OnDeinit>(observer: events)
    let (gate, letGo) = (Gate(), Gate())
    gather.addTask {
      _ = await onThread { gate.block() }
      return OnDeinit { letGo.open() }
    }
    gather.baton.abandon()
    gate.open()
    // Its value is let go when it has settled.
    await letGo.wait()
    await until { gather.baton.core.current.outstanding == Int(BatonWord.tripwire) }
    #expect(events.misuses.isEmpty)
  }

  @Test func `abandoned, a runner that waits for its permit never starts`() async {
    let gather = Baton.Gather<Int>(limit: 1)
    let first = Holder<Baton.Gather<Int>.Pass>(nil)
    gather.start { first.put($0) }
    gather.start { _ in log.add("second") }
    gather.baton.abandon()
    let results = await gather.results
    #expect(throws: Baton.AbandonedError(outstanding: 1)) { try results[0].get() }
    #expect(throws: CancellationError.self) { try results[1].get() }
    first.drop()
    #expect(log.count == 0)
  }

  // MARK: Let go (rules 3 and 9)

  @Test func `a gather that is let go without a pass completes with nothing`() {
    _ = Baton.Gather<Int> { results in log.add("\(results.count), cancelled: \(results.isCancelled)") }
    #expect(log.all == ["0, cancelled: false"])
  }

  @Test func `a gather that is let go with a bare pass out completes as abandoned`() {
    var gather: Baton.Gather<Int>? = Baton.Gather(observer: events) { results in
      log.add("\(results.count), \(results.failures.map { "\($0.error)" })")
    }
    gather?.makePass().finish(1)
    #expect(log.all == ["1, []"])
    gather = Baton.Gather(observer: events) { results in log.add("\(results.failures.map { "\($0.error)" })") }
    gather?.baton.pass()
    gather = nil
    #expect(log.all == ["1, []", "[\"abandoned with 1 pass out\"]"])
  }

  @Test func `a pass keeps its gather`() {
    let pass = Baton.Gather<Int> { results in log.add("\((try? results.values()) ?? [])") }.makePass()
    #expect(log.count == 0)
    pass.finish(1)
    #expect(log.all == ["[1]"])
  }

  @Test func `complete, it keeps neither its completion nor what its runners had`() async throws {
    let letGo = Counter()
    let gather = Baton.Gather<Int>(limit: 1, completion: OnDeinit { letGo.add() }.handler())
    let first = gather.makePass()
    first.onCancel(OnDeinit { letGo.add() }.handler())
    gather.start { [capture = OnDeinit { letGo.add() }] pass in
      _ = capture
      pass.finish(2)
    }
    gather.addTask { [capture = OnDeinit { letGo.add() }] in
      _ = capture
      return 3
    }
    gather.pass { [capture = OnDeinit { letGo.add() }] in
      _ = capture
      return 4
    }()
    #expect(letGo.value == 2)
    first.finish(1)
    #expect(try await gather.values == [1, 2, 3, 4])
    // The task lets go on its own thread.
    await until { letGo.value == 5 }
  }

  @Test func `complete and let go, nothing of it is left`() async {
    let (gathers, batons) = (Log<WeakReference<Baton.Gather<OnDeinit>>>(), Log<WeakReference<Baton>>())
    let values = Counter()
    for policy in [Baton.Gather<OnDeinit>.FailurePolicy.cancelsRest, .continues] {
      await {
        let gather = Baton.Gather<OnDeinit>(limit: 2, onFailure: policy) { _ in log.add("complete") }
        gathers.add(WeakReference(gather))
        batons.add(WeakReference(gather.baton))
        gather.baton.withPass {
          for number in 0..<6 {
            gather.start { pass in
              if number == 4 { pass.cancel(SomeError()) } else { pass.finish(OnDeinit { values.add() }) }
            }
          }
        }
        _ = await gather.results
      }()
    }
    #expect(log.count == 2 && values.value == 9)
    #expect(gathers.all.allSatisfy(\.isGone) && batons.all.allSatisfy(\.isGone))
  }

  // MARK: Traps

  @Test func `a pass after completion traps with the name and the counts`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let gather = Baton.Gather<Int>(name: "Numbers")
      gather.makePass().finish(1)
      _ = gather.makePass()
    }
    expect(result, says: "Baton \"Numbers\" was passed after it completed (1 passed, 1 settled, 0 out).")
  }
}
