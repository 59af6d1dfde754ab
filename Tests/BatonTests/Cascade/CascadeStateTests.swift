// CascadeStateTests: a cascade's decisions, transition by transition.

import Testing

@testable import Baton

@Suite struct CascadeStateTests {
  typealias State = CascadeState<String>

  // MARK: Loads

  @Test func `a run starts with its roots`() {
    let state = State(roots: ["a", "b"])
    #expect(state.branchCount == 2)
    #expect(!state.isDone)
    #expect(state.waiting == [0, 1])
    #expect(state.id(at: 1) == "b")
  }

  @Test func `a run without roots is done at once`() {
    var state = State(roots: [])
    #expect(state.isDone)
    #expect(state.waiting.isEmpty)
    #expect(state.cancel() == CascadeDecision(loads: 0..<0, completed: []))
  }

  @Test func `a root that is listed twice is one branch`() {
    var state = State(roots: ["a", "b", "a"])
    #expect(state.branchCount == 2)
    #expect(state.load("a")?.completed == [0])
    #expect(state.load("b")?.completed == [1])
    #expect(state.isDone)
  }

  @Test func `each id is loaded once`() {
    var state = State(roots: ["a", "b"])
    #expect(state.load("a", ["c", "b", "c", "a", "d"])?.loads == 2..<4)
    #expect(state.load("b", ["d", "c"])?.loads.isEmpty == true)
    #expect(state.load("c", ["a", "b", "c", "d"])?.loads.isEmpty == true)
    #expect(state.count == 4)
  }

  @Test func `discovery is breadth first and in the order listed`() {
    var state = State(roots: ["a", "b"])
    let children = ["a": ["a1", "a2"], "b": ["b1", "a1", "b2"], "a1": ["deep"], "b1": ["a2", "deeper"]]
    var order: [String] = []
    while let index = state.waiting.first {
      order.append(state.id(at: index))
      _ = state.load(order[order.count - 1], children[order[order.count - 1]] ?? [])
    }
    #expect(order == ["a", "b", "a1", "a2", "b1", "b2", "deep", "deeper"])
  }

  @Test func `an id is started once and never after it has settled`() {
    var state = State(roots: ["a", "b"])
    #expect([state.start(1), state.start(1)] == [true, false])
    #expect(state.state(at: 1) == .loading)
    #expect([state.start(0)] == [true])
    #expect(state.load("a", ["c"])?.loads == 2..<3)
    #expect(state.fail("c") != nil)
    #expect([state.start(2)] == [false])
    #expect(state.waiting.isEmpty)
  }

  @Test func `what is at hand settles without having started`() {
    var state = State(roots: ["a"])
    #expect(state.load("a", ["b"])?.loads == 1..<2)
    #expect(state.state(at: 0) == .loaded)
  }

  @Test func `a second settle changes nothing and says so`() {
    var state = State(roots: ["a", "b"])
    _ = state.load("a", ["c"])
    _ = state.fail("b")
    #expect(state.load("a", ["d"]) == nil)
    #expect(state.fail("a") == nil)
    #expect(state.load("b", ["d"]) == nil)
    #expect(state.fail("b") == nil)
    #expect(state.count == 3)
    #expect(state.failures(of: 1) == [1])
  }

  // MARK: Branches

  @Test func `a branch is complete when the last that it reaches has settled`() {
    var state = State(roots: ["a"])
    #expect(state.load("a", ["b", "c"])?.completed == [])
    #expect(state.load("c", ["d"])?.completed == [])
    #expect(state.load("b")?.completed == [])
    #expect(!state.isComplete(branch: 0))
    #expect(state.load("d")?.completed == [0])
    #expect(state.isComplete(branch: 0) && state.isDone)
  }

  @Test func `a branch doesn't wait for what it doesn't reach`() {
    var state = State(roots: ["a", "b"])
    _ = state.load("b", ["b1"])
    #expect(state.load("a")?.completed == [0])
    #expect(!state.isDone)
  }

  @Test func `branches that share an id complete with it in the order of the roots`() {
    var state = State(roots: ["a", "b", "c"])
    _ = state.load("c", ["shared"])
    _ = state.load("a", ["shared"])
    #expect(state.load("b", ["b1"])?.completed == [])
    #expect(state.load("shared")?.completed == [0, 2])
    #expect(state.load("b1")?.completed == [1])
  }

  @Test func `a branch that arrives late waits for what is still out below`() {
    var state = State(roots: ["a", "b"])
    _ = state.load("a", ["x"])
    _ = state.load("x", ["y"])
    _ = state.load("y", ["z"])
    #expect(state.load("b", ["x"])?.completed == [])
    #expect(state.load("z")?.completed == [0, 1])
  }

  @Test func `a branch that arrives when all below has settled is complete at once`() {
    var state = State(roots: ["a", "b"])
    _ = state.load("a", ["x"])
    _ = state.load("x", ["y"])
    #expect(state.fail("y")?.completed == [0])
    #expect(state.load("b", ["x"])?.completed == [1])
    #expect(state.failures(of: 1).map(state.id) == ["y"])
  }

