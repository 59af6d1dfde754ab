// Waiting for a baton: with await, with a limit, and blocking.

import Dispatch
import Testing

@testable import Baton

@Suite struct WaitingTests {
  // Behaviour 3.
  @Test func `all waiters wake, async and blocking, and none is early`() async {
    let baton = Baton()
    baton.pass(count: 2)
    let (woken, early) = (Counter(), Counter())
    @Sendable func wake(_ outcome: Baton.Outcome?) {
      woken.add()
      if outcome?.failures.count != 1 { early.add() }
    }
    await withTaskGroup { group in
      for _ in 0..<10 {
        group.addTask { wake(await baton.outcome) }
        group.addTask { wake(await baton.outcome(within: .seconds(3_600))) }
      }
      group.addTask { await onThreads(4) { _ in wake(baton.wait()) } }
      group.addTask { await onThreads(4) { _ in wake(baton.wait(timeout: .seconds(3_600))) } }
      await until { baton.waiterCount == 28 }
      baton.cancel(SomeError(1))
      #expect(woken.value == 0)
      baton.finish()
    }
    #expect(woken.value == 28 && early.value == 0)
  }

  // Rule 2, and after completion nothing waits.
  @Test func `a complete baton makes nobody wait`() async {
    let baton = Baton()
    baton.pass()
    baton.cancel(SomeError(1))
    #expect(await baton.outcome.failures.count == 1)
    #expect(await baton.outcome(within: .zero)?.failures.count == 1)
    #expect(await baton.outcome(within: .seconds(-1), clock: ManualClock())?.failures.count == 1)
    #expect(await baton.outcome(within: .seconds(1), clock: ManualClock())?.failures.count == 1)
    let outcomes = await onThread { [baton.wait(), baton.wait(timeout: .zero), baton.wait(timeout: .seconds(1))] }
    #expect(outcomes.map { $0?.failures.count } == [1, 1, 1])
  }

  @Test func `an open baton has no outcome yet`() {
    let baton = Baton()
    #expect(baton.outcomeIfComplete == nil && !baton.isComplete)
    baton.pass()
    #expect(baton.outcomeIfComplete == nil)
    baton.cancelAll()
    #expect(baton.outcomeIfComplete == nil && !baton.isComplete)
    baton.finish()
    #expect(baton.outcomeIfComplete?.isCancelled == true && baton.isComplete)
  }

  // Rule 2: who waits is woken last, also who comes late.
  @Test func `a waiter that comes while the completion runs waits for it, and for the handlers`() async {
    let log = Log<String>()
    let (running, goOn) = (Gate(), Gate())
    let baton = Baton { _ in
      running.open()
      goOn.block()
      log.add("completion")
    }
    baton.onCompletion { _ in log.add("handler") }
    baton.pass()
    async let finished: Void = onThread { baton.finish() }
    await running.wait()
    #expect(baton.isComplete && baton.outcomeIfComplete != nil)
    // Whoever doesn't want to wait needn't.
    #expect(await baton.outcome(within: .zero) != nil)
    async let first = onThread { baton.wait().isCancelled == false && log.count == 2 }
    async let second = onThread { baton.wait(timeout: patience) != nil && log.count == 2 }
    async let third = (baton.outcome, log.count)
    async let fourth = (baton.ending, log.count)
    await until { baton.waiterCount == 4 }
    #expect(log.all.isEmpty)
    goOn.open()
    let waited = await (first, second, third.1, fourth.1)
    #expect(waited == (true, true, 2, 2))
    await finished
    #expect(log.all == ["completion", "handler"])
  }

  // A loop around passing might be empty; nobody has to know when waiting begins.
  @Test func `waiting for a baton that nobody has passed waits until somebody does`() async {
    let baton = Baton()
    async let outcome = baton.outcome
    await until { baton.waiterCount == 1 }
    baton.pass()
    baton.finish()
    #expect(await !outcome.isCancelled)
  }

  // MARK: With a limit

  // Behaviour 2.
  @Test func `a wait with a limit ends at its limit, not before, and the baton is not changed`() async {
    let clock = ManualClock()
    let baton = Baton()
    baton.pass()
    let tally = baton.tally
    let ended = Counter()
    let wait = Task {
      defer { ended.add() }
      return await baton.outcome(within: .seconds(10), clock: clock)
    }
    await clock.sleepers(1)
    #expect(baton.waiterCount == 1)
    clock.advance(by: .seconds(9))
    #expect(clock.asleep == 1 && ended.value == 0)
    clock.advance(by: .seconds(1))
    #expect(await wait.value == nil)
    #expect(baton.tally == tally && !baton.isCancelled && !baton.isComplete)
    #expect(baton.waiterCount == 0)
    // A later wait can still succeed.
    let second = Task { await baton.outcome(within: .seconds(10), clock: clock) }
    await clock.sleepers(1)
    baton.finish()
    #expect(await second.value?.isCancelled == false)
    // And its timer is gone.
    await clock.sleepers(0)
  }

  // Behaviour 2.
  @Test func `a zero wait answers at once`() async {
    let clock = ManualClock()
    let baton = Baton()
    baton.pass()
    #expect(await baton.outcome(within: .zero, clock: clock) == nil)
    #expect(await baton.outcome(within: .seconds(-5), clock: clock) == nil)
    #expect(await onThread { baton.wait(timeout: .zero) == nil && baton.wait(timeout: .seconds(-5)) == nil })
    #expect(clock.sleeps == 0 && baton.waiterCount == 0)
    baton.finish()
  }

