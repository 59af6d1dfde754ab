// Children that come and go beside cancellation, abandonment and completion. (Children.swift, Completing.swift)

import Testing

@testable import Baton

@Suite struct ChildRacesTests {
  struct Tree: Sendable {
    let root = Baton()
    let child: Baton
    let told = Counter()

    init(registers: Bool, cancellation: Baton.CancellationPolicy = .propagates) {
      child = root.makeChild(name: registers ? "child" : nil, cancellation: cancellation)
      child.pass()
    }

    /// Nothing is left of the child in its parent.
    var isClean: Bool {
      root.registeredCount == 0 && !child.hasParent
    }
  }

  // Rule 5: or the tree would say that all is well while a branch of it isn't.
  @Test(arguments: [false, true])
  func `a parent never finishes when its child was cancelled`(registers: Bool) async {
    let failed = await race(rounds: Rounds.few * 2) { _ in
      Tree(registers: registers)
    } _: { tree in
      tree.child.cancelAll(SomeError(1))
    } _: { tree in
      tree.child.finish()
    } check: { tree in
      guard let root = tree.root.outcomeIfComplete, let child = tree.child.outcomeIfComplete else { return false }
      return root.isCancelled == child.isCancelled && root.failures.count == child.failures.count && tree.isClean
        && root.failures.count == (root.isCancelled ? 1 : 0)
    }
    #expect(failed == 0)
  }

  // The same through several levels, with a second failure on its way up.
  @Test func `failures arrive once each, however they climb`() async {
    let failed = await race { _ -> (root: Baton, middle: Baton, leaves: [Baton]) in
      let root = Baton()
      let middle = root.makeChild()
      let leaves = [middle.makeChild(), middle.makeChild()]
      for leaf in leaves { leaf.pass() }
      return (root: root, middle: middle, leaves: leaves)
    } _: { tree in
      tree.leaves[0].cancel(SomeError(1))
    } _: { tree in
      tree.leaves[1].cancel(SomeError(2))
    } _: { tree in
      tree.middle.cancelAll(SomeError(3))
    } check: { tree in
      func numbers(_ baton: Baton) -> [Int] { baton.outcomeIfComplete?.numbers.sorted() ?? [] }
      // The last one may come after the end.
      return (numbers(tree.root) == [1, 2, 3] || numbers(tree.root) == [1, 2])
        && numbers(tree.root) == numbers(tree.middle)
    }
    #expect(failed == 0)
  }

  // Whoever is in is told; whoever comes later finds the flag.
  @Test func `registering races the parent's cancellation`() async {
    let failed = await race(rounds: Rounds.few * 2) { _ in
      Tree(registers: false)
    } _: { tree in
      tree.root.cancelAll()
    } _: { tree in
      tree.child.onCancel { tree.told.add() }
    } _: { tree in
      let grandchild = tree.child.makeChild(name: "grandchild")
      grandchild.onCancel { tree.told.add() }
      grandchild.withPass {}
    } check: { tree in
      let isCancelled = tree.child.isCancelled
      tree.child.finish()
      // The grandchild may have finished before.
      return isCancelled && (1...2 ~= tree.told.value) && tree.child.outcomeIfComplete?.isCancelled == true
        && tree.root.outcomeIfComplete?.isCancelled == true && tree.isClean
    }
    #expect(failed == 0)
  }

  // When a cancellation returns, all below is flagged, whoever else is at it.
  @Test func `two cancellations at once both return when all is cancelled`() async {
    let failed = await race { _ -> (chain: [Baton], unflagged: Counter) in
      var chain = [Baton()]
      for number in 1..<20 { chain.append(chain[number - 1].makeChild(name: "child")) }
      return (chain, Counter())
    } _: { tree in
      tree.chain[0].cancelAll()
      if !tree.chain[19].core.current.isCancelled { tree.unflagged.add() }
    } _: { tree in
      tree.chain[0].cancelAll()
      if !tree.chain[19].core.current.isCancelled { tree.unflagged.add() }
    } _: { tree in
      tree.chain[10].cancelAll()
      if !tree.chain[19].core.current.isCancelled { tree.unflagged.add() }
    } check: { tree in
      tree.chain[19].withPass {}
      return tree.unflagged.value == 0 && tree.chain.allSatisfy(\.isComplete)
    }
    #expect(failed == 0)
  }

  // A look registers the child: for nobody may there be a moment at which it is not cancelled.
  @Test func `two looks at a child of a cancelled parent both say that it is cancelled`() async {
    let failed = await race(rounds: Rounds.few * 2) { _ -> Tree in
      let tree = Tree(registers: false)
      tree.root.cancelAll()
      return tree
    } _: { tree in
      if tree.child.isCancelled { tree.told.add() }
    } _: { tree in
      if tree.child.isCancelled { tree.told.add() }
    } check: { tree in
      tree.child.finish()
      return tree.told.value == 2
    }
    #expect(failed == 0)
  }

  // Behaviour 18, through a parent.
  @Test func `a child's cancel handler runs once, whoever is first`() async {
    let failed = await race(rounds: Rounds.few) { round in
      Tree(registers: round % 2 == 0)
    } _: { tree in
      tree.root.cancelAll()
    } _: { tree in
      tree.child.cancelAll()
    } _: { tree in
      for _ in 0..<3 { tree.child.onCancel { tree.told.add() } }
    } check: { tree in
      tree.child.finish()
      return tree.told.value == 3 && tree.root.outcomeIfComplete?.isCancelled == true && tree.isClean
    }
    #expect(failed == 0)
  }

