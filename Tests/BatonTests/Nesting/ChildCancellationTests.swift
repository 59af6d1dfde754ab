// How a cancellation goes down and up a tree. (Children.swift, Cancelling.swift)

import Testing

@testable import Baton

@Suite struct ChildCancellationTests {
  static func errors(_ baton: Baton) -> [String] { ChildrenTests.errors(baton) }

  // MARK: Down

  // Behaviour 19.
  @Test(arguments: [Baton.CancellationPolicy.propagates, .contained])
  func `a parent's cancellation reaches all below at once, and is not their failure`(
    policy: Baton.CancellationPolicy
  ) {
    let log = Log<String>()
    let root = Baton(name: "root")
    let child = root.makeChild(name: "child", cancellation: policy) { log.add("child \($0)") }
    let grandchild = child.makeChild(cancellation: policy) { log.add("grandchild \($0)") }
    child.onCancel(log.adder("child told"))
    grandchild.onCancel(log.adder("grandchild told"))
    root.pass()
    grandchild.pass()
    root.cancel(SomeError(1))
    #expect(log.all == ["child told", "grandchild told"])
    #expect(child.isCancelled && grandchild.isCancelled && !root.isComplete)
    grandchild.finish()
    #expect(log.all.suffix(2) == ["grandchild true", "child true"])
    #expect(grandchild.outcomeIfComplete?.failures.isEmpty == true && Self.errors(child).isEmpty)
    #expect(Self.errors(root) == ["root/error 1"])
  }

  // Rule 5: every descendant is flagged before the first handler runs.
  @Test func `a handler that looks around sees all cancelled`() {
    let seen = Log<[Bool]>()
    let root = Baton()
    let middle = root.makeChild()
    let leaves = (0..<3).map { _ in middle.makeChild() }
    let all = [root, middle] + leaves
    for baton in all {
      baton.onCancel { seen.add(all.map { $0.core.current.isCancelled }) }
    }
    middle.cancelAll()
    #expect(seen.all == Array(repeating: Array(repeating: true, count: 5), count: 5))
    for leaf in leaves { leaf.withPass {} }
    #expect(root.isComplete)
  }

  // A leaf which nobody asked is not in its parent's list; it looks up when it seals.
  @Test func `a child that never registered ends as cancelled under a cancelled parent`() {
    let log = Log<Bool>()
    let root = Baton()
    let child = root.makeChild { log.add($0) }
    child.pass()
    root.cancelAll()
    #expect(root.registeredCount == 0)
    child.finish()
    #expect(log.all == [true] && child.outcomeIfComplete?.isCancelled == true)
    #expect(child.isCancelled && root.isCancelled)
  }

  @Test func `a child made after the cancellation is cancelled`() {
    let root = Baton()
    root.pass()
    root.cancelAll()
    let told = Counter()
    let nameless = root.makeChild()
    let named = root.makeChild(name: "named")
    let grandchild = nameless.makeChild()
    nameless.onCancel { told.add() }
    #expect(told.value == 1)
    #expect(nameless.isCancelled && named.isCancelled && grandchild.isCancelled)
    #expect(!nameless.cancelAll() && !grandchild.cancelAll())
    // Its own error is one, though not the first, and a CancellationError is noise.
    named.cancelAll(SomeError(1))
    named.cancelAll(CancellationError())
    grandchild.cancelAll(CancellationError())
    for baton in [named, grandchild] { baton.withPass {} }
    root.finish()
    #expect(Self.errors(root) == ["named/error 1"])
  }

  // The same for one that never registered: asked for nothing, it is cancelled only by its parent's flag.
  @Test func `a cancel of a child under a cancelled parent is not the first`() {
    let root = Baton()
    root.pass()
    root.cancelAll(SomeError(1))
    let child = root.makeChild()
    child.pass(count: 3)
    #expect(!child.cancelAll(CancellationError()))
    child.cancel(CancellationError())
    child.cancel(SomeError(2))
    child.finish()
    root.finish()
    #expect(Self.errors(child) == ["error 2"])
    #expect(Self.errors(root) == ["error 1", "error 2"])
  }

  // MARK: Up

  // Behaviour 20: heard before the branch has drained.
  @Test func `a propagating child cancels its ancestors at once, and their other children`() {
    let log = Log<String>()
    let root = Baton(name: "root") { log.add("root \($0)") }
    let branch = root.makeChild(name: "branch")
    let leaf = branch.makeChild(name: "leaf")
    let sibling = root.makeChild(name: "sibling")
    root.onCancel(log.adder("root told"))
    sibling.onCancel(log.adder("sibling told"))
    leaf.pass(count: 2)
    sibling.pass()
    leaf.cancel(SomeError(1))
    #expect(Set(log.all) == ["root told", "sibling told"])
    #expect(root.isCancelled && branch.isCancelled && sibling.isCancelled && !leaf.isComplete)
    leaf.finish()
    sibling.finish()
    #expect(log.all.last == "root true")
    #expect(Self.errors(root) == ["root/branch/leaf/error 1"])
    #expect(Self.errors(branch) == Self.errors(root) && Self.errors(sibling).isEmpty)
  }

