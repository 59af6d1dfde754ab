// What a cascade loads, and how it says so. (Cascade.swift, CascadeRun.swift)

import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct CascadeTests {
  typealias Loads = HeldLoads<String>

  /// All of a tree, loaded; what was wrong with it.
  private func faults(_ children: [String: [String]], roots: [String]) async -> [String] {
    let (tree, log) = (Tree(children: children), Log<String>())
    let cascade = Tree.Cascade(name: "C", limit: 2) { id in
      log.add(id)
      return tree.loaded(id)
    }
    return tree.faults(of: await cascade.run(roots), roots: roots, loads: log.all, name: "C")
  }

  // MARK: Each id once

  @Test func `an id that many parents and branches reach is loaded once`() async {
    let tree = ["a": ["x", "y"], "b": ["x", "y"], "c": ["y", "x", "x"], "x": ["z"], "y": ["z"]]
    #expect(await faults(tree, roots: ["a", "b", "c"]) == [])
  }

  @Test func `circles and self references end`() async {
    #expect(await faults(["a": ["a"]], roots: ["a"]) == [])
    #expect(await faults(["a": ["b", "a"], "b": ["c"], "c": ["a", "b", "c"]], roots: ["a"]) == [])
  }

  @Test func `branches that contain each other's roots all complete`() async {
    #expect(await faults(["a": ["b"], "b": ["c"], "c": ["a"]], roots: ["a", "b", "c"]) == [])
    #expect(await faults(["a": ["b"], "b": ["a", "x"]], roots: ["b", "a", "x"]) == [])
  }

  @Test func `a root that is listed again counts once`() async {
    let loads = Loads(Tree(children: ["a": ["b"]]))
    let run = Reported(loads.cascade(), ["a", "b", "a", "a"])
    #expect(loads.started == ["a", "b"])
    loads.allComeBack()
    #expect(run.complete == ["a", "b"])
    #expect(run.report?.branches.count == 2)
  }

  @Test func `no roots are done at once`() async {
    let cascade = Tree<String>.Cascade(name: "C") { _ in throw SomeError() }
    let report = await cascade.run([])
    #expect(report.resources.isEmpty && report.failures.isEmpty && report.branches.isEmpty)
    #expect(!report.outcome.isCancelled)
    for await branch in cascade.branches(from: []) { Issue.record("There is a branch \(branch.root).") }
    let completed = Counter()
    let baton = cascade.start([String]()) { _ in completed.add() }
    #expect(completed.value == 1 && baton.isComplete && baton.name == "C")
  }

  @Test func `a report's branches know what they reach`() async {
    let tree = Tree(children: ["a": ["x"], "b": ["x", "y"], "y": ["b"]])
    let report = await Tree.Cascade { id in tree.loaded(id) }.run(["a", "b"])
    #expect(report.branches["a"]?.ids == ["a", "x"])
    #expect(report.branches["b"]?.ids == ["b", "x", "y"])
    #expect(report.branches["x"] == nil)
  }

  // MARK: Branches

  @Test func `a branch is reported as soon as all that it reaches has settled`() {
    let loads = Loads(Tree(children: ["a": ["x"], "b": ["x", "y"], "c": []]))
    let run = Reported(loads.cascade(), ["a", "b", "c"])
    #expect(run.complete == [])
    loads.comeBack("c")
    #expect(run.complete == ["c"])
    loads.comeBack("a")
    loads.comeBack("b")
    #expect(run.complete == ["c"])
    loads.comeBack("x")
    #expect(run.complete == ["c", "a"])
    #expect(run.branches.all.last?.ids == ["a", "x"])
    #expect(run.reportCount == 0)
    loads.comeBack("y")
    #expect(run.complete == ["c", "a", "b"])
    #expect(run.reportCount == 1)
  }

  /// `b` names only what has settled already, so it is complete with itself.
  @Test func `a branch that reaches only what has settled is complete at once`() {
    let loads = Loads(Tree(children: ["a": ["x"], "x": ["y"], "b": ["x"]]))
    let run = Reported(loads.cascade(), ["a", "b"])
    for id in ["a", "x", "y"] { loads.comeBack(id) }
    #expect(run.complete == ["a"])
    loads.comeBack("b")
    #expect(run.complete == ["a", "b"])
  }

  @Test func `branches in one circle complete together`() {
    let loads = Loads(Tree(children: ["a": ["b"], "b": ["c"], "c": ["a"]]))
    let run = Reported(loads.cascade(), ["a", "b", "c"])
    loads.comeBack("a")
    loads.comeBack("c")
    #expect(run.complete == [])
    loads.comeBack("b")
    #expect(run.complete == ["a", "b", "c"])
  }

  @Test func `a branch that holds another's root waits for it, and not the other way round`() {
    let loads = Loads(Tree(children: ["a": ["b", "x"]]))
    let run = Reported(loads.cascade(), ["a", "b"])
    loads.comeBack("a")
    loads.comeBack("b")
    #expect(run.complete == ["b"])
    loads.comeBack("x")
    #expect(run.complete == ["b", "a"])
  }

  @Test func `the sequence of branches tells of each as it settles, and ends`() async {
    let loads = Loads(Tree(children: ["a": ["x"], "b": ["y"]], failing: ["y"]))
    var branches = loads.cascade(name: "C").branches(from: ["a", "b"]).makeAsyncIterator()
    loads.comeBack("b")
    loads.comeBack("y")
    let first = await branches.next()
    #expect(first?.root == "b" && first?.outcome.failures.map(\.path) == [["C", "y"]])
    loads.comeBack("a")
    loads.comeBack("x")
    let second = await branches.next()
    #expect(second?.root == "a" && second?.outcome.isCancelled == false && second?.ids == ["a", "x"])
    #expect(await branches.next() == nil)
  }

  // MARK: Failures

  @Test func `a failure fails exactly the branches that reach it`() throws {
    let loads = Loads(
      Tree(
        children: ["a": ["x", "y"], "b": ["y", "z"], "c": ["z"], "d": ["e"], "e": ["d", "x"]], failing: ["x", "y"]))
    let run = Reported(loads.cascade(name: "Catalogue"), ["a", "b", "c", "d"])
    loads.allComeBack()
    let report = try #require(run.report)
    #expect(loads.tree.faults(of: report, roots: ["a", "b", "c", "d"], loads: loads.started, name: "Catalogue") == [])
    #expect(report.branches.values.filter { !$0.outcome.isCancelled }.map(\.root) == ["c"])
    #expect(report.branches["a"]?.outcome.failures.map(\.path) == [["Catalogue", "x"], ["Catalogue", "y"]])
    #expect(report.outcome.failures.map(\.path) == [["Catalogue", "x"], ["Catalogue", "y"]])
  }

  @Test func `a branch is failed by what failed before it was known to reach it`() {
    let loads = Loads(Tree(children: ["a": ["x"], "b": ["y"], "y": ["x"]], failing: ["x"]))
    let run = Reported(loads.cascade(), ["a", "b"])
    for id in ["a", "x", "b"] { loads.comeBack(id) }
    #expect(run.complete == ["a"])
    loads.comeBack("y")
    #expect(run.complete == ["a", "b"])
    #expect(run.report?.branches["b"]?.outcome.failures.map(\.path) == [["x"]])
  }

  /// The classic mistake is a load that its first branch owns: once that has failed it never starts.
  @Test func `a load that a failed branch found first is there for the others`() {
    let loads = Loads(Tree(children: ["a": ["bad", "x"], "x": ["y"], "b": ["x"]], failing: ["bad"]))
    let run = Reported(loads.cascade(limit: 1), ["a", "b"])
    loads.allComeBack()
    #expect(loads.started == ["a", "b", "bad", "x", "y"])
    #expect(run.report?.branches["b"]?.outcome.isCancelled == false)
    #expect(run.report?.branches["a"]?.outcome.failures.count == 1)
    #expect(run.report?.branches["a"]?.ids == ["a", "bad", "x", "y"])
  }

  @Test func `a failure stops nothing`() {
    let loads = Loads(Tree(children: ["a": ["bad", "x"], "x": ["y"]], failing: ["bad"]))
    let run = Reported(loads.cascade(limit: 1), ["a"])
    loads.comeBack("a")
    loads.comeBack("bad")
    #expect(!run.baton.isCancelled && run.complete == [])
    loads.allComeBack()
    #expect(run.report?.resources.keys.sorted() == ["a", "x", "y"])
    #expect(run.baton.isCancelled && run.report?.outcome.isCancelled == true)
  }

  @Test func `a failed load is not remembered for a later run`() async {
    let attempts = Counter()
    let cascade = Baton.Cascade<String, Int> { _ in
      guard attempts.add() > 1 else { throw SomeError(1) }
      return .init(attempts.value, children: [])
    }
    #expect(await cascade.run(["a"]).outcome.numbers == [1])
    let second = await cascade.run(["a"])
    #expect(second.resources == ["a": 2] && !second.outcome.isCancelled)
    #expect(await cascade.run(["a"]).resources == ["a": 3])
  }

  // MARK: What is at hand

  @Test func `what is at hand is not loaded, and its children are followed`() async {
    let tree = Tree(
      children: ["a": ["b", "x"], "b": ["c", "a"], "c": ["y"]], failing: ["y"], atHand: ["b", "c", "x", "y2"])
    let (asked, loads) = (Log<String>(), Log<String>())
    let cascade = Tree.Cascade(
      alreadyHave: { id in
        asked.add(id)
        return tree.alreadyHave(id)
      },
      load: { id in
        loads.add(id)
        return try tree.result(id).get()
      })
    let report = await cascade.run(["a", "y2", "b"])
    #expect(tree.faults(of: report, roots: ["a", "y2", "b"], loads: loads.all) == [])
    #expect(asked.all.sorted() == ["a", "b", "c", "x", "y", "y2"])
  }

  @Test func `what is at hand needs no permit`() {
    let loads = Loads(Tree(children: ["b": ["c"], "c": ["d"]], atHand: ["b", "c", "d"]))
    let limit = Baton.Limiter(1)
    let run = Reported(loads.cascade(limit: limit), ["a", "b"])
    #expect(run.complete == ["b"] && loads.out == ["a"] && limit.counts == (1, 0))
    loads.comeBack("a")
    #expect(run.report?.resources.count == 4 && limit.counts == (0, 0))
  }

  @Test func `a long chain of what is at hand ends on a small stack`() async {
    let length = 100_000
    let report = await onSmallStack {
      let cascade = Baton.Cascade<Int, Int>(
        alreadyHave: { .init($0, children: $0 < length ? [$0 + 1] : []) }, load: { _, pass in pass.cancel() })
      let reported = Log<Baton.Cascade<Int, Int>.Report>()
      cascade.start([0]) { reported.add($0) }
      return reported.all.first
    }
    #expect(report?.resources.count == length + 1 && report?.outcome.isCancelled == false)
  }
}
