// What comes in the middle of telling: of branches, and of a cancellation. (CascadeRun.swift)

import Testing

@testable import Baton

@Suite struct CascadeTellingTests {
  typealias Loads = HeldLoads<String>

  // While "a" is told of, "c" comes back; while that is told of, the run is abandoned. "b" is still to be told of.
  @Test func `an abandoned run's report waits for the last that tells, not for the first that is through`() {
    let loads = Loads(Tree(children: ["a": ["x"], "b": ["x"]]))
    let baton = Holder<Baton>(nil)
    let run = Reported(loads.cascade(), ["a", "b", "c"]) { branch in
      if branch.root == "a" { loads.comeBack("c") }
      if branch.root == "c" { baton.current?.abandon() }
    }
    baton.put(run.baton)
    for id in ["a", "b", "x"] { loads.comeBack(id) }
    #expect(run.complete == ["a", "c", "b"])
    #expect(run.report?.branches.count == 3)
  }

  // The run hears of its cancellation by a handler, and an observer is told before that.
  @Test func `nothing starts between a cancellation's flag and its handlers`() {
    final class Freeing: Baton.Observer {
      let loads = Loads(Tree(children: [:]))
      func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
        if case .cancelled = event { loads.comeBack("a") }
      }
    }
    let freeing = Freeing()
    let run = Reported(freeing.loads.cascade(limit: 1, observer: freeing), ["a", "b"])
    run.baton.cancelAll()
    #expect(freeing.loads.started == ["a"])
    #expect(run.report?.resources == ["a": "a"] && run.report?.branches["b"]?.outcome.isCancelled == true)
  }

  // Only settles that nest go elsewhere.
  @Test func `however many have settled, the next settles before its call returns`() {
    let loads = HeldLoads<Int>(Tree(children: [:]))
    let run = Reported(loads.cascade(), Array(0..<200))
    for id in 0..<200 {
      loads.comeBack(id)
      #expect(run.complete.count == id + 1)
    }
    #expect(run.report?.resources.count == 200)
  }
}