  // Behaviour 20.
  @Test func `a contained child leaves its parent and its siblings untouched`() {
    let log = Log<String>()
    let root = Baton { log.add("root \($0)") }
    let branch = root.makeChild(cancellation: .contained) { log.add("branch \($0)") }
    let leaf = branch.makeChild(name: "leaf")
    let sibling = root.makeChild { log.add("sibling \($0)") }
    leaf.pass()
    sibling.pass()
    leaf.cancel(SomeError(1))
    #expect(branch.isCancelled && !root.isCancelled && !sibling.isCancelled)
    sibling.finish()
    #expect(log.all == ["branch true", "sibling false", "root false"])
    #expect(Self.errors(branch) == ["leaf/error 1"] && Self.errors(root).isEmpty)
  }

  // Behaviour 13: order of arrival at each baton; nothing twice.
  @Test func `the first failure climbs at once, the later ones with the completion`() {
    let root = Baton(name: "root")
    let branch = root.makeChild(name: "branch")
    let leaf = branch.makeChild(name: "leaf")
    leaf.pass(count: 3)
    root.pass()
    leaf.cancel(SomeError(1))
    leaf.cancel(SomeError(2))
    branch.cancelAll(SomeError(3))
    root.cancelAll(SomeError(4))
    leaf.cancelAll(CancellationError())
    leaf.cancel(SomeError(5))
    root.finish()
    #expect(Self.errors(leaf) == [1, 2, 5].map { "root/branch/leaf/error \($0)" })
    #expect(Self.errors(branch).map { $0.suffix(1) } == ["1", "3", "2", "5"])
    #expect(Self.errors(root).map { $0.suffix(1) } == ["1", "4", "3", "2", "5"])
    #expect(Self.errors(root)[2] == "root/branch/error 3" && Self.errors(root)[1] == "root/error 4")
  }

  // A failure stops climbing at the first ancestor that is cancelled already, and goes on from there later.
  /// Rule 5, found by the fuzzer: the handler below ends all three, whose own handlers must have run by then.
  @Test func `handlers above run before one below that ends them all`() {
    let log = Log<String>()
    let top = Baton { _ in log.add("top completed") }
    let middle = top.makeChild { _ in log.add("middle completed") }
    let bottom = middle.makeChild { _ in log.add("bottom completed") }
    let pass = bottom.makePass()
    pass.onCancel { [weak pass] in pass?.finish() }
    middle.onCancel { log.add("middle cancelled") }
    top.onCancel { log.add("top cancelled") }
    bottom.cancelAll()
    #expect(
      log.all == ["top cancelled", "middle cancelled", "bottom completed", "middle completed", "top completed"])
  }

  @Test func `a second branch's failure is heard as far as there is news in it`() {
    let events = EventLog()
    let root = Baton(name: "root", observer: events)
    let (left, right) = (root.makeChild(name: "left"), root.makeChild(name: "right"))
    left.pass()
    right.pass()
    left.cancel(SomeError(1))
    right.cancel(SomeError(2))
    #expect(Self.errors(root) == ["root/left/error 1", "root/right/error 2"])
    #expect(
      events.lines.filter { $0.contains(": cancelled") } == [
        "root: cancelled error 1", "left: cancelled error 1", "right: cancelled",
      ])
  }

  @Test func `a child that is cancelled without an error brings none`() {
    let root = Baton()
    let child = root.makeChild()
    child.pass(count: 2)
    child.cancel()
    #expect(root.isCancelled)
    child.cancel(SomeError(1))
    #expect(Self.errors(root) == ["error 1"])
  }

  @Test func `a CancellationError of a child is recorded only where it is news`() {
    let root = Baton()
    root.pass()
    let first = root.makeChild(name: "first")
    first.pass()
    first.cancel(CancellationError())
    let second = root.makeChild(name: "second", cancellation: .contained)
    second.pass()
    second.cancel(CancellationError())
    root.finish()
    let errors = root.outcomeIfComplete?.failures ?? []
    #expect(errors.map(\.path) == [["first"]] && errors.first?.error is CancellationError)
    #expect(second.outcomeIfComplete?.failures.isEmpty == true)
  }

  // Behaviour 23: what abandonment leaves behind goes up like any other failure.
  @Test func `an abandoned child is heard by its parent`() {
    let root = Baton()
    let child = root.makeChild(name: "child")
    child.pass(count: 2)
    #expect(child.abandon(SomeError(1)))
    #expect(root.isComplete)
    #expect(Self.errors(root) == ["child/error 1", "child/abandoned with 2 passes out"])
  }
}
