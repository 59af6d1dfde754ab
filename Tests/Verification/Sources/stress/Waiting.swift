// Races about those who wait: threads and tasks, with limits, deadlines and tasks that are cancelled.

import Baton
import Dispatch
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
      let task = Waiting { woken(by: await baton.outcome, record) }
      return Race { thread in
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
      let task = Waiting {
        let outcome = await baton.outcome(within: .seconds(1), clock: clock)
        if outcome != nil || !clock.isOver && !isCancelled { woken(by: outcome, record) }
      }
      return Race { thread in
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

  private static func woken(by outcome: Baton.Outcome?, _ record: Record) {
    guard case .finished = outcome else { return record.add(fault: "who waited got \(String(describing: outcome))") }
    if !record.isMarked(0) || !record.hasEnded { record.add(fault: "woken before the completion") }
  }
}

/// A task for whose end a thread can wait.
private final class Waiting: Sendable {
  private let task: Task<Void, Never>
  private let end = DispatchSemaphore(value: 0)
  /// Releases what the task did: the sanitizer doesn't know of the semaphore.
  private let isOver: Over

  private final class Over: Sendable {
    let flag = Atomic<Bool>(false)
  }

  init(_ body: @escaping @Sendable () async -> Void) {
    let (over, end) = (Over(), end)
    isOver = over
    task = Task.detached {
      await body()
      over.flag.store(true, ordering: .releasing)
      end.signal()
    }
  }

  func cancel() { task.cancel() }

  func judge(_ verdict: inout Verdict) {
    verdict.expect(end.wait(timeout: .now() + 60) == .success, "who waited wasn't woken")
    verdict.expect(isOver.flag.load(ordering: .acquiring), "who waited wasn't woken")
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
