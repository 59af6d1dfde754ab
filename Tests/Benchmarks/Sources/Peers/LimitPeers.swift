// The peers of rows 8 and 9.

import Dispatch
import Foundation
import Opaque
import Works

extension Peers {
  /// Row 8: an operation queue.
  public static let operationQueue = Work("OperationQueue") { count in
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 8
    for index in 0..<count { queue.addOperation { consume(index) } }
    queue.waitUntilAllOperationsAreFinished()
  }

  /// Row 8: a task group that adds a task whenever one is back.
  public static let limitedTasks = Work("TaskGroup, 8 at a time") { count in
    blocking {
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
          if index >= 8 { await group.next() }
          group.addTask { consume(index) }
        }
      }
    }
  }

  /// Row 9: an actor that knows what was seen, and a task group.
  ///
  /// - Parameter graph: The graph.
  /// - Returns: Work whose count is that of ids and edges, whatever it is asked for.
  public static func crawler(_ graph: Graph) -> Work {
    Work("actor with a TaskGroup") { _ in
      blocking {
        let crawler = Crawler(graph)
        await crawler.crawl(0)
        consume(await crawler.resources.count)
      }
    }
  }
}

private actor Crawler {
  private let graph: Graph
  private var seen: Set<Int> = []
  private(set) var resources: [Int: Int] = [:]

  init(_ graph: Graph) { self.graph = graph }

  /// Without a limit, which would only cost it more.
  func crawl(_ root: Int) async {
    seen.insert(root)
    await withTaskGroup(of: (id: Int, resource: Int, children: [Int]).self) { group in
      group.addTask { [graph] in (root, root, graph.children[root]) }
      for await loaded in group {
        resources[loaded.id] = loaded.resource
        for child in loaded.children where seen.insert(child).inserted {
          group.addTask { [graph] in (child, child, graph.children[child]) }
        }
      }
    }
  }
}
