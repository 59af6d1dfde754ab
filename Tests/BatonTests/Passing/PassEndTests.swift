// A pass that is forgotten, comes too late, or is made too late.

import Testing

@testable import Baton

@Suite struct PassEndTests {
  let log = EventLog()

  // MARK: Dropped (rule 3, BEHAVIOURS 37)

  @Test func `dropped, it is cancelled with an AbandonedError, and reported once`() {
    let baton = Baton(name: "Query", observer: log)
    let line: UInt = #line + 1
    var pass: Baton.Pass? = baton.makePass("logo.png")
    #expect(!baton.isComplete && pass?.label == "logo.png")
    pass = nil
    #expect(baton.isComplete && baton.isCancelled)
    let failures = baton.outcomeIfComplete?.failures ?? []
    #expect(failures.map { $0.error as? Baton.AbandonedError } == [Baton.AbandonedError(outstanding: 1)])
    #expect(failures.first?.path == ["Query", "logo.png"])
    #expect(failures.first?.location?.description == "\(#fileID):\(line)")
    expectOneMisuse(log, .dropped, label: "logo.png", line: line)
  }

  @Test func `settled before it is dropped, it is nobody's business`() {
    let baton = Baton(observer: log)
    baton.pass()
    baton.makePass().finish()
    baton.makePass().cancel()
    #expect(baton.tally == Baton.Tally(passed: 3, outstanding: 1))
    baton.finish()
    #expect(log.misuses.isEmpty)
  }

  @Test func `it keeps its baton until it is settled`() {
    let completed = Counter()
    var pass: Baton.Pass? = Baton { cancelled in completed.add(cancelled ? 100 : 1) }.makePass()
    #expect(completed.value == 0)
    pass?.finish()
    #expect(completed.value == 1)
    pass = nil
    #expect(completed.value == 1)
  }

  // MARK: Too late: after completion (rule 4)

  @Test func `after completion there is none, and the count stays as it was`() {
    let baton = Baton(observer: log)
    let pass = baton.tryMakePass("in time")
    #expect(pass?.label == "in time" && baton.tally.outstanding == 1)
    pass?.finish()
    #expect(baton.tryMakePass() == nil)
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 0))
    #expect(log.misuses.isEmpty)
  }

  @Test func `asked for by many while the last one comes back, it is in or out`() async {
    let complete = Counter()
    let failed = await race(
      { _ in
        Baton().makePass()
      },
      { last in
        last.finish()
      },
      { last in
        guard let pass = last.baton.tryMakePass() else { return }
        if last.baton.isComplete { complete.add() }
        pass.finish()
      },
      check: { last in
        last.baton.isComplete && last.baton.tally.outstanding == 0
      })
    #expect(failed == 0 && complete.value == 0)
  }

  @Test func `asking for one without a way out traps after completion`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.makePass().finish()
      _ = baton.makePass()
    }
    expect(result, says: "Query", "1 passed", "tryPass()")
  }

  // MARK: Too late: after abandonment (rule 4, BEHAVIOURS 23)

  @Test func `settled after abandonment, it is absorbed and reported once`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    let pass = baton.makePass("logo.png")
    baton.abandon()
    #expect(log.misuses.isEmpty)
    pass.finish()
    expectOneMisuse(log, .late, label: "logo.png", line: line)
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 1))
    #expect(baton.outcomeIfComplete?.failures.count == 1)
  }

  @Test func `cancelled after abandonment, its error is not recorded any more`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    let pass = baton.makePass("logo.png")
    baton.abandon(SomeError(1))
    pass.cancel(SomeError(2))
    expectOneMisuse(log, .late, label: "logo.png", line: line)
    #expect(baton.outcomeIfComplete?.numbers == [1])
  }

  @Test func `settled twice after abandonment, each is reported as what it is`() {
    let baton = Baton(observer: log)
    let pass = baton.makePass()
    baton.abandon()
    pass.finish()
    pass.finish()
    #expect(log.misuses.map(\.kind) == [.late, .settledTwice])
  }

  @Test func `dropped after abandonment, it is reported once`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    var pass: Baton.Pass? = baton.makePass("logo.png")
    baton.abandon()
    #expect(pass != nil)
    pass = nil
    expectOneMisuse(log, .dropped, label: "logo.png", line: line)
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 1))
  }

  @Test func `made after abandonment, it is inert`() {
    let completed = Counter()
    let baton = Baton(observer: log) { _ in completed.add() }
    baton.pass()
    baton.abandon()
    let before = baton.tally
    let fired = Counter()
    for settle in [{ $0.finish() }, { $0.cancel(SomeError()) }, { _ in }] as [(Baton.Pass) -> Void] {
      let pass = baton.makePass()
      #expect(pass.isCancelled)
      pass.onCancel { fired.add() }
      settle(pass)
    }
    #expect(baton.makePass().tryFinish())
    #expect(baton.tryMakePass() == nil)
    #expect(baton.tally == before)
    #expect(fired.value == 3)
    #expect(completed.value == 1)
    #expect(baton.outcomeIfComplete?.failures.count == 1)
    #expect(log.misuses.isEmpty)
  }
}
