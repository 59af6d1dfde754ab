// Row 9: a graph of ids that name other ids.

import Baton
import Dispatch
import Opaque

/// A graph that is the same each time: each id names some that are close to it in breadth-first order, and some anywhere.
public struct Graph: Sendable {
  /// What each id names.
  public let children: [[Int]]
  /// How many ids and edges it has.
  public let size: Int

  /// Makes a graph in which id 0 reaches all.
  ///
  /// - Parameters:
  ///   - ids: How many ids.
  ///   - edges: How many edges, at least as many as ids.
  public init(ids: Int, edges: Int) {
    var children = Array(repeating: [Int](), count: ids)
    var random = LinearCongruential(state: 1)
    // The edges that make a tree, a few children to each.
    for id in 1..<ids { children[(id - 1) / 4].append(id) }
    for _ in 0..<(edges - ids + 1) { children[random.next(below: ids)].append(random.next(below: ids)) }
    self.children = children
    size = ids + edges
  }
}

private struct LinearCongruential {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(truncatingIfNeeded: state >> 33) % bound
  }
}

extension Works {
  /// A cascade over a graph whose loads are there at once.
  ///
  /// - Parameter graph: The graph.
  /// - Returns: Work whose count is that of ids and edges, whatever it is asked for.
  public static func cascade(_ graph: Graph) -> Work {
    let cascade = Baton.Cascade<Int, Int>(limit: 8) { id, pass in
      pass.finish(.init(id, children: graph.children[id]))
    }
    return Work("Baton.Cascade") { _ in
      let done = DispatchSemaphore(value: 0)
      cascade.start([0]) { report in
        consume(report.resources.count)
        done.signal()
      }
      done.wait()
    }
  }

  /// The same with an async function for a load, as the crawler beside it has.
  ///
  /// - Parameter graph: The graph.
  /// - Returns: Work whose count is that of ids and edges, whatever it is asked for.
  public static func asyncCascade(_ graph: Graph) -> Work {
    let cascade = Baton.Cascade<Int, Int>(limit: 8) { id in .init(id, children: graph.children[id]) }
    return Work("Baton.Cascade, async loads") { _ in
      let done = DispatchSemaphore(value: 0)
      cascade.start([0]) { report in
        consume(report.resources.count)
        done.signal()
      }
      done.wait()
    }
  }

  /// The limit: a breadth-first walk on one thread, with a set of what was seen.
  ///
  /// - Parameter graph: The graph.
  /// - Returns: Work whose count is that of ids and edges, whatever it is asked for.
  public static func walk(_ graph: Graph) -> Work {
    Work("limit: bare walk with a dictionary of results") { _ in
      var resources: [Int: Int] = [:]
      var seen: Set<Int> = [0]
      var line = [0]
      var next = 0
      while next < line.count {
        let id = line[next]
        next += 1
        resources[id] = id
        for child in graph.children[id] where seen.insert(child).inserted { line.append(child) }
      }
      consume(resources.count)
    }
  }
}
