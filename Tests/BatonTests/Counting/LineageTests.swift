// Who a baton descends from.

import Testing

@testable import Baton

@Suite struct LineageTests {
  @Test func `names go from the root down, and leave out what has none`() throws {
    let root = Baton.Lineage.make(name: "root", parent: nil, observed: false)
    let middle = Baton.Lineage.make(name: nil, parent: root, observed: true)
    let leaf = try #require(Baton.Lineage.make(name: "leaf", parent: middle, observed: false))
    #expect(leaf.names == ["root", "leaf"])
    #expect(leaf.parent === middle && middle?.parent === root)
  }

  @Test func `a baton without name and observer shares its parent's lineage`() {
    let root = Baton.Lineage.make(name: "root", parent: nil, observed: false)
    #expect(Baton.Lineage.make(name: nil, parent: root, observed: false) === root)
    #expect(Baton.Lineage.make(name: nil, parent: nil, observed: false) == nil)
  }

  @Test func `only observed batons have an id, which is no other's and grows`() throws {
    let ids = (0..<100).compactMap { _ in Baton.Lineage.make(name: nil, parent: nil, observed: true)?.id }
    #expect(Set(ids).count == 100 && !ids.contains(0) && ids == ids.sorted())
    #expect(Baton.Lineage.make(name: "B", parent: nil, observed: false)?.id == 0)
  }

  @Test func `paths of failures pass over unnamed batons`() {
    let root = Baton(name: "root")
    root.pass()
    do {
      let middle = root.makeChild()
      let leaf = middle.makeChild(name: "leaf")
      leaf.pass()
      leaf.cancel(SomeError(1))
    }
    root.finish()
    #expect(root.outcomeIfComplete?.failures.map(\.path) == [["root", "leaf"]])
  }

  // Rule 9: a failure may be kept for long; it must keep names only.
  @Test func `a failure that is kept doesn't keep its batons`() {
    let reference: WeakReference<Baton>
    let kept: [Baton.Failure]
    do {
      let root = Baton(name: "root")
      reference = WeakReference(root)
      let child = root.makeChild(name: "child")
      child.pass()
      child.cancel(SomeError(1))
      kept = root.outcomeIfComplete?.failures ?? []
    }
    #expect(reference.isGone)
    #expect(kept.map(\.path) == [["root", "child"]])
  }
}
