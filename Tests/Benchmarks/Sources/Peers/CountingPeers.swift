// The peers of rows 1 and 2.

import Dispatch
import NIOCore
import NIOEmbedded
import Opaque
import Synchronization
import Works

/// The same works by other means.
public enum Peers {
  /// Row 1: enter and leave of a group that is not empty.
  public static let enterAndLeave = Work(preparing: "DispatchGroup") { count in
    let group = DispatchGroup()
    group.enter()
    return {
      enterAndLeave(group, count)
      group.leave()
    }
  }

  @inline(never)
  private static func enterAndLeave(_ group: DispatchGroup, _ count: Int) {
    for _ in 0..<count {
      group.enter()
      group.leave()
    }
  }

  /// Row 1: a counter under a lock.
  public static let lockedCounter = Work(preparing: "counter under a lock") { count in
    let counter = LockedCounter { consume(1) }
    counter.enter()
    return {
      enterAndLeave(counter, count)
      counter.leave()
    }
  }

  @inline(never)
  private static func enterAndLeave(_ counter: LockedCounter, _ count: Int) {
    for _ in 0..<count {
      counter.enter()
      counter.leave()
    }
  }

  /// Row 2: a group's whole life, to the end of its handler.
  public static let groupLife = Work("DispatchGroup") { count in
    let queue = DispatchQueue(label: "handlers")
    for index in 0..<count {
      let group = DispatchGroup()
      group.enter()
      group.notify(queue: queue) { consume(index) }
      group.leave()
    }
    queue.sync {}
  }

  /// Row 2: a hand-written group, with its count and its handler under a lock.
  public static let lockedLife = Work("counter under a lock") { count in
    for index in 0..<count {
      let counter = LockedCounter { consume(index) }
      counter.enter()
      counter.leave()
    }
  }

  /// Row 2: a promise that is kept.
  public static let promiseLife = Work("EventLoopFuture") { count in
    let loop = EmbeddedEventLoop()
    for index in 0..<count {
      let promise = loop.makePromise(of: Void.self)
      promise.futureResult.whenComplete { _ in consume(index) }
      promise.succeed(())
    }
  }
}

/// What many programs have of their own.
final class LockedCounter: Sendable {
  private struct State {
    var count = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private let handler: @Sendable () -> Void

  init(handler: @escaping @Sendable () -> Void) { self.handler = handler }

  @inline(never)
  func enter() { state.withLock { $0.count += 1 } }

  @inline(never)
  func leave() {
    let isLast = state.withLock { state in
      state.count -= 1
      guard state.count == 0, !state.isOver else { return false }
      state.isOver = true
      return true
    }
    if isLast { handler() }
  }
}

/// Waits on this thread, which is not one of the concurrency pool's, for an async function.
func blocking(_ body: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    done.signal()
  }
  done.wait()
}
