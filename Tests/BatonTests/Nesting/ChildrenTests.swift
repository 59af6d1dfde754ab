// Batons inside batons.

import Testing

@testable import Baton

@Suite struct ChildrenTests {
  static func errors(_ baton: Baton) -> [String] {
    baton.outcomeIfComplete?.failures.map { ($0.path + ["\($0.error)"]).joined(separator: "/") } ?? ["open"]
  }

  // MARK: Counting

  // Section 4 of the design.
  @Test func `a child holds one pass until its completion has returned`() {
    let log = Log<String>()
    let root = Baton { log.add("root \($0)") }
    let child = root.makeChild { _ in log.add("child, \(root.tally.outstanding) out") }
    #expect(root.tally == Baton.Tally(passed: 1, outstanding: 1))
    child.pass(count: 2)
    child.finish()
    #expect(root.tally.outstanding == 1)
    child.finish()
    #expect(log.all == ["child, 1 out", "root false"])
    #expect(root.tally == Baton.Tally(passed: 1, outstanding: 0))
  }

  // Rule 3.
  @Test func `a child that is let go hands its pass back`() {
    Baton.onMisuse { _ in }
    let log = Log<String>()
    let root = Baton(name: "root") { log.add("root \($0)") }
    root.pass()
    do { _ = root.makeChild { log.add("empty \($0)") } }
    #expect(root.tally == Baton.Tally(passed: 2, outstanding: 1))
    do {
      let child = root.makeChild(name: "child") { log.add("child \($0)") }
      child.pass(count: 2)
    }
    root.finish()
    #expect(log.all == ["empty false", "child true", "root true"])
    #expect(Self.errors(root) == ["root/child/abandoned with 2 passes out"])
  }

  // Rule 3: a child keeps its parent, so that a tree ends from its leaves.
  @Test func `a parent that nobody else holds lives until its last child is complete`() {
    let log = Log<String>()
    let leaf: Baton
    do {
      let root = Baton { _ in log.add("root") }
      let middle = root.makeChild { _ in log.add("middle") }
      leaf = middle.makeChild { _ in log.add("leaf") }
    }
    #expect(log.all.isEmpty)
    leaf.withPass {}
    #expect(log.all == ["leaf", "middle", "root"])
  }

  // Rule 3: when the last child is back, nobody is left to hand back the parent's bare passes.
  @Test func `a parent that nobody else holds ends when bare passes are all that is left`() {
    Baton.onMisuse { _ in }
    let log = Log<Baton.Outcome>()
    let child: Baton
    do {
      let root = Baton()
      root.onCompletion { log.add($0) }
      root.pass(count: 2)
      child = root.makeChild()
    }
    child.withPass {}
    #expect(log.all.map { $0.failures.map { "\($0.error)" } } == [["abandoned with 2 passes out"]])
  }

  @Test func `an abandoned parent that goes with its child's end is not told of again`() {
    let events = EventLog()
    let child: Baton
    do {
      let parent = Baton(observer: events)
      parent.pass()
      child = parent.makeChild()
      parent.abandon()
    }
    child.withPass {}
    #expect(child.isComplete && events.misuses.isEmpty)
  }

  // MARK: Inheriting

  @Test func `a child inherits observer and limit`() {
    let (events, other) = (EventLog(), Baton.Limiter(2))
    let root = Baton(name: "root", limit: 3, observer: events)
    let children = [
      root.makeChild(name: "same"), root.makeChild(name: "other", limit: other),
      root.makeChild(name: "none", limit: .unlimited),
    ]
    #expect(children.map { $0.core.limiter?.permits } == [3, 2, nil])
    #expect(children[0].core.limiter === root.core.limiter)
    #expect(
      events.lines == ["root: made"] + ["same", "other", "none"].flatMap { ["\($0): made", "root: passed \($0)"] })
    for child in children { child.withPass {} }
    #expect(
      events.lines.suffix(5) == [
        "none: passed 1", "none: settled 1", "none: completed", "root: settled none", "root: completed",
      ])
  }

  // MARK: Rule 9

  @Test(arguments: ["nameless", "named", "asked", "observed"])
  func `a complete child is let go by its parent, and lets its parent go`(kind: String) {
    let freed = Counter()
    let root = Baton(observer: kind == "observed" ? EventLog() : nil)
    root.pass()
    let parent: WeakReference<Baton>
    do {
      let middle = root.makeChild(name: kind == "named" ? "child" : nil)
      parent = WeakReference(middle)
      let leaf = middle.makeChild(name: kind == "named" ? "child" : nil, completion: OnDeinit { freed.add() }.handler())
      leaf.onCancel(OnDeinit { freed.add() }.handler())
      if kind == "asked" { #expect(!leaf.isCancelled) }
      #expect(middle.registeredCount == 1)
      leaf.withPass {}
      #expect(freed.value == 2 && middle.registeredCount == 0)
      #expect(!leaf.hasParent)
      #expect(middle.isComplete && root.registeredCount == 0)
      _ = leaf
    }
    #expect(parent.isGone)
    root.finish()
  }

  // A child that nobody asks for anything is never in the list, which spares the parent's lock.
  @Test func `a child registers when there is need of it`() {
    let root = Baton()
    root.pass()
    let child = root.makeChild()
    #expect(root.registeredCount == 0)
    _ = child.isCancelled
    #expect(root.registeredCount == 1)
    let other = root.makeChild()
    let grandchild = other.makeChild()
    #expect(root.registeredCount == 2 && other.registeredCount == 0)
    grandchild.onCancel {}
    #expect(other.registeredCount == 1)
    let named = root.makeChild(name: "named")
    #expect(root.registeredCount == 3)
    for baton in [child, named, grandchild] { baton.withPass {} }
    #expect(root.registeredCount == 0)
    root.finish()
  }

  @Test func `children leave in any order`() {
    let root = Baton()
    root.pass()
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
      let children = (0..<5).map { root.makeChild(name: "\($0)") }
      var left = 5
      for number in order {
        children[number].withPass {}
        left -= 1
        #expect(root.slots == Array(0..<left))
      }
    }
    #expect(root.tally == Baton.Tally(passed: 16, outstanding: 1))
    root.finish()
  }
}
