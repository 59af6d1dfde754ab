// How a cancellation is recorded, and whom it tells.

import Testing

@testable import Baton

@Suite struct CancellingTests {
  // Rule 5, behaviour 16.
  @Test func `cancelling all hands nothing back`() {
    let log = Log<Bool>()
    let baton = Baton { log.add($0) }
    baton.pass(count: 2)
    #expect(baton.cancelAll())
    #expect(baton.isCancelled && !baton.isComplete)
    #expect(baton.tally.outstanding == 2)
    baton.finish()
    #expect(log.all.isEmpty)
    baton.finish()
    #expect(log.all == [true])
  }

  @Test func `only the call that cancelled says so`() {
    let baton = Baton()
    baton.pass(count: 2)
    #expect(baton.cancelAll(SomeError(1)))
    #expect(!baton.cancelAll())
    #expect(!baton.cancelAll(SomeError(2)))
    let other = Baton()
    other.pass(count: 2)
    other.cancel()
    #expect(!other.cancelAll())
    for baton in [baton, other] {
      baton.finish()
      if !baton.isComplete { baton.finish() }
    }
  }

  // Behaviour 17.
  @Test func `cancelling after completion changes nothing`() {
    let log = Log<String>()
    let baton = Baton { log.add("completed \($0)") }
    baton.onCancel(log.adder("cancelled"))
    baton.pass()
    baton.finish()
    #expect(!baton.cancelAll(SomeError()))
    #expect(!baton.abandon(SomeError()))
    #expect(!baton.isCancelled && baton.outcomeIfComplete?.isCancelled == false)
    #expect(log.all == ["completed false"])
  }

  @Test func `cancelling a cancelled, complete baton adds no failure`() {
    let baton = Baton()
    baton.pass()
    baton.cancel(SomeError(1))
    #expect(!baton.cancelAll(SomeError(2)))
    #expect(!baton.abandon(SomeError(3)))
    #expect(baton.outcomeIfComplete?.failures.map { $0.error as? SomeError } == [SomeError(1)])
  }

  // Behaviour 13.
  @Test func `the first error stays first, and all are kept in order, each with its path`() {
    let baton = Baton(name: "Query")
    baton.pass(count: 4)
    let pass = baton.makePass("logo.png")
    baton.cancel(SomeError(1))
    baton.finish()
    pass.cancel(SomeError(2))
    baton.cancelAll(SomeError(3))
    baton.cancel()
    baton.cancel(SomeError(4))
    let failures = baton.outcomeIfComplete?.failures ?? []
    #expect(failures.map { $0.error as? SomeError } == (1...4).map(SomeError.init))
    #expect(failures.map(\.path) == [["Query"], ["Query", "logo.png"], ["Query"], ["Query"]])
  }

  // Rule 5: noise.
  @Test func `a CancellationError after a cancellation is not recorded`() {
    let baton = Baton()
    baton.pass(count: 4)
    baton.cancel(SomeError(1))
    baton.cancel(CancellationError())
    baton.cancelAll(CancellationError())
    baton.makePass().cancel(CancellationError())
    baton.cancel(SomeError(2))
    baton.finish()
    #expect(baton.outcomeIfComplete?.failures.map { $0.error as? SomeError } == [SomeError(1), SomeError(2)])
  }

  @Test func `a CancellationError that cancels is recorded`() {
    let baton = Baton()
    baton.pass(count: 2)
    baton.cancel(CancellationError())
    baton.cancel(CancellationError())
    #expect(baton.outcomeIfComplete?.failures.count == 1)
    #expect(baton.outcomeIfComplete?.failures.first?.error is CancellationError)
  }

  // Behaviour 21.
  @Test func `a pass into a cancelled baton is allowed, counted, and says that it is cancelled`() {
    let baton = Baton()
    baton.pass()
    baton.cancelAll()
    baton.pass()
    #expect(baton.tryPass())
    let pass = baton.makePass()
    #expect(baton.tally.outstanding == 4 && pass.isCancelled && baton.isCancelled)
    pass.finish()
    for _ in 0..<3 { baton.finish() }
    #expect(baton.isComplete)
  }

