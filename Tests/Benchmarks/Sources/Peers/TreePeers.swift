// The peers of row 3.

import Dispatch
import NIOCore
import NIOEmbedded
import Opaque
import Works

extension Peers {
  /// A tree of groups, each of which leaves its parent when it is empty.
  ///
  /// - Parameter fan: How many children an inner node has.
  /// - Returns: Work that counts the nodes of the largest such tree with at most so many.
  public static func groupTree(fan: Int) -> Work {
    Work("nested DispatchGroups") { count in
      let queue = DispatchQueue(label: "handlers")
      let root = DispatchGroup()
      root.enter()
      visit(root, queue, depth: Works.treeDepth(fan: fan, count: count), fan: fan)
      root.notify(queue: queue) { consume(1) }
      root.leave()
      root.wait()
      queue.sync {}
    }
  }

  @inline(never)
  private static func visit(_ parent: DispatchGroup, _ queue: DispatchQueue, depth: Int, fan: Int) {
    for _ in 0..<fan {
      parent.enter()
      if depth == 1 {
        parent.leave()
      } else {
        let child = DispatchGroup()
        child.enter()
        visit(child, queue, depth: depth - 1, fan: fan)
        child.notify(queue: queue) {
          consume(1)
          parent.leave()
        }
        child.leave()
      }
    }
  }

  /// A tree of task groups: each node is a task.
  ///
  /// - Parameter fan: How many children an inner node has.
  /// - Returns: Work that counts the nodes of the largest such tree with at most so many.
  public static func taskTree(fan: Int) -> Work {
    Work("nested TaskGroups") { count in
      let depth = Works.treeDepth(fan: fan, count: count)
      blocking { await tasks(depth: depth, fan: fan) }
    }
  }

  private static func tasks(depth: Int, fan: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<fan {
        group.addTask { if depth > 1 { await tasks(depth: depth - 1, fan: fan) } }
      }
    }
    consume(1)
  }

  /// The same with groups that let go of each task as it ends.
  ///
  /// - Parameter fan: How many children an inner node has.
  /// - Returns: Work that counts the nodes of the largest such tree with at most so many.
  public static func discardingTree(fan: Int) -> Work {
    Work("nested DiscardingTaskGroups") { count in
      let depth = Works.treeDepth(fan: fan, count: count)
      blocking { await discardingTasks(depth: depth, fan: fan) }
    }
  }

  private static func discardingTasks(depth: Int, fan: Int) async {
    await withDiscardingTaskGroup { group in
      for _ in 0..<fan {
        group.addTask { if depth > 1 { await discardingTasks(depth: depth - 1, fan: fan) } }
      }
    }
    consume(1)
  }

  /// A tree of futures.
  ///
  /// - Parameter fan: How many children an inner node has.
  /// - Returns: Work that counts the nodes of the largest such tree with at most so many.
  public static func futureTree(fan: Int) -> Work {
    Work("nested EventLoopFutures") { count in
      let loop = EmbeddedEventLoop()
      let root = future(loop, depth: Works.treeDepth(fan: fan, count: count), fan: fan)
      root.whenComplete { _ in consume(1) }
      loop.run()
    }
  }

  private static func future(_ loop: EmbeddedEventLoop, depth: Int, fan: Int) -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    if depth == 0 {
      promise.succeed(())
    } else {
      let children = (0..<fan).map { _ in future(loop, depth: depth - 1, fan: fan) }
      EventLoopFuture.andAllSucceed(children, on: loop).whenComplete { _ in
        consume(1)
        promise.succeed(())
      }
    }
    return promise.futureResult
  }
}