  @Test func `a circle ends`() {
    var state = State(roots: ["a"])
    _ = state.load("a", ["b"])
    _ = state.load("b", ["c"])
    #expect(state.load("c", ["a", "b", "c"])?.completed == [0])
  }

  @Test func `branches that reach each other complete together`() {
    var state = State(roots: ["a", "b", "c"])
    #expect(state.load("a", ["b"])?.completed == [])
    #expect(state.load("b", ["c"])?.completed == [])
    #expect(state.load("c", ["a", "tail"])?.completed == [])
    #expect(state.load("tail")?.completed == [0, 1, 2])
    #expect(Set(state.ids(of: 1)) == ["a", "b", "c", "tail"])
  }

  @Test(arguments: [65, 129, 200]) func `more branches than a word has bits`(count: Int) {
    let roots = (0..<count).map(String.init)
    var state = State(roots: roots)
    for root in roots.dropLast() { _ = state.load(root, ["x"]) }
    #expect(state.load("x", ["y"])?.completed == [])
    #expect(state.load(roots[count - 1], ["x"])?.completed == [])
    #expect(state.fail("y")?.completed == Array(0..<count))
    #expect((0..<count).allSatisfy { state.failures(of: $0).map(state.id) == ["y"] })
    #expect(state.index(of: "y").map(state.state(at:)) == .failed)
  }

  @Test func `a branch's ids are what it reaches`() {
    var state = State(roots: ["a", "b"])
    _ = state.load("a", ["x", "a1"])
    #expect(state.ids(of: 0) == ["a", "x", "a1"])
    _ = state.load("x", ["y", "b", "x"])
    _ = state.load("b", ["b1"])
    #expect(state.ids(of: 0) == ["a", "x", "a1", "y", "b", "b1"])
    #expect(state.ids(of: 1) == ["b", "b1"])
  }

  // MARK: Failures

  @Test func `a failure fails the branches that reach it and no other`() {
    var state = State(roots: ["a", "b", "c"])
    _ = state.load("a", ["x"])
    _ = state.load("b", ["x", "y"])
    _ = state.load("c", ["y"])
    _ = state.fail("x")
    _ = state.load("y")
    #expect((0..<3).map { state.failures(of: $0).map(state.id) } == [["x"], ["x"], []])
    #expect(state.isDone)
  }

  @Test func `a branch's failures come in the order in which they failed`() {
    var state = State(roots: ["a", "b"])
    _ = state.load("a", ["x", "y", "z"])
    for id in ["z", "x", "y"] { _ = state.fail(id) }
    _ = state.load("b", ["x", "w", "z"])
    _ = state.fail("w")
    #expect(state.failures(of: 0).map(state.id) == ["z", "x", "y"])
    #expect(state.failures(of: 1).map(state.id) == ["z", "x", "w"])
  }

  @Test func `a branch's failure leaves the loads that it found to the others`() {
    var state = State(roots: ["a", "b"])
    _ = state.load("a", ["bad", "shared"])
    _ = state.fail("bad")
    _ = state.load("b", ["shared"])
    #expect(state.waiting.map(state.id) == ["shared"])
    #expect(state.load("shared")?.completed == [0, 1])
    #expect(state.failures(of: 1).isEmpty)
  }

  // MARK: Cancelling

  @Test func `cancelling settles what has not started and leaves what is loading`() {
    var state = State(roots: ["a", "b", "c"])
    #expect([state.start(0)] == [true])
    #expect(state.cancel() == CascadeDecision(loads: 3..<3, completed: [1, 2]))
    #expect((0..<3).map(state.state) == [.loading, .cancelled, .cancelled])
    #expect(state.waiting.isEmpty)
    #expect(state.failures(of: 2) == [2])
    #expect(state.cancel().completed == [])
  }

  @Test func `what a cancelled run discovers is cancelled at once`() {
    var state = State(roots: ["a", "b"])
    #expect([state.start(0), state.start(1)] == [true, true])
    #expect(state.cancel().completed == [])
    #expect(state.load("b", ["x", "y"]) == CascadeDecision(loads: 4..<4, completed: [1]))
    #expect(state.load("a", ["y", "b"])?.completed == [0])
    #expect(state.failures(of: 1).map(state.id) == ["x", "y"])
    #expect(state.failures(of: 0).map(state.id) == ["x", "y"])
    #expect(state.isDone)
  }

  @Test func `abandoning settles everything and what comes later is surplus`() {
    var state = State(roots: ["b", "a"])
    _ = state.start(0)
    _ = state.load("a", ["x"])
    #expect(state.abandon().completed == [0, 1])
    #expect(state.isDone && state.isCancelled)
    #expect(state.load("b", ["y"]) == nil)
    #expect(state.failures(of: 1).map(state.id) == ["x"])
  }
}

extension CascadeState {
  /// Settles a discovered id, known by itself.
  mutating func load(_ id: ID, _ children: [ID] = []) -> CascadeDecision? {
    index(of: id).flatMap { settled($0, children: CascadeChildren(children)) }
  }

  mutating func fail(_ id: ID) -> CascadeDecision? {
    index(of: id).flatMap { failed($0) }
  }

  /// What has not started, breadth first.
  fileprivate var waiting: [Int] { (0..<count).filter { state(at: $0) == .waiting } }
}
