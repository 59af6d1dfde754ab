// Several observers in one, and observers that misbehave.

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Baton

/// Section 10.
@Suite struct ObserversTests {
  /// Does something at each event.
  private struct Doing: Baton.Observer {
    let body: @Sendable (Baton.Identity, Baton.Event) -> Void
    func baton(_ identity: Baton.Identity, _ event: Baton.Event) { body(identity, event) }
  }

  /// Lets an observer reach the baton that it is told about.
  private final class Reach: Sendable {
    private let held = Mutex<Baton?>(nil)
    var baton: Baton? { held.withLock { $0 } }
    func hold(_ baton: Baton?) { held.withLock { $0 = baton } }
  }

  // MARK: Several

  @Test func `tells each observer of each event, in their order`() {
    let log = Log<String>()
    let observers = ["a", "b", "a"].map { name in
      Doing { _, event in
        if case .passed = event { log.add("\(name) passed") }
        if case .completed = event { log.add("\(name) completed") }
      }
    }
    Baton(observer: Baton.Observers(observers)).withPass {}
    #expect(log.all == ["a passed", "b passed", "a passed", "a completed", "b completed", "a completed"])
  }

  @Test func `none at all is fine, and so are observers in observers`() {
    let roster = Baton.Roster()
    Baton(observer: Baton.Observers([])).withPass {}
    let baton = Baton(observer: Baton.Observers([Baton.Observers([]), Baton.Observers([roster])]))
    let pass = baton.makePass("a")
    #expect(roster.holders.count == 1)
    baton.abandon()
    #expect(baton.outcomeIfComplete?.failures.map(\.label) == [nil, "a"])
    pass.finish()
  }

  @Test func `two rosters name a holder once`() {
    let baton = Baton(observer: Baton.Observers([Baton.Roster(), Baton.Roster()]))
    let pass = baton.makePass("a")
    #expect(baton.debugDescription.split(separator: "\n").count == 2)
    baton.abandon()
    #expect(baton.outcomeIfComplete?.failures.map(\.label) == [nil, "a"])
    pass.finish()
  }

  // MARK: Re-entering

  @Test(arguments: ["pass", "child", "handler", "cancel", "abandon", "settle"])
  func `an observer may use the observed baton from inside`(what: String) {
    let (reach, roster, timeline) = (Reach(), Baton.Roster(), Baton.Timeline())
    let busy = Mutex(false)
    let completions = Counter()
    let extra = Log<Baton.Pass>()
    let doing = Doing { _, event in
      // Once at a time: its own doings are events as well.
      guard
        !busy.withLock({ busy in
          defer { busy = true }
          return busy
        })
      else { return }
      defer { busy.withLock { $0 = false } }
      guard let baton = reach.baton else { return }
      if case .completed = event { return }
      switch what {
      case "pass":
        baton.pass()
        _ = (baton.tally, baton.debugDescription, roster.description, timeline.svg())
        baton.finish()
      case "child": baton.makeChild(name: "child").withPass {}
      case "handler": baton.onCompletion { _ in completions.add() }
      case "cancel": baton.cancelAll(SomeError())
      case "abandon": baton.abandon()
      case "settle": for pass in extra.all { _ = pass.tryFinish() }
      default: Issue.record("Unknown: \(what)")
      }
    }
    let baton = Baton(name: "Query", observer: Baton.Observers([roster, doing, timeline])) { _ in completions.add() }
    extra.add(baton.makePass("extra"))
    reach.hold(baton)
    let pass = baton.makePass("a")
    let child = baton.makeChild(name: "b")
    child.withPass {}
    pass.finish()
    for pass in extra.all { _ = pass.tryFinish() }
    reach.hold(nil)
    #expect(baton.isComplete)
    #expect(completions.value >= 1)
    #expect(roster.holders.isEmpty)
    // The observer holds the pass, which holds the baton, which holds the observer.
    extra.removeAll()
  }

  @Test func `a slow observer delays who caused the event, and nobody else`() {
    let (entered, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let slow = Doing { _, event in
      guard case .settled(let pass) = event, pass.label == "slow" else { return }
      entered.signal()
      go.wait()
    }
    let roster = Baton.Roster()
    let baton = Baton(name: "Query", observer: Baton.Observers([slow, roster]))
    let pass = baton.makePass("slow")
    let done = DispatchSemaphore(value: 0)
    Thread {
      pass.finish()
      done.signal()
    }.start()
    entered.wait()
    // It is told before the count falls, so the pass is out while it is being told.
    #expect(baton.tally.outstanding == 1)
    #expect(roster.holders.map(\.label) == ["slow"])
    let other = baton.makePass("other")
    baton.makeChild().withPass {}
    baton.cancelAll()
    other.finish()
    #expect(baton.isCancelled && !baton.isComplete)
    go.signal()
    done.wait()
    #expect(baton.isComplete)
  }

  @Test func `what an observer holds goes with the baton`() {
    weak var gone: Log<String>?
    do {
      let kept = Log<String>()
      gone = kept
      let baton = Baton(observer: Baton.Observers([Doing { _, _ in kept.add("") }]))
      baton.withPass {}
    }
    #expect(gone == nil)
  }
}