  // Behaviour 2: Dispatch measures this one, so that it is the elapsed time that is looked at.
  @Test func `a blocking wait with a limit ends at its limit, not before`() async {
    let baton = Baton()
    baton.pass()
    let (outcome, elapsed) = await onThread {
      let begin = ContinuousClock.now
      return (baton.wait(timeout: .milliseconds(20)), ContinuousClock.now - begin)
    }
    #expect(outcome == nil && elapsed >= .milliseconds(20))
    #expect(baton.waiterCount == 0)
    async let later = onThread { baton.wait(timeout: .seconds(3_600)) }
    await until { baton.waiterCount == 1 }
    baton.finish()
    #expect(await later?.isCancelled == false)
  }

  @Test func `a very long limit is as good as none`() async {
    let baton = Baton()
    baton.pass()
    async let first = onThread { baton.wait(timeout: .seconds(Int64.max)) }
    async let second = baton.outcome(within: .seconds(Int64.max), clock: ManualClock())
    await until { baton.waiterCount == 2 }
    baton.finish()
    #expect(await first?.isCancelled == false)
    #expect(await second?.isCancelled == false)
  }

  @Test func `a limit is rounded up for Dispatch, never down`() {
    #expect(Duration.nanoseconds(5).dispatchInterval == .nanoseconds(5))
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).dispatchInterval == .nanoseconds(1))
    #expect(
      Duration(secondsComponent: 2, attosecondsComponent: 1_000_000_001).dispatchInterval == .nanoseconds(2_000_000_002)
    )
    #expect(Duration.seconds(Int64.max).dispatchInterval == .nanoseconds(3_155_760_000_000_000_000))
    #expect(Duration.seconds(3_155_759_999).dispatchInterval == .nanoseconds(3_155_759_999_000_000_000))
  }

  // MARK: The waiting task's cancellation

  // Behaviour 3.
  @Test func `a cancelled task's wait ends, and leaves the others and the baton alone`() async {
    let clock = ManualClock()
    let baton = Baton()
    baton.pass()
    let tally = baton.tally
    let cancelled = Task { await baton.outcome(within: .seconds(10), clock: clock) }
    let other = Task { await baton.outcome(within: .seconds(10), clock: clock) }
    let patient = Task { await baton.outcome }
    await clock.sleepers(2)
    await until { baton.waiterCount == 3 }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    await clock.sleepers(1)
    // An unlimited wait is not ended by the task's cancellation.
    patient.cancel()
    #expect(baton.waiterCount == 2)
    #expect(baton.tally == tally && !baton.isCancelled)
    baton.finish()
    #expect(await other.value?.isCancelled == false)
    #expect(await patient.value.isCancelled == false)
  }

  @Test func `a task that was cancelled before doesn't wait, but gets the outcome of a complete baton`() async {
    let clock = ManualClock()
    let baton = Baton()
    baton.pass()
    let (open, complete) = await Task {
      cancelThisTask()
      let open = await baton.outcome(within: .seconds(10), clock: clock)
      baton.finish()
      return (open, await baton.outcome(within: .seconds(10), clock: clock))
    }.value
    #expect(open == nil && complete?.isCancelled == false)
  }

  // Behaviours 3 and 12. A waiter that is resumed twice is fatal, one that is forgotten hangs.
  @Test func `limits, cancellations and the end race each other`() async {
    for round in 0..<Rounds.few / 5 {
      let clock = ManualClock()
      let baton = Baton()
      baton.pass()
      let waits = (0..<6).map { number in
        Task { await baton.outcome(within: .seconds(number % 2 + 1), clock: clock) }
      }
      if round % 2 == 0 { await clock.sleepers(6) }
      await onThreads(3) { index in
        switch index {
        case 0: baton.finish()
        case 1: for wait in waits[..<3] { wait.cancel() }
        default: clock.advance(by: .seconds(1))
        }
      }
      for wait in waits { #expect(await wait.value?.isCancelled != true) }
      #expect(baton.isComplete && baton.tally.passed == 1 && baton.waiterCount == 0)
      await clock.sleepers(0)
    }
  }

  @Test func `a blocking wait's limit races the end`() async {
    let failed = await race(rounds: Rounds.few / 2) { _ -> (baton: Baton, outcomes: Log<Bool?>) in
      let baton = Baton()
      baton.pass()
      return (baton: baton, outcomes: Log<Bool?>())
    } _: { round in
      round.outcomes.add(round.baton.wait(timeout: .microseconds(1))?.isCancelled)
    } _: { round in
      round.outcomes.add(round.baton.wait(timeout: .seconds(3_600))?.isCancelled)
    } _: { round in
      round.baton.finish()
    } check: { round in
      round.outcomes.all.contains(false) && !round.outcomes.all.contains(true) && round.baton.waiterCount == 0
    }
    #expect(failed == 0)
  }

  // Rule 7: what a waiting task holds may be freed by its being woken.
  @Test func `a waiting task's captures may use the baton when they are freed`() async {
    let log = Log<String>()
    let baton = Baton()
    baton.pass()
    let waits = (0..<2).map { number in
      Task { [capture = OnDeinit { log.add(baton.debugDescription) }] in
        if number == 0 { _ = await baton.outcome } else { _ = await baton.outcome(within: patience) }
        _ = capture
      }
    }
    await until { baton.waiterCount == 2 }
    baton.finish()
    for wait in waits { await wait.value }
    await until { log.count == 2 }
    #expect(Set(log.all) == ["Baton: 1 passed, 1 settled, 0 out, complete, finished"])
  }

  // Rule 9.
  @Test func `a waiter that is let go keeps nothing`() async {
    let reference: WeakReference<Baton>
    let clock = ManualClock()
    do {
      let baton = Baton()
      reference = WeakReference(baton)
      baton.pass()
      let wait = Task { await baton.outcome(within: .seconds(1), clock: clock) }
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      #expect(await wait.value == nil)
      baton.finish()
    }
    await until { reference.isGone }
  }
}
