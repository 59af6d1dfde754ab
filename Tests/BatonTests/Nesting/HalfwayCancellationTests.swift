// Who meets a cancellation that is halfway: the flag is set, and nobody has been told yet. (Cancelling.swift)

import Synchronization
import Testing

@testable import Baton

/// What two threads do in a moment between two steps of a cancellation, done here by one: these tests stop the canceller
/// there by hand. `ChildRacesTests` and `Tests/Verification` look for the same moments where they come by themselves.
@Suite struct HalfwayCancellationTests {
  /// The first step of a cancellation, and no more.
  private func flag(_ baton: Baton) {
    baton.core.lifecycle.withLock { _ in _ = baton.core.insert(.cancelled) }
  }

  private func errors(_ baton: Baton) -> [String] {
    baton.core.failuresSoFar.map { ($0.path + ["\($0.error)"]).joined(separator: "/") }
  }

  // Rule 5: when a cancellation returns, all below is flagged, whoever else is at it.
  @Test func `a second canceller tells all below, too`() {
    let root = Baton()
    let child = root.makeChild(name: "child")
    let leaf = child.makeChild(name: "leaf")
    flag(root)
    #expect(!root.cancelAll())
    #expect(child.core.current.isCancelled && leaf.core.current.isCancelled)
    leaf.withPass {}
  }

  @Test func `a canceller from above tells all below a child whose own canceller is halfway`() {
    let root = Baton()
    let child = root.makeChild(name: "child")
    let leaf = child.makeChild(name: "leaf")
    flag(child)
    #expect(root.cancelAll())
    #expect(leaf.core.current.isCancelled)
    leaf.withPass {}
  }

  @Test func `who has told all is not walked again, and no observer hears twice`() {
    let events = EventLog()
    let root = Baton(name: "root", observer: events)
    let child = root.makeChild(name: "child")
    root.cancelAll()
    #expect(root.core.hasTold.load(ordering: .relaxed) && child.core.hasTold.load(ordering: .relaxed))
    root.core.hasTold.store(false, ordering: .relaxed)
    #expect(!root.cancelAll())
    #expect(events.lines.filter { $0.hasSuffix("cancelled") } == ["root: cancelled", "child: cancelled"])
    child.withPass {}
  }

  @Test func `a child that the news has not reached is cancelled by itself first`() {
    let told = Counter()
    let root = Baton()
    let child = root.makeChild(name: "child")
    child.pass()
    child.onCancel { told.add() }
    flag(root)
    #expect(child.cancelAll(SomeError(1)))
    #expect(told.value == 1 && errors(child) == ["child/error 1"])
    child.finish()
    #expect(told.value == 1 && errors(root) == ["child/error 1"])
  }

  // Rule 5: what is an error is kept wherever it comes; what is noise, only where it is news.
  @Test func `a parent that is just being cancelled hears errors, and no noise`() {
    let root = Baton()
    let (left, right) = (root.makeChild(name: "left"), root.makeChild(name: "right"))
    flag(root)
    #expect(left.cancelAll(SomeError(1)))
    #expect(right.cancelAll(CancellationError()))
    #expect(errors(root) == ["left/error 1"])
    for child in [left, right] { child.withPass {} }
    #expect(root.isComplete)
  }

  @Test func `a parent that is just being abandoned hears nothing more`() {
    let root = Baton()
    let child = root.makeChild(name: "child")
    root.core.sealAbandoned()?.complete(root.core)
    #expect(child.cancelAll(SomeError(1)))
    #expect(errors(root) == ["abandoned with 1 pass out"] && errors(child) == ["child/error 1"])
    child.withPass {}
    #expect(errors(root) == ["abandoned with 1 pass out"])
  }

  // Else the parent could end as finished before it has heard.
  @Test func `a completed child brings a cancellation that has not climbed yet`() {
    let log = Log<String>()
    let root = Baton { log.add("root \($0)") }
    let (child, sibling) = (root.makeChild(name: "child"), root.makeChild(name: "sibling"))
    root.onCancel(log.adder("root told"))
    sibling.onCancel(log.adder("sibling told"))
    child.pass()
    flag(child)
    child.finish()
    #expect(Set(log.all) == ["root told", "sibling told"] && sibling.core.current.isCancelled)
    sibling.withPass {}
    #expect(log.all.last == "root true")
  }

  // The child is in its parent's list until its completion has returned.
  @Test func `a parent that is cancelled by a child's completion leaves the child as it ended`() {
    let root = Baton()
    let child = root.makeChild(name: "child") { _ in root.cancelAll() }
    child.withPass {}
    #expect(!child.isCancelled && child.outcomeIfComplete?.isCancelled == false)
    #expect(root.outcomeIfComplete?.isCancelled == true)
  }

  // A registration beside the completion unlinks as well: then it must find nobody else in the child's place.
  @Test func `a child that is unlinked twice leaves its siblings in`() {
    let root = Baton()
    let children = (0..<3).map { root.makeChild(name: "\($0)") }
    for _ in 0..<2 {
      let unlinked = root.core.lifecycle.withLock { root.core.unlink(children[0].core, &$0) }
      _ = unlinked
    }
    #expect(root.registeredCount == 2)
    root.cancelAll()
    #expect(children[1].core.current.isCancelled && children[2].core.current.isCancelled)
    for child in children { child.withPass {} }
    #expect(root.isComplete && root.registeredCount == 0)
  }
}
