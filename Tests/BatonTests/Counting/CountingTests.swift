// What passing and settling do when it is not just the one atomic operation.

import Foundation
import Synchronization
import Testing

@testable import Baton

@Suite struct CountingTests {
  // MARK: Very many

  @Test func `more passes at once than one fold takes are counted`() {
    let baton = Baton()
    baton.pass(count: 3)
    baton.pass(count: 300_000_000)
    baton.pass()
    #expect(baton.tally.passed == 300_000_004 && baton.tally.outstanding == 300_000_004)
    baton.finish()
    #expect(baton.tally.settled == 1)
    baton.abandon()
    #expect(baton.tally.passed == 300_000_004 && baton.tally.outstanding == 300_000_003)
  }

  @Test func `as many passes as can be out are no trap`() {
    let baton = Baton()
    baton.pass(count: BatonWord.maximumOutstanding - 2)
    baton.pass(count: 1)
    baton.pass()
    #expect(baton.tally.outstanding == BatonWord.maximumOutstanding)
    baton.finish()
    #expect(baton.tryPass())
    #expect(baton.tally.outstanding == BatonWord.maximumOutstanding)
    baton.abandon()
  }

  @Test(arguments: [false, true])
  func `the number ever passed is right beyond what the word holds`(isObserved: Bool) {
    let baton = Baton(observer: isObserved ? EventLog() : nil)
    var passed = 0
    func pass(_ count: Int, _ body: () -> Void) {
      body()
      passed += count
      let tally = baton.tally
      #expect(tally.passed == passed && tally.outstanding == passed)
    }
    // To the last number below the guard, then over it in each of the ways there are.
    for _ in 0..<255 { pass(1 << 20) { baton.pass(count: 1 << 20) } }
    pass(1 << 20 - 1) { baton.pass(count: 1 << 20 - 1) }
    pass(1) { baton.pass() }
    pass(1) { baton.pass() }
    pass(1) { #expect(baton.tryPass()) }
    pass(5) { baton.pass(count: 5) }
    baton.finish()
    #expect(baton.tally.passed == passed && baton.tally.settled == 1)
    baton.abandon()
    #expect(baton.tally.passed == passed && baton.tally.settled == 1)
  }

  @Test(arguments: 0..<5)
  func `whoever sees the guard folds`(way: Int) {
    let baton = Baton()
    for _ in 0..<256 { baton.pass(count: 1 << 20) }
    #expect(baton.core.current.bits & BatonWord.passedGuard != 0)
    var settled = 0
    switch way {
    case 0: baton.pass()
    case 1: #expect(baton.tryPass())
    case 2: baton.pass(count: 1)
    case 3:
      _ = baton.makeChild()
      settled = 1
    default:
      baton.makePass().finish()
      settled = 1
    }
    #expect(baton.core.current.passed == 1)
    #expect(baton.tally.passed == 1 << 28 + 1 && baton.tally.settled == settled)
    baton.abandon()
    #expect(baton.tally.passed == 1 << 28 + 1)
  }

  // The guard lies 2²⁸ passes before the end of the word: one call must not go beyond both.
  @Test func `a very large pass just below the guard is counted`() {
    let baton = Baton()
    for _ in 0..<255 { baton.pass(count: 1 << 20) }
    baton.pass(count: 1 << 20 - 1)
    // In place of as many settles.
    baton.core.word.wrappingSubtract(1 << 28 - 1, ordering: .relaxed)
    baton.pass(count: BatonWord.maximumOutstanding)
    #expect(baton.tally.passed == 1 << 28 - 1 + BatonWord.maximumOutstanding)
    #expect(baton.tally.outstanding == BatonWord.maximumOutstanding)
    baton.abandon()
  }

  // Several passes may see the guard before the first of them folds.
  @Test func `only one of those who see the guard folds`() async {
    let baton = Baton()
    for _ in 0..<256 { baton.pass(count: 1 << 20) }
    let rendezvous = Rendezvous(4)
    await onThreads(4) { index in
      if index < 3 {
        rendezvous.meet()
        return baton.pass()
      }
      baton.core.lifecycle.withLock { _ in
        rendezvous.meet()
        // All of them see the guard, and wait for this lock.
        while baton.core.current.passed < 1 << 28 + 3 { sched_yield() }
      }
    }
    #expect(baton.tally.passed == 1 << 28 + 3 && baton.core.current.passed == 3)
    baton.abandon()
  }

  // MARK: After abandonment

  // Rule 4, behaviour 23.
  @Test(arguments: [false, true])
  func `all that comes after abandonment is absorbed`(isObserved: Bool) {
    let completed = Counter()
    let events = EventLog()
    let baton = Baton(observer: isObserved ? events : nil) { _ in completed.add() }
    baton.pass(count: 3)
    baton.finish()
    #expect(baton.abandon())
    let passes = events.lines.filter { $0.contains("passed") || $0.contains("settled") }
    let (tally, word) = (baton.tally, baton.core.current)
    #expect(tally.passed == 3 && tally.outstanding == 2)
    for _ in 0..<5 {
      baton.finish()
      baton.cancel()
      baton.cancel(SomeError())
      baton.pass()
      baton.pass(count: 2)
      baton.pass(count: 2_000_000)
      #expect(!baton.tryPass())
      #expect(baton.tryMakePass() == nil)
      baton.makePass().finish()
      _ = baton.makeChild()
    }
    #expect(baton.tally == tally && completed.value == 1)
    #expect(baton.core.current == word)
    #expect(baton.outcomeIfComplete?.failures.count == 1)
    // And nobody is told of it.
    #expect(events.lines.filter { $0.contains("passed") || $0.contains("settled") } == passes)
  }

  // Rule 4: what is undone a moment later must not be taken for something else meanwhile.
  @Test func `what comes late from many threads at once is absorbed`() async {
    let baton = Baton()
    baton.pass(count: 10)
    baton.abandon()
    let (tally, word) = (baton.tally, baton.core.current)
    await onThreads(4) { index in
      for _ in 0..<Rounds.many {
        if index < 2 { baton.pass() } else { baton.finish() }
        if index == 0 { baton.pass(count: 100) }
        if index == 3 { baton.pass(count: 3_000_000) }
      }
    }
    #expect(baton.tally == tally)
    #expect(baton.core.current == word)
  }

  // MARK: Races

  // Rules 2 and 4, behaviour 6: in and awaited, or out and told so.
  @Test(arguments: [false, true])
  func `many threads that try to join race the last finish`(isObserved: Bool) async {
    struct Round: Sendable {
      let baton: Baton
      let completed = Counter()
      let joined = Counter()
      let late = Counter()
      init(isObserved: Bool) {
        baton = Baton(observer: isObserved ? EventLog() : nil) { [completed] _ in completed.add() }
        baton.pass()
      }
      @Sendable static func join(_ round: Round) {
        guard round.baton.tryPass() else { return }
        round.joined.add()
        if round.completed.value != 0 { round.late.add() }
        round.baton.finish()
      }
    }
    let failed = await race { _ in
      Round(isObserved: isObserved)
    } _: { round in
      round.baton.finish()
    } _: { round in
      for _ in 0..<3 { Round.join(round) }
    } _: { round in
      for _ in 0..<3 { Round.join(round) }
    } check: { round in
      round.completed.value == 1 && round.late.value == 0 && round.baton.isComplete
        && round.baton.tally.passed == 1 + round.joined.value && round.baton.tally.outstanding == 0
    }
    #expect(failed == 0)
  }

  // Behaviour 6, all hundred of them.
  @Test func `a hundred threads that try to join are in or out`() async {
    let completed = Counter()
    let (joined, late) = (Counter(), Counter())
    let baton = Baton { _ in completed.add() }
    baton.pass()
    let rendezvous = Rendezvous(100)
    await onThreads(100) { index in
      rendezvous.meet()
      if index == 50 { return baton.finish() }
      for _ in 0..<20 where baton.tryPass() {
        joined.add()
        late.add(completed.value)
        baton.finish()
      }
    }
    #expect(completed.value == 1 && late.value == 0)
    #expect(baton.tally.passed == 1 + joined.value && baton.tally.outstanding == 0)
  }

  // Rule 2: between the subtraction that saw zero and the seal, another pass may come and go.
  @Test func `two finishers that both see zero complete once`() async {
    let failed = await race { _ in
      let completed = Counter()
      let baton = Baton { _ in completed.add() }
      baton.pass()
      return (baton: baton, completed: completed, after: Counter())
    } _: { round in
      round.baton.finish()
    } _: { round in
      for _ in 0..<5 where round.baton.tryPass() {
        round.after.add(round.completed.value)
        round.baton.finish()
      }
    } check: { round in
      round.completed.value == 1 && round.after.value == 0 && round.baton.tally.outstanding == 0
    }
    #expect(failed == 0)
  }

  // The same, one step after the other: whoever comes second finds the seal, or a count that is not zero.
  @Test func `a zero that is no longer zero is not sealed, and a second seal is none`() {
    let completed = Counter()
    let baton = Baton { _ in completed.add() }
    baton.pass()
    let first = baton.core.subtractOne()
    #expect(baton.tryPass())
    // The first finisher goes on: it saw zero, but there is a pass out again.
    let sealsEarly = baton.core.finishSettling(first) != nil
    #expect(!sealsEarly)
    let second = baton.core.subtractOne()
    // Both saw zero now.
    baton.core.finishSettling(second)?.complete(baton.core)
    #expect(completed.value == 1)
    let sealsAgain = baton.core.finishSettling(first) != nil
    #expect(!sealsAgain && completed.value == 1)
  }

  // A pass that is let in by its old value but lands on a tripwire a moment later must be undone exactly.
  @Test(arguments: [1, 7, 1 << 20, 3_000_000])
  func `passing races abandonment`(count: Int) async {
    let failed = await race(rounds: Rounds.few / 2) { _ -> Baton in
      let baton = Baton()
      baton.pass(count: 2)
      return baton
    } _: { baton in
      for _ in 0..<4 { baton.pass(count: count) }
      baton.finish()
    } _: { baton in
      baton.abandon()
    } check: { baton in
      // Whatever counted before the end is in the tally, and the word counts nothing any more.
      let (tally, word) = (baton.tally, baton.core.current)
      let isWhole = (tally.passed - 2) % count == 0 && (0...1).contains(tally.settled)
      return isWhole && word.outstanding == Int(BatonWord.tripwire) && word.passed == 0
    }
    #expect(failed == 0)
  }
}
