// Rule 8: depth is free.

import Synchronization
import Testing

@testable import Baton

@Suite struct DepthTests {
  static let million = 1_000_000
  /// What a debug build, at 10 µs a baton, can afford more often than three times.
  #if DEBUG
  static let deep = 100_000
  #else
  static let deep = 1_000_000
  #endif

  /// A chain in which each baton is the child of the one before; the middle is held by nobody else.
  static func chain(
    of depth: Int, _ completed: Counter, barePasses: Bool = false, named: Bool = false,
    on executor: Baton.Executor = .inline
  ) -> (root: Baton, leaf: Baton) {
    let root = Baton(name: named ? "root" : nil) { _ in completed.add() }
    var leaf = root
    for _ in 1..<depth {
      let child = leaf.makeChild(name: named ? "c" : nil, on: executor) { _ in completed.add() }
      if barePasses { leaf.pass() }
      leaf = child
    }
    leaf.pass()
    return (root, leaf)
  }

  @Test func `a million nested batons complete on a small stack`() async {
    let completed = Counter()
    await onSmallStack {
      let (root, leaf) = Self.chain(of: Self.million, completed)
      leaf.finish()
      #expect(root.isComplete && !root.isCancelled)
    }
    #expect(completed.value == Self.million)
  }

  @Test func `a million nested batons are cancelled from above on a small stack`() async {
    let completed = Counter()
    await onSmallStack {
      let (root, leaf) = Self.chain(of: Self.million, completed)
      #expect(root.cancelAll())
      #expect(leaf.isCancelled)
      leaf.finish()
      #expect(root.isComplete && root.isCancelled)
    }
    #expect(completed.value == Self.million)
  }

  @Test func `a chain of a million dropped batons ends on a small stack`() async {
    let completed = Counter()
    await onSmallStack { _ = Self.chain(of: Self.million, completed) }
    #expect(completed.value == Self.million)
  }

  @Test func `a deep chain of dropped batons, each with a bare pass out, ends on a small stack`() async {
    Baton.onMisuse { _ in }
    let completed = Counter()
    await onSmallStack { _ = Self.chain(of: Self.deep, completed, barePasses: true) }
    #expect(completed.value == Self.deep)
  }

  @Test func `an error from the deep is heard at the top`() async {
    let completed = Counter()
    await onSmallStack {
      let (root, leaf) = Self.chain(of: Self.deep, completed)
      leaf.cancel(SomeError(1))
      #expect(root.outcomeIfComplete?.failures.count == 1)
    }
    #expect(completed.value == Self.deep)
  }

  @Test func `an error of each level climbs without a square`() async {
    let completed = Counter()
    await onSmallStack {
      let root = Baton { _ in completed.add() }
      var levels = [root]
      for _ in 1..<Self.deep {
        levels.append(levels[levels.count - 1].makeChild { _ in completed.add() })
      }
      root.pass()
      for (number, baton) in levels.enumerated().reversed() { baton.cancelAll(SomeError(number)) }
      let leaf = levels.removeLast()
      levels = []
      leaf.pass()
      leaf.finish()
      root.finish()
      // The deepest error was heard at once by all; each level's own joined when that level was complete.
      let numbers = root.outcomeIfComplete?.failures.map { ($0.error as? SomeError)?.number } ?? []
      #expect(numbers.count == Self.deep)
      #expect(numbers.first == Self.deep - 1)
    }
    #expect(completed.value == Self.deep)
  }

  @Test func `an executor that runs at once does not recurse`() async {
    let completed = Counter()
    await onSmallStack {
      let (root, leaf) = Self.chain(of: Self.deep, completed, on: Baton.Executor { work in work() })
      leaf.finish()
      #expect(root.isComplete)
    }
    #expect(completed.value == Self.deep)
  }

  @Test func `the names of many ancestors are let go in a loop`() async {
    let completed = Counter()
    await onSmallStack {
      let (_, leaf) = Self.chain(of: Self.deep, completed, named: true)
      leaf.cancel(SomeError(1))
      #expect(leaf.outcomeIfComplete?.failures.first?.path.count == Self.deep)
    }
    #expect(completed.value == Self.deep)
  }

  @Test func `a million failures are let go in a loop`() async {
    await onSmallStack {
      let baton = Baton()
      baton.pass()
      for number in 0..<Self.deep { baton.cancelAll(SomeError(number)) }
      baton.finish()
      #expect(baton.outcomeIfComplete?.failures.count == Self.deep)
    }
  }
}
