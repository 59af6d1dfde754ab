// The failures of one baton, in the order in which they were recorded.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// The failures of one baton: a singly linked list, of which a child's end can become the parent's in constant time.
  ///
  /// An array would have to be copied at each level, so that the errors of a deep chain would be a square. Here a node's
  /// `next` is set once, by whoever holds the lock of the baton whose list ends with it. A list knows how many nodes are
  /// its own, and never reads the `next` of its last one: that may belong to an ancestor's list, which goes on.
  struct FailureList: Sendable {
    private(set) var count = 0
    private var first: Node?
    private var last: Node?

    /// The first failure, if there is one.
    var head: Failure? { first?.failure }

    /// Adds one failure at the end. O(1).
    mutating func append(_ failure: Failure) {
      let node = Node(failure)
      append(from: node, to: node, count: 1)
    }

    /// Adds all but the first `said` failures of a list that will not change any more. O(said), which is 0 or 1.
    mutating func append(_ list: FailureList, dropping said: Int) {
      guard list.count > said, let last = list.last else { return }
      var node = list.first
      for _ in 0..<said { node = node?.next.withLock { $0 } }
      guard let node else { return }
      append(from: node, to: last, count: list.count - said)
    }

    private mutating func append(from node: Node, to end: Node, count more: Int) {
      if let last { last.next.withLock { $0 = node } } else { first = node }
      last = end
      count += more
    }

    /// The failures as an array. O(count).
    var array: [Failure] {
      var result: [Failure] = []
      result.reserveCapacity(count)
      var node = first
      while let current = node {
        result.append(current.failure)
        node = result.count < count ? current.next.withLock { $0 } : nil
      }
      return result
    }

    private final class Node: Sendable {
      let failure: Failure
      /// A lock of its own, never taken together with another one: the list's owner has changed by the time at which a
      /// chain is released.
      let next = Mutex<Node?>(nil)

      init(_ failure: Failure) { self.failure = failure }

      /// Lets a long list go in a loop (rule 8).
      deinit {
        var chain = next.withLock { $0.take() }
        while isKnownUniquelyReferenced(&chain) {
          chain = chain?.next.withLock { $0.take() } ?? nil
        }
      }
    }
  }
}
