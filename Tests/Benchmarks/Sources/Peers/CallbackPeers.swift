// The peers of rows 6 and 7.

import Dispatch
import NIOCore
import NIOEmbedded
import Opaque
import Synchronization
import Works

extension Peers {
  /// Row 6: a checked continuation, resumed by the callback.
  public static let checkedContinuation = Work("checked continuation") { count in
    blocking {
      for index in 0..<count {
        consume(
          await withCheckedContinuation { continuation in
            load(index) { value in continuation.resume(returning: value &+ index) }
          })
      }
    }
  }

  /// Row 7: a group, and an array of results under a lock.
  public static let groupGather = Work("DispatchGroup, lock, array") { count in
    let group = DispatchGroup()
    let results = LockedResults<Int>(count)
    group.enter()
    for index in 0..<count {
      group.enter()
      load(index) { value in
        results.put(value, at: index)
        group.leave()
      }
    }
    let queue = DispatchQueue(label: "handlers")
    group.notify(queue: queue) { consume(results.all.count) }
    group.leave()
    group.wait()
    queue.sync {}
  }

  /// Row 7: the same with each result as a `Result`, which can be a failure.
  public static let groupGatherResults = Work("DispatchGroup, lock, array of Result") { count in
    let group = DispatchGroup()
    let results = LockedResults<Result<Int, any Error>>(count)
    group.enter()
    for index in 0..<count {
      group.enter()
      load(index) { value in
        results.put(.success(value), at: index)
        group.leave()
      }
    }
    let queue = DispatchQueue(label: "handlers")
    group.notify(queue: queue) { consume(results.all.count) }
    group.leave()
    group.wait()
    queue.sync {}
  }

  /// Row 7: a task group whose results are put in order.
  public static let taskGather = Work("TaskGroup") { count in
    blocking {
      await withTaskGroup(of: (Int, Int).self) { group in
        for index in 0..<count { group.addTask { (index, index) } }
        var results = [Int?](repeating: nil, count: count)
        for await (index, value) in group { results[index] = value }
        consume(results.compactMap(\.self).count)
      }
    }
  }

  /// Row 7: futures, gathered.
  public static let futureGather = Work("EventLoopFuture") { count in
    let loop = EmbeddedEventLoop()
    var futures: [EventLoopFuture<Int>] = []
    futures.reserveCapacity(count)
    for index in 0..<count {
      let promise = loop.makePromise(of: Int.self)
      futures.append(promise.futureResult)
      load(index) { value in promise.succeed(value) }
    }
    EventLoopFuture.whenAllSucceed(futures, on: loop).whenComplete { result in
      if case .success(let values) = result { consume(values.count) }
    }
    loop.run()
  }
}

private final class LockedResults<Value: Sendable>: Sendable {
  private let results: Mutex<[Value?]>

  init(_ count: Int) { results = Mutex(Array(repeating: nil, count: count)) }

  func put(_ value: Value, at index: Int) { results.withLock { $0[index] = value } }

  var all: [Value] { results.withLock { $0 }.compactMap(\.self) }
}
