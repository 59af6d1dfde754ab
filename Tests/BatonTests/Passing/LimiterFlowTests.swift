// What a limiter owes to those who wait: nobody is delayed, nothing overflows, cancelling ends all.

import Dispatch
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct LimiterFlowTests {
  #if DEBUG
  static let manyItems = 100_000
  #else
  static let manyItems = 1_000_000
  #endif

  let log = Log<String>()

  // MARK: Depth (rule 8, BEHAVIOURS 27)

  @Test func `a long line of runners that settle at once ends on a small stack`() async {
    let (ran, limiter) = (Counter(), Baton.Limiter(1))
    let baton = Baton(limit: limiter)
    await onSmallStack {
      let first = Holder<Baton.Pass>(nil)
      baton.start { first.put($0) }
      for _ in 1..<Self.manyItems {
        baton.start { pass in
          ran.add()
          pass.finish()
        }
      }
      #expect(limiter.counts == (1, Self.manyItems - 1) && ran.value == 0)
      first.take()?.finish()
    }
    #expect(await baton.ending?.isCancelled == false)
    #expect(ran.value == Self.manyItems - 1 && limiter.counts == (0, 0))
  }

  @Test func `a long line is withdrawn on a small stack`() async {
    let baton = Baton(limit: 1)
    let ran = Counter()
    await onSmallStack {
      let first = Holder<Baton.Pass>(nil)
      baton.start { first.put($0) }
      for _ in 1..<Self.manyItems { baton.start { _ in ran.add() } }
      baton.cancelAll()
      #expect(baton.tally.outstanding == 1)
      first.take()?.finish()
    }
    #expect(await baton.ending?.isCancelled == true)
    #expect(ran.value == 0)
  }

  @Test func `a line in which each runner is the last of its baton ends on a small stack`() async {
    let (limiter, completed) = (Baton.Limiter(1), Counter())
    let all = Baton()
    await onSmallStack {
      let first = Holder<Baton.Pass>(nil)
      Baton(limit: limiter).start { first.put($0) }
      all.withPass {
        for _ in 0..<5_000 {
          let one = all.makeChild(limit: limiter) { _ in completed.add() }
          one.start { $0.finish() }
        }
      }
      first.take()?.finish()
    }
    #expect(await all.ending?.isCancelled == false)
    #expect(completed.value == 5_000)
  }

  // MARK: Nobody is delayed (section 3)

  /// One that settles and then blocks would, with a loop that drains the line, block everybody behind it.
  @Test func `bodies that settle and then block their threads delay nobody`() async {
    let gate = Gate()
    let (started, returned) = (Counter(), Counter())
    let baton = Baton(limit: 1)
    let first = Holder<Baton.Pass>(nil)
    baton.start { first.put($0) }
    // Two more than may be on one stack; each of these two blocks a thread of the global queue, which has few.
    for _ in 0..<18 {
      baton.start { pass in
        started.add()
        pass.finish()
        gate.block()
        returned.add()
      }
    }
    async let settled: Void = onThread { first.take()?.finish() }
    #expect(await baton.ending?.isCancelled == false)
    #expect(started.value == 18 && returned.value == 0)
    gate.open()
    await settled
    await until { returned.value == 18 }
  }

  @Test func `a body that blocks after settling doesn't hold up those who come later`() async {
    let gate = Gate()
    let baton = Baton(limit: 1)
    baton.pass()
    async let blocked: Void = onThread {
      baton.start { pass in
        pass.finish()
        log.add("blocks")
        gate.block()
      }
    }
    await until { log.count == 1 }
    baton.start { pass in
      log.add("second")
      pass.finish()
    }
    #expect(log.all == ["blocks", "second"])
    gate.open()
    await blocked
    baton.finish()
  }

  /// The completion may even wait for the one that got the permit.
  @Test func `a permit is handed on before a completion runs`() async {
    let limiter = Baton.Limiter(1)
    let (gate, first) = (Gate(), Holder<Baton.Pass>(nil))
    let one = Baton(limit: limiter) { _ in log.add(gate.block() ? "next has started" : "hangs") }
    let next = Baton(limit: limiter)
    one.start { first.put($0) }
    next.start { pass in
      gate.open()
      pass.finish()
    }
    await onThread { first.take()?.finish() }
    #expect(log.all == ["next has started"])
    #expect(await next.ending?.isCancelled == false)
  }

  @Test func `a completion doesn't wait for the runner that gets its permit`() async {
    let limiter = Baton.Limiter(1)
    let (gate, first) = (Gate(), Holder<Baton.Pass>(nil))
    let one = Baton(limit: limiter) { _ in gate.open() }
    let next = Baton(limit: limiter)
    one.start { first.put($0) }
    next.start { pass in
      log.add(gate.block() ? "completed before" : "hangs")
      pass.finish()
    }
    await onThread { first.take()?.finish() }
    #expect(await next.ending?.isCancelled == false)
    #expect(log.all == ["completed before"])
  }

  // MARK: Cancelling (BEHAVIOURS 15)

  @Test func `queued ones are withdrawn at once when the baton is cancelled, though no permit ever comes`() {
    let limiter = Baton.Limiter(1)
    let busy = Log<Baton.Pass>()
    let other = Baton(limit: limiter)
    other.start { busy.add($0) }
    let events = EventLog()
    let baton = Baton(limit: limiter, observer: events) { cancelled in log.add(cancelled ? "cancelled" : "finished") }
    let letGo = Counter()
    for number in 0..<3 {
      let capture = OnDeinit { letGo.add() }
      baton.start("\(number)") { _ in log.add("\(capture) ran") }
    }
    #expect(baton.tally.outstanding == 3)
    baton.cancelAll(SomeError(1))
    // Complete, silently, and nothing is kept (rule 9), although the permit is still out.
    #expect(log.all == ["cancelled"] && letGo.value == 3)
    #expect(baton.outcomeIfComplete?.numbers == [1] && baton.outcomeIfComplete?.failures.count == 1)
    #expect(events.misuses.isEmpty)
    // The line goes on without them.
    other.start { pass in
      log.add("next")
      pass.finish()
    }
    busy.all[0].finish()
    #expect(log.all == ["cancelled", "next"] && limiter.counts == (0, 0))
  }

  @Test func `a runner that gets its permit while its baton is being cancelled doesn't start`() {
    let limiter = Baton.Limiter(1)
    let baton = Baton(limit: limiter)
    let other = Baton(limit: limiter)
    baton.start { pass in
      // The first handler of all: the permit comes back before the queued ones have heard of the cancellation.
      pass.onCancel { pass.finish() }
    }
    for _ in 0..<3 { baton.start { _ in log.add("started") } }
    other.start { pass in
      log.add("other")
      pass.finish()
    }
    baton.cancelAll()
    #expect(log.all == ["other"] && limiter.counts == (0, 0))
    #expect(baton.outcomeIfComplete?.failures.isEmpty == true && other.isComplete)
  }

  @Test func `a permit that is on its way to a runner which doesn't start any more goes on`() async {
    let limiter = Baton.Limiter(1)
    let (baton, busy, other) = (Baton(limit: limiter), Baton(limit: limiter), Baton(limit: limiter))
    let pass = Holder<Baton.Pass>(nil)
    busy.start { pass.put($0) }
    // The first handler of all, and the last pass of its baton: the permit goes to the queued one by another thread.
    baton.onCancel { pass.take()?.finish() }
    baton.start { _ in log.add("started") }
    other.start { pass in
      log.add("other")
      pass.finish()
    }
    baton.cancelAll()
    #expect(await other.ending?.isCancelled == false)
    #expect(log.all == ["other"] && baton.isComplete)
  }

  @Test func `abandoned, the queued ones never start, and the permit goes on`() {
    let limiter = Baton.Limiter(1)
    let (events, busy) = (EventLog(), Holder<Baton.Pass>(nil))
    let baton = Baton(limit: limiter, observer: events)
    baton.start { busy.put($0) }
    baton.start { _ in log.add("queued") }
    let other = Baton(limit: limiter)
    other.start { pass in
      log.add("other")
      pass.finish()
    }
    baton.abandon()
    #expect(log.count == 0 && events.misuses.isEmpty && limiter.counts.out == 1)
    busy.take()?.finish()
    #expect(log.all == ["other"] && events.misuses.map(\.kind) == [.late])
  }

  @Test func `cancelled while permits go round, each runner starts or is withdrawn, and the baton completes`() async {
    struct Round: Sendable {
      let baton = Baton(limit: 2)
      let passes = Log<Baton.Pass>()
      let ran = Counter()
    }
    let failed = await race(
      { _ -> Round in
        let round = Round()
        for _ in 0..<2 { round.baton.start { round.passes.add($0) } }
        for _ in 0..<6 {
          round.baton.start { pass in
            round.ran.add()
            pass.finish()
          }
        }
        return round
      },
      { round in round.baton.cancelAll() },
      { round in for pass in round.passes.all { pass.finish() } },
      check: { $0.baton.isComplete && $0.ran.value <= 6 && $0.baton.core.limiter?.counts.out == 0 })
    #expect(failed == 0)
  }
}
