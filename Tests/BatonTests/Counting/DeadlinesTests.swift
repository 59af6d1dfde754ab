// Cancelling and abandoning after a time.

import Synchronization
import Testing

@testable import Baton

@Suite struct DeadlinesTests {
  static func errors(_ baton: Baton) -> [String] {
    baton.outcomeIfComplete?.failures.map { "\($0.error)" } ?? ["open"]
  }

  @Test func `cancels at its deadline, not before, with a TimeoutError`() async {
    let clock = ManualClock()
    let baton = Baton(name: "B")
    baton.pass()
    await confirmation { cancelled in
      baton.onCancel { cancelled() }
      baton.cancelAll(after: .seconds(5), clock: clock)
      await clock.sleepers(1)
      clock.advance(by: .seconds(4))
      #expect(clock.asleep == 1 && !baton.isCancelled)
      clock.advance(by: .seconds(1))
      await until { baton.isCancelled }
    }
    #expect(!baton.isComplete && baton.tally.outstanding == 1)
    baton.finish()
    let failures = baton.outcomeIfComplete?.failures ?? []
    #expect(failures.map { $0.error as? Baton.TimeoutError } == [.init(limit: .seconds(5))])
    #expect(failures.map(\.path) == [["B"]])
  }

  // Rule 3, behaviour 23.
  @Test func `abandons at its deadline, not before, with a TimeoutError`() async {
    let clock = ManualClock()
    let baton = Baton()
    baton.pass(count: 3)
    baton.abandon(after: .seconds(5), clock: clock)
    await clock.sleepers(1)
    clock.advance(by: .seconds(4))
    #expect(clock.asleep == 1 && !baton.isComplete && !baton.isCancelled)
    clock.advance(by: .seconds(1))
    #expect(await baton.outcome.isCancelled)
    #expect(Self.errors(baton) == ["timed out after 5.0 seconds", "abandoned with 3 passes out"])
    baton.finish()
    #expect(baton.tally.outstanding == 3)
  }