  // Two looks register beside each other, and beside the completion.
  @Test func `registering races the child's own completion`() async {
    let failed = await race(rounds: Rounds.few * 2) { _ in
      let tree = Tree(registers: false)
      tree.root.pass()
      return tree
    } _: { tree in
      tree.child.finish()
    } _: { tree in
      _ = tree.child.isCancelled
    } _: { tree in
      let told = tree.told
      tree.child.onCancel { told.add() }
    } check: { tree in
      let isClean = tree.isClean && tree.root.tally == Baton.Tally(passed: 2, outstanding: 1)
      tree.root.cancelAll()
      tree.root.finish()
      return isClean && tree.told.value == 0 && tree.child.outcomeIfComplete?.isCancelled == false
    }
    #expect(failed == 0)
  }

  // Rule 4: whatever comes after the end is absorbed; what was there before is told.
  @Test func `making children races the parent's abandonment`() async {
    let failed = await race(rounds: Rounds.few) { round in
      Tree(registers: round % 2 == 0)
    } _: { tree in
      tree.root.abandon()
    } _: { tree in
      for name in [nil, "child"] {
        let child = tree.root.makeChild(name: name) { [told = tree.told] cancelled in told.add(cancelled ? 100 : 1) }
        child.withPass {}
      }
    } _: { tree in
      _ = tree.child.isCancelled
      let grandchild = tree.child.makeChild()
      grandchild.withPass {}
    } check: { tree in
      let isCancelled = tree.child.isCancelled
      tree.child.finish()
      let tally = tree.root.tally
      return isCancelled && tree.told.value % 100 + tree.told.value / 100 == 2 && tree.isClean
        && tally.outstanding >= 1 && tree.child.outcomeIfComplete?.isCancelled == true
    }
    #expect(failed == 0)
  }

  // Rule 2: the last child's pass against the parent's own.
  @Test func `children and passes come back beside each other`() async {
    let failed = await race { round in
      let completed = Counter()
      let root = Baton { _ in completed.add() }
      let children = (0..<2).map { number in root.makeChild(name: round % 3 == number ? "child" : nil) { _ in } }
      for child in children { child.pass() }
      root.pass()
      return (root: root, children: children, completed: completed)
    } _: { tree in
      tree.children[0].finish()
    } _: { tree in
      tree.children[1].finish()
    } _: { tree in
      tree.root.finish()
    } check: { tree in
      tree.completed.value == 1 && tree.root.tally == Baton.Tally(passed: 3, outstanding: 0)
        && tree.root.registeredCount == 0
    }
    #expect(failed == 0)
  }

  // Rule 3: the last two to hold the parent let it go at the same moment, one of them a child.
  @Test func `a parent is let go beside its last child's completion`() async {
    let completed = Counter()
    let failed = await race(rounds: Rounds.few) { round in
      let root = Baton { _ in completed.add() }
      let child = root.makeChild(name: round % 2 == 0 ? "child" : nil)
      child.pass()
      return (root: Holder(root), child: Holder(child))
    } _: { tree in
      tree.root.drop()
    } _: { tree in
      tree.child.take()?.finish()
    } check: { _ in
      true
    }
    #expect(failed == 0 && completed.value == Rounds.few)
  }

  // Rule 3, with bare passes that nobody is left to hand back.
  @Test func `an abandoned parent is let go beside its children's completion`() async {
    Baton.onMisuse { _ in }
    let cancelled = Counter()
    let failed = await race(rounds: Rounds.few) { _ in
      let root = Baton { if $0 { cancelled.add() } }
      root.pass()
      let children = (0..<2).map { _ in root.makeChild() }
      for child in children { child.pass() }
      return (root: Holder(root), first: Holder(children[0]), second: Holder(children[1]))
    } _: { tree in
      tree.first.take()?.finish()
    } _: { tree in
      tree.second.take()?.finish()
    } _: { tree in
      tree.root.drop()
    } check: { _ in
      true
    }
    #expect(failed == 0 && cancelled.value == Rounds.few)
  }

  // Rule 7: no lock of one baton while another's is held, in whatever direction they go.
  @Test func `cancellations from above and from below meet without a deadlock`() async {
    let failed = await race(rounds: Rounds.few / 2) { _ -> [Baton] in
      var chain = [Baton()]
      for number in 1..<20 { chain.append(chain[number - 1].makeChild(name: number % 2 == 0 ? "named" : nil)) }
      chain[19].pass()
      return chain
    } _: { chain in
      chain[0].cancelAll(SomeError(1))
    } _: { chain in
      chain[19].cancelAll(SomeError(2))
    } _: { chain in
      for baton in chain.reversed() { _ = baton.debugDescription }
    } check: { chain in
      let allCancelled = chain.allSatisfy(\.isCancelled)
      chain[19].finish()
      let numbers = chain[0].outcomeIfComplete?.numbers ?? []
      return allCancelled && chain.allSatisfy { $0.outcomeIfComplete?.isCancelled == true } && Set(numbers) == [1, 2]
        && numbers.count == 2
    }
    #expect(failed == 0)
  }
}
