// Ending a baton although passes are out. (Cancelling.swift, Completing.swift)

import Testing

@testable import Baton

@Suite struct AbandoningTests {
  static func errors(_ baton: Baton) -> [String] {
    baton.outcomeIfComplete?.failures.map { "\($0.error)" } ?? ["open"]
  }

  // Rule 3, behaviour 23.
  @Test func `abandoning completes at once, and counts what was out`() {
    let log = Log<String>()
    let baton = Baton(name: "B") { log.add("completed \($0)") }
    baton.onCancel(log.adder("cancelled"))
    baton.onCompletion { log.add("heard \($0.failures.count)") }
    baton.pass(count: 5)
    baton.finish()
    #expect(baton.abandon(SomeError(1)))
    #expect(log.all == ["cancelled", "completed true", "heard 2"])
    #expect(Self.errors(baton) == ["error 1", "abandoned with 4 passes out"])
    #expect(baton.outcomeIfComplete?.failures.map(\.path) == [["B"], ["B"]])
    #expect(baton.tally.outstanding == 4 && baton.isCancelled)
    #expect(!baton.abandon(SomeError(2)))
    #expect(log.count == 3)
  }

  @Test func `abandoning what nobody holds has no AbandonedError`() {
    let baton = Baton()
    #expect(baton.abandon())
    #expect(baton.outcomeIfComplete?.isCancelled == true && Self.errors(baton).isEmpty)
    let other = Baton()
    #expect(other.abandon(SomeError(1)))
    #expect(Self.errors(other) == ["error 1"])
  }

  @Test func `abandoning what is cancelled keeps the earlier errors first`() {
    let baton = Baton()
    baton.pass(count: 2)
    baton.cancel(SomeError(1))
    #expect(baton.abandon(SomeError(2)))
    #expect(Self.errors(baton) == ["error 1", "error 2", "abandoned with 1 pass out"])
  }

  // Rule 4.
  @Test func `late passes and callbacks are absorbed, and wrapped handlers still run`() {
    Baton.onMisuse { _ in }
    let log = Log<String>()
    let events = EventLog()
    let baton = Baton(name: "B", observer: events)
    let pass = baton.makePass("early")
    let callback = baton.pass("callback") { (number: Int) in log.add("called with \(number)") }
    baton.abandon()
    let lines = events.lines.count
    pass.finish()
    callback(7)
    #expect(log.all == ["called with 7"])
    let late = baton.pass("late") { (number: Int) in log.add("late \(number)") }
    late(8)
    #expect(log.all == ["called with 7", "late 8"])
    baton.start { _ in log.add("a body") }
    #expect(log.count == 2)
    #expect(baton.tally.passed == 2 && baton.tally.outstanding == 2)
    #expect(events.lines[lines...].contains("B: misused: late"))
    #expect(events.misuses.map(\.kind) == [.late, .late])
  }

  // Rule 4: such a child counts on its own, and nobody hears of it.
  @Test func `a child of an abandoned baton is cancelled from the start`() {
    let log = Log<Bool>()
    let baton = Baton(name: "B")
    baton.pass()
    baton.abandon()
    do {
      let child = baton.makeChild(name: "child") { log.add($0) }
      #expect(child.isCancelled)
      child.pass()
      let told = Counter()
      child.onCancel { told.add() }
      #expect(told.value == 1)
      child.cancel(SomeError(1))
      #expect(child.outcomeIfComplete?.failures.map(\.path) == [["B", "child"]])
    }
    #expect(log.all == [true])
    #expect(baton.tally.passed == 1 && baton.outcomeIfComplete?.failures.count == 1)
  }

  // Rule 4.
  @Test func `a child that comes back late is absorbed`() {
    let baton = Baton()
    let child = baton.makeChild(name: "child")
    child.pass()
    baton.abandon()
    #expect(child.isCancelled && !child.isComplete)
    child.cancel(SomeError(1))
    #expect(child.isComplete && Self.errors(child) == ["error 1"])
    #expect(baton.tally.outstanding == 1 && Self.errors(baton) == ["abandoned with 1 pass out"])
  }

  // Rule 9.
  @Test func `an abandoned baton is let go when its users let it go`() {
    let reference: WeakReference<Baton>
    let child: Baton
    do {
      let baton = Baton()
      reference = WeakReference(baton)
      child = baton.makeChild(name: "child")
      child.pass()
      baton.abandon()
      #expect(!reference.isGone)
    }
    // An open child holds its parent; a complete one doesn't.
    #expect(!reference.isGone)
    child.finish()
    #expect(reference.isGone)
  }

  // The baton was ended by this call, although its last pass came back before it was sealed.
  // Its last child holds the last reference: what was abandoned once is not let go as abandoned again.
  @Test func `an abandoned baton that nobody holds is not complained of when its last child is back`() {
    let events = EventLog()
    let child: Baton
    do {
      let root = Baton(name: "root", observer: events)
      child = root.makeChild(name: "child")
      root.abandon()
    }
    child.withPass {}
    #expect(child.isComplete && events.misuses.isEmpty)
  }

  @Test func `abandoning what its cancellation brings to an end says that it ended it`() {
    let baton = Baton()
    baton.pass()
    baton.onCancel { baton.finish() }
    #expect(baton.abandon(SomeError(1)))
    #expect(Self.errors(baton) == ["error 1"] && baton.tally.outstanding == 0)
  }

  // Rule 7.
  @Test func `a cancel handler may abandon`() {
    let log = Log<String>()
    let baton = Baton { log.add("completed \($0)") }
    baton.onCancel { log.add("abandoned: \(baton.abandon(SomeError(2)))") }
    baton.pass()
    #expect(baton.cancelAll(SomeError(1)))
    #expect(log.all == ["completed true", "abandoned: true"])
    #expect(Self.errors(baton) == ["error 1", "error 2", "abandoned with 1 pass out"])
  }

  @Test func `of two that abandon at once, one ended it`() {
    let other = Counter()
    let baton = Baton()
    baton.pass()
    // Runs between the cancellation and the seal of the other call.
    baton.onCancel { if baton.abandon() { other.add() } }
    #expect(!baton.abandon() && other.value == 1)
  }

  // Rule 2.
  @Test func `abandoning races the last finish, and another`() async {
    let failed = await race(rounds: Rounds.few * 2) { _ in
      let completed = Log<Bool>()
      let baton = Baton { completed.add($0) }
      baton.pass()
      return (baton: baton, completed: completed, ended: Counter())
    } _: { round in
      round.baton.finish()
    } _: { round in
      if round.baton.abandon(SomeError(1)) { round.ended.add() }
    } _: { round in
      if round.baton.abandon() { round.ended.add() }
    } check: { round in
      guard let outcome = round.baton.outcomeIfComplete else { return false }
      let wasOut = outcome.failures.contains { $0.error is Baton.AbandonedError }
      return round.completed.all == [outcome.isCancelled] && round.ended.value == (outcome.isCancelled ? 1 : 0)
        && round.baton.tally.outstanding == (wasOut ? 1 : 0)
    }
    #expect(failed == 0)
  }
}