  // Rule 5: recorded, flagged, told, handed back. Behaviour 14.
  @Test func `the error is there before the handlers run, and they run before the pass goes back`() {
    let log = Log<String>()
    let baton = Baton { _ in log.add("completed") }
    let child = baton.makeChild(name: "child")
    child.pass()
    baton.onCancel {
      let errors = baton.core.failuresSoFar.map { "\($0.error)" }
      log.add("told, with \(errors), \(baton.isCancelled), \(child.isCancelled), \(baton.tally.outstanding) out")
      child.finish()
    }
    baton.pass()
    baton.cancel(SomeError(1))
    #expect(log.all == ["told, with [\"error 1\"], true, true, 2 out", "completed"])
    #expect(baton.tally.passed == 2)
  }

  // Behaviour 14, from outside: a cancel handler that ends the baton finds the error in the outcome.
  @Test func `a cancel handler may hand back the last pass`() {
    let log = Log<String>()
    let baton = Baton()
    baton.pass()
    baton.onCompletion { log.add("completed with \($0.failures.map { "\($0.error)" })") }
    baton.onCancel {
      baton.finish()
      log.add("finished")
    }
    #expect(baton.cancelAll(SomeError(1)))
    #expect(log.all == ["completed with [\"error 1\"]", "finished"])
  }

  // MARK: onCancel

  // Behaviour 18.
  @Test func `a cancel handler runs once, and at once when it is late`() {
    let log = Log<String>()
    let baton = Baton()
    baton.pass(count: 3)
    baton.onCancel(log.adder("first"))
    baton.onCancel(log.adder("second"))
    #expect(log.all.isEmpty)
    baton.cancel(SomeError(1))
    #expect(log.all == ["first", "second"])
    baton.onCancel(log.adder("late"))
    #expect(log.all == ["first", "second", "late"])
    baton.cancelAll(SomeError(2))
    baton.cancel()
    baton.finish()
    baton.onCancel(log.adder("after the end"))
    #expect(log.all == ["first", "second", "late", "after the end"])
  }

  @Test func `a cancel handler of a baton that finishes never runs`() {
    let log = Log<String>()
    let baton = Baton()
    baton.pass()
    baton.onCancel(log.adder("before"))
    baton.finish()
    baton.onCancel(log.adder("after"))
    baton.cancelAll()
    #expect(log.all.isEmpty)
  }

  // Rule 7.
  @Test func `cancel handlers may add handlers, cancel again and drop what they hold`() {
    let log = Log<String>()
    let baton = Baton()
    baton.pass()
    baton.onCancel { [capture = OnDeinit { log.add("freed, \(baton.isCancelled)") }] in
      _ = capture
      baton.onCancel(log.adder("from within"))
      log.add("again: \(baton.cancelAll(SomeError(2)))")
    }
    baton.cancelAll(SomeError(1))
    #expect(log.all == ["from within", "again: false", "freed, true"])
    baton.finish()
    #expect(baton.outcomeIfComplete?.failures.count == 2)
  }

  // Behaviour 18, from many sides.
  @Test func `a cancel handler that is added while all is cancelled runs once`() async {
    let failed = await race(rounds: Rounds.few * 2) { _ in
      let baton = Baton()
      baton.pass()
      return (baton: baton, told: Counter(), unflagged: Counter(), cancelled: Counter())
    } _: { round in
      if round.baton.cancelAll() { round.cancelled.add() }
    } _: { round in
      if round.baton.cancelAll() { round.cancelled.add() }
    } _: { round in
      for _ in 0..<4 {
        round.baton.onCancel {
          round.told.add()
          if !round.baton.isCancelled { round.unflagged.add() }
        }
      }
    } check: { round in
      round.baton.finish()
      return round.told.value == 4 && round.unflagged.value == 0 && round.cancelled.value == 1
    }
    #expect(failed == 0)
  }

  // Rule 2: whoever asks is told the truth, even beside the last finish.
  @Test func `cancelling all races the last finish`() async {
    let failed = await race(rounds: Rounds.few * 2) { _ in
      let told = Counter()
      let completed = Log<Bool>()
      let baton = Baton { completed.add($0) }
      baton.onCancel { told.add() }
      baton.pass()
      return (baton: baton, completed: completed, told: told, cancelled: Counter())
    } _: { round in
      round.baton.finish()
    } _: { round in
      if round.baton.cancelAll(SomeError()) { round.cancelled.add() }
    } check: { round in
      let cancelled = round.cancelled.value == 1
      return round.completed.all == [cancelled] && round.told.value == round.cancelled.value
        && round.baton.outcomeIfComplete?.failures.count == round.cancelled.value
    }
    #expect(failed == 0)
  }
}
