// In which order a cascade loads, and how much at the same time. (CascadeRun.swift)

import Dispatch
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct CascadeLimitTests {
  /// Three levels; breadth first they are in alphabetic order.
  static let levels = Tree(children: [
    "a": ["b", "c", "d"], "b": ["e", "f", "a"], "c": ["f", "g"], "d": ["h", "b"], "e": ["i"], "g": ["j", "i"],
    "h": ["k"],
  ])
  #if DEBUG
  static let many = 20_000
  #else
  static let many = 200_000
  #endif
  static let inOrder = "abcdefghijk".map(String.init)

  // MARK: Breadth first

  @Test(arguments: [nil, 1, 3]) func `discovery is breadth first`(limit: Int?) {
    let loads = HeldLoads(Self.levels)
    let run = Reported(loads.cascade(limit: limit.map { Baton.Limiter($0) }), ["a"])
    loads.allComeBack()
    #expect(loads.started == Self.inOrder)
    #expect(run.report?.outcome.isCancelled == false)
  }

  @Test(arguments: [nil, 1, 3]) func `discovery is breadth first where loads settle at once`(limit: Int?) async {
    let started = Log<String>()
    let cascade = Tree.Cascade(limit: limit.map { Baton.Limiter($0) }) { id, pass in
      started.add(id)
      pass.finish(Self.levels.loaded(id))
    }
    #expect(await cascade.run(["a"]).resources.count == Self.inOrder.count)
    #expect(started.all == Self.inOrder)
  }

  @Test func `one load at a time is breadth first in a large tree whose loads settle at once`() async {
    let count = 10_000
    let started = Log<Int>()
    let cascade = Baton.Cascade<Int, Int>(limit: 1) { id, pass in
      started.add(id)
      pass.finish(.init(id, children: (3 * id + 1...3 * id + 3).filter { $0 < count }))
    }
    #expect(await cascade.run([0]).resources.count == count)
    #expect(started.all == Array(0..<count))
  }

  @Test func `what is at hand doesn't jump the line, and its children don't either`() {
    let loads = HeldLoads(Tree(children: ["a": ["b", "h", "c"], "h": ["i", "d"], "i": ["e"]], atHand: ["h", "i"]))
    _ = Reported(loads.cascade(limit: 1), ["a", "a2"])
    loads.allComeBack()
    #expect(loads.started == ["a", "a2", "b", "c", "d", "e"])
  }

  // MARK: The limit

  @Test func `a permit is handed on as soon as a load settles`() {
    let loads = HeldLoads(Self.levels)
    _ = Reported(loads.cascade(limit: 2), ["a"])
    #expect(loads.out == ["a"])
    loads.comeBack("a")
    #expect(loads.out == ["b", "c"])
    loads.comeBack("c")
    #expect(loads.out == ["b", "d"])
    loads.comeBack("b")
    #expect(loads.out == ["d", "f"])
    #expect(loads.mostOut == 2)
  }

  @Test func `the limit is never exceeded, and made use of`() async {
    let (now, most, gate) = (Counter(), Log<Int>(), Gate())
    let tree = Tree(random: 3, upTo: 400)
    let wide = Tree(children: [-1: Array(0..<200)].merging(tree.children) { $1 })
    let cascade = Tree.Cascade(limit: 5) { id in
      most.add(now.add())
      // All five permits must be out at once, or the gate stays shut.
      if now.value == 5 { gate.open() }
      if id >= 0 { await gate.wait() }
      await Task.yield()
      now.add(-1)
      return wide.loaded(id)
    }
    #expect(await cascade.run([-1]).resources.count == wide.reached(from: -1).count)
    #expect(most.all.max() == 5)
  }

  @Test func `two runs at once share the limit`() {
    let (left, right) = (Counter(), Counter())
    let loads = HeldLoads(Tree(children: ["a": ["x", "y"], "b": ["x", "z"]]))
    let limit = Baton.Limiter(2)
    let cascade = loads.cascade(limit: limit)
    cascade.start(["a", "a2", "a3"]) { left.add($0.resources.count) }
    cascade.start(["b", "b2"]) { right.add($0.resources.count) }
    #expect(loads.out == ["a", "a2"] && limit.counts == (2, 3))
    loads.comeBack("a2")
    loads.comeBack("a")
    // First come, first served, over both runs.
    #expect(loads.out == ["a3", "b"])
    loads.comeBack("b")
    loads.comeBack("a3")
    #expect(loads.out == ["b2", "x"])
    loads.comeBack("b2")
    #expect(loads.out == ["x", "y"])
    loads.comeBack("y")
    loads.comeBack("x")
    // Each run loads what it reaches: they share permits, not loads.
    #expect(loads.out == ["x", "z"] && left.value == 5 && right.value == 0)
    loads.allComeBack()
    #expect(right.value == 4 && loads.mostOut == 2 && limit.counts == (0, 0))
  }

  @Test func `a cancelled run leaves its place in the line to others`() {
    let loads = HeldLoads(Tree<String>(children: [:]))
    let limit = Baton.Limiter(1)
    let cascade = loads.cascade(limit: limit)
    let first = Reported(cascade, ["a", "b", "c"])
    let second = Reported(cascade, ["d", "e"])
    first.baton.cancelAll()
    #expect(loads.out == ["a"])
    loads.comeBack("a")
    #expect(loads.out == ["d"] && first.report?.resources.count == 1)
    loads.allComeBack()
    #expect(second.report?.resources.count == 2 && limit.counts == (0, 0))
  }

  @Test func `a limit may be shared with a baton's runners`() {
    let limit = Baton.Limiter(1)
    let (other, held) = (Baton(limit: limit), Holder<Baton.Pass>(nil))
    other.pass()
    other.start { held.put($0) }
    let loads = HeldLoads(Self.levels)
    let run = Reported(loads.cascade(limit: limit), ["k"])
    #expect(loads.started.isEmpty)
    held.take()?.finish()
    loads.allComeBack()
    #expect(run.report?.resources == ["k": "k"])
    other.finish()
  }

  // MARK: Depth (rule 8)

  @Test(arguments: [nil, 1, 3]) func `a long chain of loads that settle at once ends on a small stack`(limit: Int?)
    async
  {
    let length = Self.many
    let cascade = Baton.Cascade<Int, Int>(limit: limit.map { Baton.Limiter($0) }) { id, pass in
      pass.finish(.init(id, children: id < length ? [id + 1] : []))
    }
    let reported = Log<Baton.Cascade<Int, Int>.Report>()
    let baton = await onSmallStack { cascade.start([0]) { reported.add($0) } }
    #expect(await baton.ending?.isCancelled == false)
    #expect(reported.all.first?.resources.count == length + 1)
  }

  @Test(arguments: [nil, 1, 3]) func `a wide fan of loads that settle at once ends on a small stack`(limit: Int?) async
  {
    let width = Self.many
    let cascade = Baton.Cascade<Int, Int>(limit: limit.map { Baton.Limiter($0) }) { id, pass in
      pass.finish(.init(id, children: id == 0 ? Array(1...width) : []))
    }
    let reported = Log<Baton.Cascade<Int, Int>.Report>()
    let baton = await onSmallStack { cascade.start([0]) { reported.add($0) } }
    #expect(await baton.ending?.isCancelled == false)
    #expect(reported.all.first?.resources.count == width + 1)
  }

  /// Were the next load found in a loop by the thread that settled, it would be held up with that thread.
  @Test func `loads that settle and then block their threads delay nobody`() async {
    let (gate, started, returned) = (Gate(), Counter(), Counter())
    let cascade = Baton.Cascade<Int, Int>(limit: 1) { id, pass in
      started.add()
      pass.finish(.init(id, children: id < 20 ? [id + 1] : []))
      gate.block()
      returned.add()
    }
    let reported = Counter()
    let baton = Holder<Baton>(nil)
    async let begun: Void = onThread { baton.put(cascade.start([0]) { reported.add($0.resources.count) }) }
    await until { reported.value == 21 }
    #expect(started.value == 21 && returned.value == 0)
    gate.open()
    await begun
    await until { returned.value == 21 }
  }

  /// It may be the main thread. A load far down the chain is not over before `start` has returned.
  @Test func `start returns before a long chain of loads that settle at once has ended`() async {
    let (gate, reported) = (Gate(), Counter())
    let cascade = Baton.Cascade<Int, Int>(limit: 8) { id, pass in
      if id == Self.many { gate.block() }
      pass.finish(.init(id, children: id < Self.many ? [id + 1] : []))
    }
    await onThread { _ = cascade.start([0]) { reported.add($0.resources.count) } }
    #expect(reported.value == 0)
    gate.open()
    await until { reported.value == Self.many + 1 }
  }
}
