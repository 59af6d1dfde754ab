// One outstanding pass, settled once.

import Synchronization
import Testing

@testable import Baton

@Suite struct PassTests {
  let log = EventLog()

  @Test func `counts from its making until it is settled`() {
    let baton = Baton(name: "Query")
    let pass = baton.makePass("logo.png")
    #expect(pass.label == "logo.png" && pass.baton === baton)
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 1))
    pass.finish()
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 0))
    #expect(baton.isComplete && !baton.isCancelled)
  }

  /// Rule 2.
  @Test func `settled by the last of many threads, it completes the baton once`() async {
    let completed = Counter()
    let failed = await race(
      { _ in
        let baton = Baton { _ in completed.add() }
        return [baton.makePass(), baton.makePass()]
      },
      { passes in
        passes[0].finish()
      },
      { passes in
        passes[1].finish()
      },
      check: { passes in
        passes[0].baton.isComplete
      })
    #expect(failed == 0)
    #expect(completed.value == Rounds.few)
  }

  /// Rule 6, as the thread sanitizer sees it: nothing but the baton orders what is written and what is read.
  @Test func `what was done before it was settled is visible to the completion`() async {
    final class Slots: Sendable {
      // Each is written by one thread before it settles, and read by the completion only.
      nonisolated(unsafe) var (first, second, third) = (0, 0, 0)
    }
    let sum = Counter()
    let failed = await race(
      { round -> [@Sendable () -> Void] in
        let slots = Slots()
        let baton = Baton { _ in sum.add(unsafe slots.first + slots.second + slots.third) }
        let (first, second) = (baton.makePass(), baton.makePass())
        let third = baton.pass { unsafe slots.third = 100 }
        return [
          {
            unsafe slots.first = 1
            first.finish()
          },
          {
            unsafe slots.second = 10
            second.cancel()
          },
          third,
        ]
      },
      { $0[0]() }, { $0[1]() }, { $0[2]() },
      check: { _ in true })
    #expect(failed == 0 && sum.value == 111 * Rounds.few)
  }

  // MARK: Twice (section 3; BEHAVIOURS 22, 37)

  @Test func `finish after finish changes nothing and is reported`() {
    let baton = Baton(name: "Query", observer: log)
    baton.pass()
    let line: UInt = #line + 1
    let pass = baton.makePass("logo.png")
    pass.finish()
    pass.finish()
    #expect(baton.tally.outstanding == 1)
    expectOneMisuse(log, .settledTwice, label: "logo.png", line: line)
    #expect(log.misuses.first?.path == ["Query"])
    baton.finish()
    #expect(baton.outcomeIfComplete?.isCancelled == false)
  }

  @Test func `cancel after finish changes nothing and is reported`() {
    let baton = Baton(observer: log)
    baton.pass()
    let line: UInt = #line + 1
    let pass = baton.makePass()
    pass.finish()
    pass.cancel(SomeError())
    #expect(baton.tally.outstanding == 1 && !baton.isCancelled)
    expectOneMisuse(log, .settledTwice, label: nil, line: line)
    baton.finish()
    #expect(baton.outcomeIfComplete?.isCancelled == false)
  }

  @Test func `finish after cancel leaves it cancelled and is reported`() {
    let baton = Baton(observer: log)
    baton.pass()
    let line: UInt = #line + 1
    let pass = baton.makePass("a")
    pass.cancel(SomeError(1))
    pass.finish()
    #expect(baton.tally.outstanding == 1)
    expectOneMisuse(log, .settledTwice, label: "a", line: line)
    baton.finish()
    #expect(baton.outcomeIfComplete?.numbers == [1])
  }

  @Test func `the second of two cancels records no error`() {
    let baton = Baton(observer: log)
    baton.pass()
    let pass = baton.makePass()
    pass.cancel(SomeError(1))
    pass.cancel(SomeError(2))
    baton.finish()
    #expect(log.misuses.count == 1)
    #expect(baton.outcomeIfComplete?.numbers == [1])
  }

  @Test func `in an honest race the first wins, and nothing is reported`() {
    let baton = Baton(observer: log)
    baton.pass()
    let finished = baton.makePass()
    #expect(finished.tryFinish())
    #expect(!finished.tryFinish() && !finished.tryCancel(SomeError(1)) && !baton.isCancelled)
    let cancelled = baton.makePass()
    #expect(cancelled.tryCancel(SomeError(2)))
    #expect(!cancelled.tryCancel(SomeError(3)) && !cancelled.tryFinish())
    #expect(baton.tally == Baton.Tally(passed: 3, outstanding: 1))
    baton.finish()
    #expect(baton.outcomeIfComplete?.numbers == [2])
    #expect(log.misuses.isEmpty)
  }

  @Test func `of two that settle it at the same moment one wins`() async {
    let won = Counter()
    let failed = await race(
      { _ in
        Baton().makePass()
      },
      { pass in
        if pass.tryFinish() { won.add() }
      },
      { pass in
        if pass.tryCancel(SomeError()) { won.add() }
      },
      check: { pass in
        pass.baton.tally == Baton.Tally(passed: 1, outstanding: 0)
      })
    #expect(failed == 0)
    #expect(won.value == Rounds.few)
  }

  // MARK: Cancelling (rule 5)

  @Test func `cancel records the error with label and place, and hands the pass back last`() {
    let baton = Baton(name: "Query", observer: log)
    let line: UInt = #line + 1
    let pass = baton.makePass("logo.png")
    let outstanding = Log<Int>()
    baton.onCancel { [unowned baton] in outstanding.add(baton.isCancelled ? baton.tally.outstanding : -1) }
    pass.cancel(SomeError(7))
    #expect(outstanding.all == [1])
    let failure = baton.outcomeIfComplete?.failures.first
    #expect(failure?.error as? SomeError == SomeError(7))
    #expect(failure?.path == ["Query", "logo.png"])
    #expect(failure?.location?.description == "\(#fileID):\(line)")
    #expect(
      log.lines.map { $0.replacing("Query: ", with: "") }
        == ["made", "passed logo.png", "cancelled error 7", "settled logo.png", "completed, cancelled"])
  }

  @Test func `cancel without an error is a cancellation without failures`() {
    let baton = Baton()
    baton.makePass().cancel()
    #expect(baton.outcomeIfComplete?.isCancelled == true)
    #expect(baton.outcomeIfComplete?.failures.isEmpty == true)
  }

  @Test func `a CancellationError is recorded as the cause, and is noise later`() {
    let baton = Baton()
    let passes = (0..<3).map { baton.makePass("\($0)") }
    passes[0].cancel(CancellationError())
    passes[1].cancel(CancellationError())
    passes[2].cancel(SomeError())
    #expect(baton.outcomeIfComplete?.failures.map(\.path) == [["0"], ["2"]])
  }

  /// BEHAVIOURS 21.
  @Test func `one that is made of a cancelled baton counts, and says so`() {
    let baton = Baton(observer: log)
    let first = baton.makePass()
    #expect(!first.isCancelled)
    first.baton.pass()
    first.cancel(SomeError())
    let late = baton.makePass()
    #expect(late.isCancelled && first.isCancelled)
    #expect(baton.tryMakePass()?.tryFinish() == true)
    #expect(baton.tally == Baton.Tally(passed: 4, outstanding: 2))
    baton.finish()
    #expect(!baton.isComplete)
    late.finish()
    #expect(baton.outcomeIfComplete?.isCancelled == true)
    #expect(log.misuses.isEmpty)
  }

  /// BEHAVIOURS 28.
  @Test func `nobody complains about those who come back after a failure`() {
    let baton = Baton(observer: log)
    let passes = (0..<4).map { baton.makePass("\($0)") }
    passes[0].cancel(SomeError(0))
    passes[1].finish()
    passes[2].cancel(SomeError(2))
    passes[3].cancel(CancellationError())
    #expect(baton.outcomeIfComplete?.numbers == [0, 2])
    #expect(log.misuses.isEmpty)
  }
}
