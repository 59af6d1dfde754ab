// What comes in the middle of telling: of branches, and of a cancellation. (CascadeRun.swift)

import Dispatch
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

  // Its last id fails on the thread that hands back a permit of somebody else's, while the cancelling thread is through.
  @Test func `a run whose last attempt is dropped after its cancellation ends`() async {
    final class Waiting: Baton.Observer {
      let (isFlagged, isTold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
        guard case .cancelled = event else { return }
        isFlagged.signal()
        isTold.wait()
      }
    }
    let (waiting, isCancelled) = (Waiting(), DispatchSemaphore(value: 0))
    let (limiter, loads) = (Baton.Limiter(1), Loads(Tree(children: [:])))
    let run = Reported(loads.cascade(limit: limiter, retry: .attempts(2), observer: waiting), ["a"]) { _ in
      waiting.isTold.signal()
      isCancelled.wait()
    }
    let other = Baton(limit: limiter)
    let theirs = Holder<Baton.Pass>(nil)
    other.start { theirs.put($0) }
    loads.take("a")?.cancel(SomeError(1))
    await onThreads(2) { thread in
      if thread == 0 {
        run.baton.cancelAll()
        isCancelled.signal()
      } else {
        waiting.isFlagged.wait()
        theirs.current?.finish()
      }
    }
    #expect(loads.started == ["a"] && run.report?.outcome.numbers == [1])
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
