// The rows of the table that are measured in time. The numbers and the targets are those of the project's plan.

import Peers
import Works

extension Contest {
  /// A promise about Baton's time divided by another's.
  private static func rival(_ work: Work, _ target: Double? = nil, count: Int? = nil) -> Rival {
    Rival(work: work, target: target, count: count)
  }

  static var counting: [Contest] {
    [
      Contest(
        row: "1", title: "pass + finish on an open baton", baton: Works.passAndFinish,
        rivals: [
          rival(Works.bareCounter, 1.05), rival(Peers.enterAndLeave, 1), rival(Peers.lockedCounter),
        ],
        count: 1_000_000, rounds: 31),
      Contest(
        row: "2", title: "make, pass, completion, finish", baton: Works.life,
        rivals: [
          rival(Works.bareLife), rival(Peers.groupLife, 0.35), rival(Peers.lockedLife), rival(Peers.promiseLife),
        ],
        count: 100_000, rounds: 31),
    ]
  }

  static var trees: [Contest] {
    [2, 10].map { fan in
      func tree(_ work: Work, _ target: Double? = nil, nodes: Int? = nil) -> Rival {
        Rival(work: work, target: target, count: nodes.map { Works.treeNodes(fan: fan, count: $0) })
      }
      let nodes = Works.treeNodes(fan: fan, count: 1_200_000)
      return Contest(
        row: "3", title: "tree of \(nodes) nodes, \(fan) children to each, per node", baton: Works.tree(fan: fan),
        rivals: [
          tree(Works.bareTree(fan: fan)), tree(Peers.groupTree(fan: fan), 0.25), tree(Peers.taskTree(fan: fan), 0.05),
          tree(Peers.discardingTree(fan: fan)), tree(Peers.futureTree(fan: fan), nodes: 40_000),
        ],
        count: nodes, rounds: 5)
    }
  }

  static var callbacks: [Contest] {
    [
      Contest(
        row: "6", title: "wrapped callback: make and call", baton: Works.callback,
        rivals: [rival(Works.onceFlag, 2), rival(Peers.checkedContinuation, 0.5)],
        count: 200_000, rounds: 31),
      Contest(
        row: "7", title: "gather of 1,000,000 results of callbacks", baton: Works.gather,
        rivals: [
          rival(Works.bareGather), rival(Peers.groupGather, 0.5), rival(Peers.groupGatherResults),
          rival(Peers.taskGather, 0.1), rival(Peers.futureGather, count: 100_000),
        ],
        count: 1_000_000, rounds: 5),
      Contest(
        row: "7", title: "gather of 1,000,000 items of a list", baton: Works.gatherList,
        rivals: [rival(Works.bareGather), rival(Peers.groupGather, 0.5), rival(Peers.taskGather, 0.1)],
        count: 1_000_000, rounds: 5),
    ]
  }

  static var limits: [Contest] {
    [
      Contest(
        row: "8", title: "limiter of 8, items that settle at once", baton: Works.limitedInline,
        rivals: [rival(Peers.operationQueue, 0.1, count: 100_000), rival(Peers.limitedTasks, count: 100_000)],
        count: 1_000_000, rounds: 5),
      Contest(
        row: "8", title: "limiter, every item waits in the line", baton: Works.limitedWaiting,
        rivals: [rival(Peers.operationQueue, 0.1, count: 100_000), rival(Peers.limitedTasks, count: 100_000)],
        count: 1_000_000, rounds: 5),
      Contest(
        row: "8", title: "limiter of 8, items on a queue's threads", baton: Works.limitedOnQueue,
        rivals: [
          rival(Works.unlimitedOnQueue, count: 100_000), rival(Peers.operationQueue, 0.1, count: 100_000),
          rival(Peers.limitedTasks, count: 100_000),
        ],
        count: 200_000, rounds: 5),
    ]
  }

  static var graphs: [Contest] {
    let graph = Graph(ids: 60_000, edges: 260_000)
    let crawled = Contest(
      row: "9", title: "Cascade: 60,000 ids, 260,000 edges, per id and edge", baton: Works.cascade(graph),
      rivals: [
        rival(Works.walk(graph)), rival(Peers.crawler(graph), 0.3), rival(Works.asyncCascade(graph)),
      ],
      count: graph.size, limit: 1000, rounds: 7)
    // Linear: an id costs no more in the largest graph than in the smallest. Caches are let off with half as much again.
    let sizes = [(10_000, 7), (100_000, 3), (1_000_000, 3)].map { ids, rounds in
      let graph = Graph(ids: ids, edges: ids * 13 / 3)
      return Contest(
        row: "9", title: "the same with \(ids) ids, per id and edge", baton: Works.cascade(graph),
        rivals: [rival(Works.walk(graph))], count: graph.size, rounds: rounds)
    }
    return [crawled] + sizes
  }

  static var threads: [Contest] {
    let operations = 400_000
    return [
      Contest(
        row: "10", title: "2 threads on one baton, per pass + finish", baton: Works.sharedBaton(threads: 2),
        rivals: [rival(Works.sharedCounter(threads: 2), 1.1)], count: operations, rounds: 61),
      // Scaling is throughput: 0.95 of it is 1 / 0.95 of the time.
      Contest(
        row: "10", title: "2 threads on a child each, per pass + finish", baton: Works.childEach(threads: 2),
        rivals: [rival(Works.counterEach(threads: 2), 1.05)], count: operations, rounds: 61),
    ]
  }
}
