// One consistent snapshot of the counts.

import Synchronization
import Testing

@testable import Baton

@Suite struct TallyTests {
  @Test func `what is settled is what was passed and is not out`() {
    let tally = Baton.Tally(passed: 5, outstanding: 2)
    #expect(tally.settled == 3)
    #expect("\(tally)" == "5 passed, 3 settled, 2 out")
    #expect(tally == Baton.Tally(passed: 5, outstanding: 2) && tally != Baton.Tally(passed: 5, outstanding: 3))
  }

  // Behaviour 12.
  @Test func `looking changes nothing`() async {
    let baton = Baton()
    baton.pass(count: 2)
    baton.finish()
    let word = baton.core.current
    for _ in 0..<100 {
      _ = (baton.tally, baton.isCancelled, baton.isComplete, baton.outcomeIfComplete, baton.description)
      _ = await baton.outcome(within: .zero)
    }
    #expect(baton.core.current == word)
    #expect(baton.tally == Baton.Tally(passed: 2, outstanding: 1))
    baton.finish()
    #expect(baton.tally == Baton.Tally(passed: 2, outstanding: 0))
  }

  // Behaviour 11.
  @Test(arguments: [false, true])
  func `each look from another thread is consistent`(isObserved: Bool) async {
    let baton = Baton(observer: isObserved ? EventLog() : nil)
    baton.pass()
    let wrong = Log<Baton.Tally>()
    let done = Counter()
    await onThreads(3) { index in
      if index < 2 {
        for _ in 0..<Rounds.many {
          baton.pass(count: 2)
          baton.finish()
          baton.finish()
        }
        done.add()
      } else {
        var last = baton.tally
        while done.value < 2 {
          let tally = baton.tally
          if tally.passed < last.passed || tally.settled < last.settled || !(1...5 ~= tally.outstanding) {
            wrong.add(tally)
          }
          last = tally
        }
      }
    }
    #expect(wrong.all.isEmpty)
    #expect(baton.tally == Baton.Tally(passed: 1 + Rounds.many * 4, outstanding: 1))
    baton.finish()
  }

  // A fold takes passes out of the word and puts them into the carry: nobody may see them missing, or twice.
  @Test func `each look is consistent while passes are folded`() async {
    let baton = Baton()
    baton.pass()
    let wrong = Log<Baton.Tally>()
    let done = Counter()
    let folds = 40
    await onThreads(3) { index in
      if index < 2 {
        for _ in 0..<folds / 2 * 256 {
          baton.pass(count: 1 << 20)
          // In place of a million settles.
          baton.core.word.wrappingSubtract(1 << 20, ordering: .acquiringAndReleasing)
        }
        done.add()
      } else {
        var last = baton.tally
        while done.value < 2 {
          let tally = baton.tally
          if tally.passed < last.passed || tally.settled < last.settled || !(1...1 << 21 + 1 ~= tally.outstanding) {
            wrong.add(tally)
          }
          last = tally
        }
      }
    }
    #expect(wrong.all.isEmpty)
    #expect(baton.tally == Baton.Tally(passed: 1 + folds << 28, outstanding: 1))
    baton.finish()
    #expect(baton.isComplete)
  }

  // Rule 4: the counts stay as they were.
  @Test func `abandonment freezes the tally`() async {
    let failed = await race { _ -> (baton: Baton, tallies: Log<Baton.Tally>) in
      let baton = Baton()
      baton.pass(count: 100)
      return (baton: baton, tallies: Log<Baton.Tally>())
    } _: { round in
      for _ in 0..<90 { round.baton.finish() }
    } _: { round in
      round.baton.abandon()
      for _ in 0..<20 { round.tallies.add(round.baton.tally) }
    } check: { round in
      let tally = round.baton.tally
      let error = round.baton.outcomeIfComplete?.failures.first?.error as? Baton.AbandonedError
      return Set(round.tallies.all) == [tally] && error?.outstanding == tally.outstanding
    }
    #expect(failed == 0)
  }
}
