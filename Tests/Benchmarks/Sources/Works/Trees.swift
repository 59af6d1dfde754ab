// Row 3: trees of work that is discovered while it is done.

import Baton
import Opaque
import Synchronization

extension Works {
  /// A complete tree: each inner node is a baton, a child of its parent's; each leaf a pass.
  ///
  /// - Parameter fan: How many children an inner node has.
  /// - Returns: Work that counts the nodes of the largest such tree with at most so many.
  public static func tree(fan: Int) -> Work {
    Work("Baton") { count in
      let root = Baton { _ in consume(1) }
      root.pass()
      visit(root, depth: treeDepth(fan: fan, count: count), fan: fan)
      root.finish()
    }
  }

  @inline(never)
  private static func visit(_ parent: Baton, depth: Int, fan: Int) {
    for _ in 0..<fan {
      if depth == 1 {
        parent.pass()
        parent.finish()
      } else {
        let child = parent.makeChild { _ in consume(1) }
        child.pass()
        visit(child, depth: depth - 1, fan: fan)
        child.finish()
      }
    }
  }

  /// The limit: one object an inner node, which counts, knows its parent, and is climbed from in a loop.
  ///
  /// - Parameter fan: How many children an inner node has.
  /// - Returns: Work that counts the nodes of the largest such tree with at most so many.
  public static func bareTree(fan: Int) -> Work {
    Work("limit: one object a node, bare atomics") { count in
      let root = BareNode(parent: nil) { _ in consume(1) }
      root.pass()
      visit(root, depth: treeDepth(fan: fan, count: count), fan: fan)
      root.finish()
    }
  }

  @inline(never)
  private static func visit(_ parent: BareNode, depth: Int, fan: Int) {
    for _ in 0..<fan {
      parent.pass()
      if depth == 1 {
        parent.finish()
      } else {
        let child = BareNode(parent: parent) { _ in consume(1) }
        child.pass()
        visit(child, depth: depth - 1, fan: fan)
        child.finish()
      }
    }
  }

  /// The number of levels below the root of the largest complete tree.
  ///
  /// - Parameters:
  ///   - fan: How many children an inner node has.
  ///   - count: How many nodes it may have.
  /// - Returns: At least 1.
  public static func treeDepth(fan: Int, count: Int) -> Int {
    var (depth, nodes, level) = (0, 1, 1)
    while nodes + level * fan <= count {
      level *= fan
      nodes += level
      depth += 1
    }
    return max(1, depth)
  }

  /// How many nodes that tree has, the root included.
  ///
  /// - Parameters:
  ///   - fan: How many children an inner node has.
  ///   - count: How many nodes it may have.
  /// - Returns: The number of its nodes.
  public static func treeNodes(fan: Int, count: Int) -> Int {
    (0..<treeDepth(fan: fan, count: count)).reduce(1) { nodes, _ in nodes * fan + 1 }
  }
}

private final class BareNode: Sendable {
  private let word = Atomic<UInt64>(0)
  private let parent: BareNode?
  private let completion: @Sendable (Bool) -> Void

  init(parent: BareNode?, completion: @escaping @Sendable (Bool) -> Void) {
    self.parent = parent
    self.completion = completion
  }

  func pass() { word.wrappingAdd(1 << 35 | 1, ordering: .relaxed) }

  func finish() {
    var node: BareNode? = self
    while let current = node, current.settlesLast() {
      current.completion(false)
      node = current.parent
    }
  }

  private func settlesLast() -> Bool {
    let word = word.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    guard UInt32(truncatingIfNeeded: word) == 0 else { return false }
    return self.word.compareExchange(
      expected: word, desired: word | 1 << 31, ordering: .acquiringAndReleasing
    ).exchanged
  }
}
