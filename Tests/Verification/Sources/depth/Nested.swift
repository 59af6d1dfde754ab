// Batons in batons, and beside each other.

import Baton

extension Case {
  static let nested = [
    Case("nested batons complete") { count in
      let completed = Counter()
      let (root, leaf) = chain(of: count, completed)
      leaf.finish()
      return root.isComplete ? completed.value : -1
    },
    Case("nested batons are cancelled") { count in
      let completed = Counter()
      let (root, leaf) = chain(of: count, completed, registered: true)
      root.cancelAll()
      guard leaf.isCancelled else { return -1 }
      leaf.finish()
      return root.isComplete ? completed.value : -1
    },
    Case("nested batons are dropped") { count in
      let completed = Counter()
      _ = chain(of: count, completed)
      return completed.value
    },
    Case("children complete") { count in
      let completed = Counter()
      let (parent, children) = family(of: count, completed)
      for child in children { child.finish() }
      return parent.isComplete && !parent.isCancelled ? completed.value : -1
    },
    Case("children are cancelled") { count in
      let completed = Counter()
      let (parent, children) = family(of: count, completed)
      parent.cancelAll()
      guard children.allSatisfy(\.isCancelled) else { return -1 }
      for child in children.reversed() { child.finish() }
      return parent.isComplete ? completed.value : -1
    },
    Case("children are dropped") { count in
      let completed = Counter()
      var (parent, children) = family(of: count, completed)
      children = []
      return parent.outcomeIfComplete?.failures.count == count ? completed.value : -1
    },
  ]

  private static func chain(of depth: Int, _ completed: Counter, registered: Bool = false) -> (root: Baton, leaf: Baton)
  {
    let root = Baton { _ in completed.add() }
    var leaf = root
    for _ in 1..<depth {
      leaf = leaf.makeChild { _ in completed.add() }
      if registered { _ = leaf.isCancelled }
    }
    leaf.pass()
    return (root, leaf)
  }

  /// Registered children, each with a pass out.
  private static func family(of count: Int, _ completed: Counter) -> (parent: Baton, children: [Baton]) {
    let parent = Baton()
    let children = (0..<count).map { _ in
      let child = parent.makeChild(name: "child") { _ in completed.add() }
      child.pass()
      return child
    }
    return (parent, children)
  }
}
