// Row 5: from the last finish to whoever waits for it. Each operation is the last finish of a baton of its own.

import Baton
import Dispatch
import Opaque
import Synchronization

extension Works {
  /// The last finish runs a completion on its own thread.
  public static let endInline = Work(preparing: "Baton, inline") { count in
    let batons = (0..<count).map { index in passed(Baton { _ in consume(index) }) }
    return { finish(batons) }
  }

  /// The closure alone.
  public static let bareInline = Work(preparing: "limit: bare call") { count in
    let bodies = (0..<count).map { index in Closure { _ in consume(index) } }
    return { for body in bodies { body.run(false) } }
  }

  /// The last finish hands a completion to a queue, which is stopped, so that no other thread's work is counted.
  public static let endOnQueue = Work(preparing: "Baton, queue") { count in
    let queue = stoppedQueue()
    let batons = (0..<count).map { index in passed(Baton(on: .queue(queue)) { _ in consume(index) }) }
    return {
      finish(batons)
      queue.activate()
    }
  }

  /// The closure alone, to the same kind of queue.
  public static let bareAsync = Work(preparing: "limit: bare async") { count in
    let queue = stoppedQueue()
    let bodies = (0..<count).map { index in Closure { _ in consume(index) } }
    return {
      for body in bodies { queue.async { body.run(false) } }
      queue.activate()
    }
  }

  /// The last finish wakes a task that awaits the outcome.
  public static let endAwaited = Work(preparing: "Baton, awaited") { count in
    let executor = HeldExecutor()
    let batons = (0..<count).map { _ in passed(Baton()) }
    for baton in batons {
      Task(executorPreference: executor) { consume(await baton.outcome.isCancelled ? 1 : 0) }
    }
    executor.drain()
    return {
      finish(batons)
      executor.drain()
    }
  }

  /// A continuation alone, of a task on the same executor.
  public static let bareContinuation = Work(preparing: "limit: bare continuation") { count in
    let executor = HeldExecutor()
    let held = HeldContinuations()
    for _ in 0..<count {
      Task(executorPreference: executor) {
        consume(await withCheckedContinuation { continuation in held.add(continuation) })
      }
    }
    executor.drain()
    let continuations = held.all
    return {
      for continuation in continuations { continuation.resume(returning: 1) }
      executor.drain()
    }
  }

  private static func passed(_ baton: Baton) -> Baton {
    baton.pass()
    return baton
  }

  @inline(never)
  private static func finish(_ batons: [Baton]) { for baton in batons { baton.finish() } }

  private static func stoppedQueue() -> DispatchQueue {
    DispatchQueue(label: "stopped", attributes: .initiallyInactive)
  }
}

/// A closure in an object, so that an array of them is called without thunks.
private final class Closure: Sendable {
  private let body: @Sendable (Bool) -> Void

  init(_ body: @escaping @Sendable (Bool) -> Void) { self.body = body }

  @inline(never)
  func run(_ flag: Bool) { body(flag) }
}

private final class HeldContinuations: Sendable {
  private let continuations = Mutex<[CheckedContinuation<Int, Never>]>([])

  func add(_ continuation: CheckedContinuation<Int, Never>) { continuations.withLock { $0.append(continuation) } }

  var all: [CheckedContinuation<Int, Never>] { continuations.withLock { $0 } }
}

/// Keeps jobs until it is told to run them, on the thread that tells it.
private final class HeldExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func drain() {
    while true {
      let batch = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      if batch.isEmpty { return }
      for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }
}
