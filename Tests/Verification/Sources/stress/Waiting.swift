// Races about those who wait: threads and tasks, with limits, deadlines and tasks that are cancelled.

import Baton
import Dispatch
import Foundation
import Synchronization

extension Scenario {
  static let waiting = [
    // Blocked threads wake, and see what the runner did and what the completion did.
    Scenario("wait", threads: 3, share: 2) { random in
      let record = Record(&random)
      let baton = record.baton()
      let limit = random.oneIn(2) ? Duration.seconds(600) : .nanoseconds(1 + random.below(20_000))
      baton.pass()
      return Race { thread in
        switch thread {
        case 0:
          record.mark(0)
          baton.finish()
        case 1: woken(by: baton.wait(), record)
        default:
          let outcome = baton.wait(timeout: limit)
          if outcome != nil, !record.isMarked(0) { record.add(fault: "woken before the work was done") }
          if limit == .seconds(600) { woken(by: outcome, record) }
        }
      } judge: { verdict in
        verdict.said(record, cancelled: false, sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: false)
      }
    },

    // A task that waits is woken once; its cancellation changes nothing.
    Scenario("outcome", threads: 2, share: 2) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      let task = Waiting(&random) { resumed(by: await baton.outcome, of: baton, record) }
      return Race { thread in
        task.approach(thread)
        guard thread == 0 else { return task.cancel() }
        record.mark(0)
        baton.finish()
      } judge: { verdict in
        task.judge(&verdict)
        verdict.said(record, cancelled: false, sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: false)
      }
    },

    // A task that waits with a limit is woken once: by the outcome, the limit or its cancellation. The baton is untouched.
    Scenario("outcome(within:)", threads: 2, share: 2) { random in
      let record = Record(&random)
      let baton = record.baton()
      let (clock, isCancelled) = (StillClock(isOver: random.oneIn(3)), random.oneIn(2))
      baton.pass()
      let task = Waiting(&random) {
        let outcome = await baton.outcome(within: .seconds(1), clock: clock)
        if outcome != nil || !clock.isOver && !isCancelled { resumed(by: outcome, of: baton, record) }
      }
      return Race { thread in
        task.approach(thread)
        guard thread == 0 else { return isCancelled ? task.cancel() : () }
        record.mark(0)
        baton.finish()
      } judge: { verdict in
        task.judge(&verdict)
        verdict.said(record, cancelled: false, sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: false)
      }
    },

    // A deadline that is over at once, and one that never is.
    Scenario("cancelAll(after:)", threads: 2, share: 1) { random in
      let record = Record(&random)
      let baton = record.baton()
      let clock = StillClock(isOver: random.oneIn(2))
      baton.pass()
      return Race { thread in
        if thread == 0 {
          record.mark(0)
          baton.finish()
        } else {
          baton.cancelAll(after: .seconds(1), clock: clock)
        }
      } judge: { verdict in
        let outcome = baton.outcomeIfComplete
        let timeouts = outcome?.failures.count { $0.error is Baton.TimeoutError } ?? 0
        verdict.said(record, cancelled: outcome?.isCancelled == true, sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: timeouts == 1, failures: timeouts)
        verdict.expect(timeouts == 0 || clock.isOver, "too early")
      }
    },
  ]

  /// A task was woken.
  ///
  /// Swift's runtime orders what is before a continuation's `resume` and after its `await`, but it isn't built for the
  /// sanitizer, which doesn't see that order where the `resume` comes before the task has suspended. So the task takes the
  /// baton's lock once more: what tasks see is checked by value only; what threads see, in "wait", by the sanitizer too.
  private static func resumed(by outcome: Baton.Outcome?, of baton: Baton, _ record: Record) {
    _ = baton.tally
    woken(by: outcome, record)
  }

  private static func woken(by outcome: Baton.Outcome?, _ record: Record) {
    guard case .finished = outcome else { return record.add(fault: "who waited got \(String(describing: outcome))") }
    if !record.isMarked(0) || !record.hasEnded { record.add(fault: "woken before the completion") }
  }
}

/// A task that begins to wait within the round, and for whose end a thread can wait.
private final class Waiting: Sendable {
  private final class Signs: Sendable {
    let hasBegun = Atomic<Bool>(false)
    /// Releases what the task did: the sanitizer doesn't know of the semaphore.
    let isOver = Atomic<Bool>(false)
    let end = DispatchSemaphore(value: 0)
  }

  private let signs = Signs()
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let body: @Sendable () async -> Void
  /// A quarter waits long before the round.
  private let isEarly: Bool
  /// How much later than the task's beginning each thread goes on: making a continuation and a timer takes its time.
  private let pauses: [Int]

  init(_ random: inout Random, _ body: @escaping @Sendable () async -> Void) {
    self.body = body
    isEarly = random.oneIn(4)
    pauses = [random.below(1 << random.below(13)), random.below(1 << random.below(13))]
    if isEarly { start() }
  }

  private func start() {
    let made = Task.detached { [signs, body] in
      signs.hasBegun.store(true, ordering: .relaxed)
      await body()
      signs.isOver.store(true, ordering: .releasing)
      signs.end.signal()
    }
    task.withLock { $0 = made }
  }

  /// Returns when the task is just about to wait. The first thread starts it.
  func approach(_ thread: Int) {
    if thread == 0, !isEarly { start() }
    while !signs.hasBegun.load(ordering: .relaxed) { sched_yield() }
    for _ in 0..<pauses[thread] { _ = signs.hasBegun.load(ordering: .relaxed) }
  }

  func cancel() {
    while true {
      if let task = task.withLock({ $0 }) { return task.cancel() }
      sched_yield()
    }
  }

  func judge(_ verdict: inout Verdict) {
    verdict.expect(signs.end.wait(timeout: .now() + 60) == .success, "who waited wasn't woken")
    verdict.expect(signs.isOver.load(ordering: .acquiring), "who waited wasn't woken")
  }
}

/// A clock on which the time is over at once, or never, so that no timer is left behind.
private final class StillClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration = .zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  /// Nil until it sleeps, and again from when it was woken.
  private struct Sleep {
    var continuation: CheckedContinuation<Void, any Error>?
    var isCancelled = false
  }

  let isOver: Bool
  private let sleep = Mutex(Sleep())

  init(isOver: Bool) { self.isOver = isOver }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    guard !isOver else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = sleep.withLock { sleep in
          if !sleep.isCancelled { sleep.continuation = continuation }
          return sleep.isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let continuation = sleep.withLock { sleep in
        sleep.isCancelled = true
        return sleep.continuation.take()
      }
      continuation?.resume(throwing: CancellationError())
    }
  }
}
