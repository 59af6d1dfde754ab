// Permits: so many runners at work at the same time, first come, first served.

import Dispatch
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct LimiterTests {
  let log = Log<String>()

  /// A runner that writes down its start and keeps its pass, for the test to settle.
  private func start(_ baton: Baton, _ label: String, _ passes: Log<Baton.Pass>) {
    baton.start(label) { pass in
      log.add(label)
      passes.add(pass)
    }
  }

  // MARK: Making (section 3, BEHAVIOURS 26)

  @Test func `is made of a number, or of a literal`() {
    let literal: Baton.Limiter = 3
    #expect(literal.permits == 3 && Baton.Limiter(5).permits == 5)
    #expect(Baton(limit: 3).core.limiter?.permits == 3)
    #expect(Baton(limit: .unlimited).core.limiter == nil)
  }

  @Test func `no permits trap, with the number`() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = Baton.Limiter(0) }
    expect(none, says: "at least one permit, not 0")
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Baton(limit: -3)
    }
    expect(negative, says: "at least one permit, not -3")
  }

  // MARK: Order and number (section 3, BEHAVIOURS 26)

  @Test func `first come, first served, and never more than there are permits`() {
    let passes = Log<Baton.Pass>()
    let limiter = Baton.Limiter(2)
    let baton = Baton(limit: limiter)
    for number in 0..<6 { start(baton, "\(number)", passes) }
    #expect(log.all == ["0", "1"])
    #expect(limiter.counts == (2, 4) && baton.tally.outstanding == 6)
    // The permits come back in another order than they went out.
    passes.all[1].finish()
    #expect(log.all == ["0", "1", "2"])
    passes.all[2].finish()
    passes.all[0].finish()
    #expect(log.all == ["0", "1", "2", "3", "4"])
    #expect(limiter.counts == (2, 1))
    for number in 3..<6 { passes.all[number].finish() }
    #expect(log.count == 6 && limiter.counts == (0, 0))
    #expect(baton.outcomeIfComplete?.isCancelled == false)
  }

  /// More than may nest: these don't, so each starts before `finish` returns.
  @Test func `the next one starts on the thread that hands a permit back, however many did before`() {
    let passes = Log<Baton.Pass>()
    let baton = Baton(limit: 1)
    for number in 0..<100 { start(baton, "\(number)", passes) }
    for number in 0..<99 {
      passes.all[number].finish()
      #expect(log.count == number + 2)
    }
    passes.all[99].finish()
    #expect(log.all == (0..<100).map { "\($0)" } && baton.isComplete)
  }

  @Test func `one that comes while others wait goes to the end`() {
    let passes = Log<Baton.Pass>()
    let baton = Baton(limit: 1)
    baton.start { pass in
      passes.add(pass)
      start(baton, "third", passes)
    }
    log.add("first")
    baton.start("second") { pass in
      log.add("second")
      start(baton, "fourth", passes)
      pass.finish()
    }
    passes.all[0].finish()
    passes.all[1].finish()
    #expect(log.all == ["first", "third", "second", "fourth"])
    passes.all[2].finish()
    #expect(baton.isComplete)
  }

  @Test(arguments: [1, 3, 8]) func `never exceeded, never idle, never short of a result`(permits: Int) async {
    #if DEBUG
    let rounds = 2_000
    #else
    let rounds = 20_000
    #endif
    let failed = await onThread {
      let work = DispatchQueue(label: "work", attributes: .concurrent)
      var failed = 0
      for round in 0..<rounds {
        let limiter = Baton.Limiter(permits)
        let (running, tooMany, done) = (Counter(), Counter(), Counter())
        let baton = Baton(limit: limiter)
        baton.withPass {
          for item in 0..<40 {
            baton.start { pass in
              if running.add() > permits { tooMany.add() }
              let settle = { @Sendable in
                running.add(-1)
                done.add()
                pass.finish()
              }
              // Some settle at once, the others wherever the queue has a thread.
              if (item + round) % 3 == 0 { settle() } else { work.async(execute: settle) }
            }
            let (out, waiting) = limiter.counts
            if out > permits || waiting > 0 && out < permits { tooMany.add() }
          }
        }
        guard let outcome = baton.wait(timeout: patience) else { return -1 }
        if outcome.isCancelled || tooMany.value > 0 || done.value != 40 || limiter.counts.waiting != 0 { failed += 1 }
      }
      return failed
    }
    #expect(failed == 0)
  }

  @Test func `a bare pass, a made one and a wrapped one take no permit`() {
    let limiter = Baton.Limiter(1)
    let baton = Baton(limit: limiter)
    baton.pass()
    let pass = baton.makePass()
    let callback = baton.pass { log.add("called") }
    #expect(limiter.counts == (0, 0))
    let passes = Log<Baton.Pass>()
    start(baton, "started", passes)
    callback()
    pass.finish()
    baton.finish()
    #expect(log.all == ["started", "called"] && limiter.counts == (1, 0))
    passes.all.first?.finish()
  }

  @Test func `a permit comes back however its pass ends`() {
    let limiter = Baton.Limiter(1)
    let ends: [@Sendable (Baton.Pass) -> Void] = [
      { $0.finish() }, { $0.cancel() }, { $0.cancel(SomeError()) }, { _ in },
      { pass in
        pass.baton.abandon()
        pass.finish()
      },
    ]
    for end in ends {
      Baton(limit: limiter, observer: EventLog()).start(nil, end)
      #expect(limiter.counts == (0, 0))
    }
  }

  @Test func `settling a second time gives back no second permit`() {
    let limiter = Baton.Limiter(1)
    let baton = Baton(limit: limiter, observer: EventLog())
    let passes = Log<Baton.Pass>()
    for label in ["first", "second", "third"] { start(baton, label, passes) }
    passes.all[0].finish()
    passes.all[0].finish()
    #expect(log.all == ["first", "second"] && limiter.counts == (1, 1))
    passes.all[1].finish()
    passes.all[2].finish()
  }

  // MARK: Sharing and inheriting

  @Test func `batons that share a limiter share its permits`() async {
    let limiter = Baton.Limiter(1)
    let (first, second) = (Baton(limit: limiter), Baton(limit: limiter))
    let passes = Log<Baton.Pass>()
    first.pass()
    start(first, "first", passes)
    start(second, "second", passes)
    start(first, "third", passes)
    #expect(log.all == ["first"] && limiter.counts == (1, 2))
    passes.all[0].finish()
    #expect(log.all == ["first", "second"])
    // The second baton ends by this, so that the next one starts on another thread.
    passes.all[1].finish()
    await until { passes.count == 3 }
    passes.all[2].finish()
    first.finish()
    #expect(first.isComplete && second.isComplete)
  }

  @Test func `children inherit it, bring their own, or opt out`() {
    let limiter = Baton.Limiter(1)
    let parent = Baton(limit: limiter)
    let (child, own) = (parent.makeChild(), parent.makeChild(limit: 1))
    let free = parent.makeChild(limit: .unlimited)
    let grandchildren = (child.makeChild(), free.makeChild())
    let passes = Log<Baton.Pass>()
    start(parent, "parent", passes)
    start(child, "child", passes)
    start(grandchildren.0, "grandchild", passes)
    start(own, "own", passes)
    start(own, "own too", passes)
    start(free, "free", passes)
    start(grandchildren.1, "free too", passes)
    #expect(log.all == ["parent", "own", "free", "free too"])
    #expect(limiter.counts == (1, 2))
    #expect(parent.core.limiter === child.core.limiter)
    passes.all[0].finish()
    #expect(log.all.last == "child")
    passes.all[4].finish()
    #expect(log.all.last == "grandchild")
    passes.all[1].finish()
    #expect(log.all.last == "own too" && log.count == 7)
    for pass in passes.all { _ = pass.tryFinish() }
    #expect(limiter.counts == (0, 0))
  }

  // As when a baton is cancelled between the giving of a permit and the start.
  @Test(arguments: [false, true])
  func `a permit that nobody wants any more goes back`(isHandedOff: Bool) async {
    final class Seeker: PermitSeeker {
      let starts: Bool
      init(starts: Bool) { self.starts = starts }
      var isWithdrawn: Bool { false }
      func run() -> Bool { starts }
    }
    let limiter = Baton.Limiter(1)
    if isHandedOff {
      limiter.start(Seeker(starts: true))
      limiter.start(Seeker(starts: false))
      #expect(limiter.counts == (1, 1))
      limiter.release(handsOff: true)
    } else {
      limiter.start(Seeker(starts: false))
    }
    await until { limiter.counts == (0, 0) }
  }
}