  @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 1, 3]])
  func `the earliest of several deadlines wins`(seconds: [Int]) async {
    let clock = ManualClock()
    let baton = Baton()
    baton.pass()
    for limit in seconds { baton.abandon(after: .seconds(limit), clock: clock) }
    await clock.sleepers(3)
    clock.advance(by: .seconds(1))
    #expect(await baton.outcome.failures.first?.error as? Baton.TimeoutError == .init(limit: .seconds(1)))
    #expect(Self.errors(baton).count == 2)
    // The others end with the baton.
    await clock.sleepers(0)
  }

  @Test func `a deadline to cancel that finds the baton cancelled adds nothing`() async {
    let baton = Baton()
    baton.pass()
    for seconds in 1...2 {
      var timer: WeakReference<ManualClock>?
      do {
        let clock = ManualClock()
        timer = WeakReference(clock)
        baton.cancelAll(after: .seconds(seconds), clock: clock)
        await clock.sleepers(1)
        clock.advance(by: .seconds(seconds))
      }
      // A timer that has done its work lets its clock go.
      await until { timer?.isGone == true }
    }
    #expect(baton.isCancelled)
    baton.finish()
    #expect(Self.errors(baton) == ["timed out after 1.0 seconds"])
  }

  @Test func `a limit of zero or less cancels, and abandons, as soon as may be`() async {
    let baton = Baton()
    baton.pass()
    baton.cancelAll(after: .zero, clock: ManualClock())
    await until { baton.isCancelled }
    baton.abandon(after: .seconds(-1), clock: ManualClock())
    #expect(await baton.outcome.isCancelled)
  }

  // Behaviour 23.
  @Test(arguments: ["finish", "abandon", "let go"])
  func `the timer dies with the baton`(ending: String) async {
    let clock = ManualClock()
    do {
      let baton = Baton()
      baton.cancelAll(after: .seconds(5), clock: clock)
      baton.abandon(after: .seconds(6), clock: clock)
      await clock.sleepers(2)
      switch ending {
      case "finish": baton.withPass {}
      case "abandon": baton.abandon()
      default: break
      }
    }
    await clock.sleepers(0)
  }

  // Behaviour 23.
  @Test func `a timer doesn't keep its baton alive`() async {
    let clock = ManualClock()
    let ended = Log<Bool>()
    let reference: WeakReference<Baton>
    do {
      let baton = Baton { ended.add($0) }
      reference = WeakReference(baton)
      baton.abandon(after: .seconds(5), clock: clock)
      await clock.sleepers(1)
    }
    // Nobody passed it, nobody holds it: it has ended as finished.
    #expect(reference.isGone && ended.all == [false])
    await clock.sleepers(0)
  }

  // Rule 9.
  @Test func `a complete baton starts no timer`() async {
    let clock = ManualClock()
    let baton = Baton()
    baton.withPass {}
    baton.cancelAll(after: .seconds(1), clock: clock)
    baton.abandon(after: .zero, clock: clock)
    clock.advance(by: .seconds(2))
    #expect(clock.asleep == 0 && baton.outcomeIfComplete?.isCancelled == false)
  }

  // Rule 9. The user's clock runs between the look at the baton and the timer's taking in.
  @Test func `a baton that ends while its deadline is set forgets the timer`() async {
    struct EndingClock: Clock {
      let clock: ManualClock
      let baton: Baton
      var minimumResolution: Duration { .zero }
      var now: ManualClock.Instant {
        baton.finish()
        return clock.now
      }
      func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline, tolerance: tolerance)
      }
    }
    let clock = ManualClock()
    let baton = Baton()
    baton.pass()
    baton.cancelAll(after: .seconds(1), clock: EndingClock(clock: clock, baton: baton))
    await until { clock.sleeps == 1 }
    await clock.sleepers(0)
    #expect(baton.isComplete)
  }

  // Rule 7: a clock is the user's, and what it does when its sleeper is cancelled runs on the settling thread.
  @Test func `a clock may use the baton when its timer is cancelled`() async {
    struct UserClock: Clock {
      let base: ManualClock
      let baton: WeakReference<Baton>
      let log: Log<String>
      var now: ManualClock.Instant { base.now }
      var minimumResolution: Duration { .zero }
      func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await withTaskCancellationHandler {
          try await base.sleep(until: deadline, tolerance: tolerance)
        } onCancel: {
          log.add(baton.target?.description ?? "gone")
        }
      }
    }
    let clock = ManualClock()
    let log = Log<String>()
    let baton = Baton()
    baton.pass()
    baton.cancelAll(after: .seconds(1), clock: UserClock(base: clock, baton: WeakReference(baton), log: log))
    await clock.sleepers(1)
    baton.finish()
    #expect(log.all == ["Baton: 1 passed, 1 settled, 0 out, complete, finished"])
  }

  // A timer that comes to an end beside its baton changes nothing.
  @Test func `a deadline races the last finish`() async {
    for _ in 0..<Rounds.few / 5 {
      let clock = ManualClock()
      let completed = Log<Bool>()
      let baton = Baton { completed.add($0) }
      baton.pass()
      baton.cancelAll(after: .seconds(1), clock: clock)
      baton.abandon(after: .seconds(1), clock: clock)
      await clock.sleepers(2)
      await onThreads(2) { index in
        if index == 0 { clock.advance(by: .seconds(1)) } else { baton.finish() }
      }
      let outcome = await baton.outcome
      #expect(completed.all == [outcome.isCancelled])
      #expect(baton.outcomeIfComplete?.isCancelled == outcome.isCancelled)
      await clock.sleepers(0)
    }
  }

  // Behaviour 23: a timer that is set beside the end is forgotten too.
  @Test func `setting a deadline races the end`() async {
    let clock = ManualClock()
    let failed = await race { _ -> Baton in
      let baton = Baton()
      baton.pass()
      return baton
    } _: { baton in
      baton.finish()
    } _: { baton in
      baton.abandon(after: .seconds(1), clock: clock)
    } check: { baton in
      baton.isComplete
    }
    #expect(failed == 0)
    await clock.sleepers(0)
  }

  // No clock's arithmetic is asked for what it can't do.
  @Test func `no time is too long`() async {
    let forEver = Duration.seconds(Int64.max)
    let baton = Baton()
    baton.pass()
    baton.cancelAll(after: forEver)
    baton.abandon(after: forEver, clock: SuspendingClock())
    let waiter = Task { await baton.outcome(within: forEver) }
    await until { baton.core.lifecycle.withLock { $0.waiting.waiters } == 1 }
    baton.finish()
    #expect(await waiter.value?.isCancelled == false)
  }

  @Test func `the default clock is the continuous one`() async {
    let baton = Baton()
    baton.pass()
    let begin = ContinuousClock.now
    baton.abandon(after: .milliseconds(20))
    #expect(await baton.outcome.isCancelled)
    #expect(ContinuousClock.now - begin >= .milliseconds(20))
    let open = Baton()
    open.pass()
    #expect(await open.outcome(within: .milliseconds(1)) == nil)
    open.finish()
  }
}
