// An observed baton: the word is a tripwire, and the ledger counts. (Counting.swift, Core.swift)

import Synchronization
import Testing

@testable import Baton

@Suite struct ObservedCountingTests {
  @Test func `an observed baton counts like any other`() {
    let events = EventLog()
    let log = Log<Bool>()
    let baton = Baton(name: "B", observer: events) { log.add($0) }
    let tripwire = baton.core.word.load(ordering: .relaxed)
    #expect(BatonWord(tripwire) == BatonWord(tripwire).asTripwire)
    baton.pass()
    baton.pass(count: 2)
    #expect(baton.tryPass())
    #expect(baton.tally.passed == 4 && baton.tally.outstanding == 4)
    baton.finish()
    baton.cancel(SomeError(1))
    baton.cancel()
    #expect(log.all.isEmpty && baton.tally.outstanding == 1)
    // What was done to the tripwire was undone.
    #expect(baton.core.word.load(ordering: .relaxed) == tripwire)
    baton.finish()
    #expect(log.all == [true])
    #expect(!baton.tryPass())
    #expect(
      events.lines == [
        "B: made", "B: passed 1", "B: passed 2", "B: passed 1", "B: settled 1", "B: cancelled error 1",
        "B: settled 1", "B: settled 1", "B: settled 1", "B: completed, cancelled",
      ])
  }

  @Test func `an observed baton is told of very many passes`() {
    let events = EventLog()
    let baton = Baton(name: "B", observer: events)
    baton.pass(count: 2_000_000)
    #expect(baton.tally.outstanding == 2_000_000)
    baton.abandon()
    #expect(events.lines == ["B: made", "B: passed 2000000", "B: cancelled", "B: completed, cancelled"])
  }

  // 'Settled' is told before the count falls, so that an observer sees nothing settled twice or too early.
  @Test func `an observer that looks sees the pass still out`() {
    final class Looker: Baton.Observer {
      let baton = Holder<Baton>(nil)
      let seen = Log<Int>()
      func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
        guard let baton = baton.current else { return }
        // Rule 7: whatever the event is.
        _ = baton.debugDescription
        if case .settled = event { seen.add(baton.tally.outstanding) }
      }
    }
    let looker = Looker()
    let baton = Baton(observer: looker)
    looker.baton.put(baton)
    baton.pass(count: 2)
    baton.finish()
    do { _ = baton.makeChild(name: "child").cancelAll(SomeError()) }
    baton.cancel()
    #expect(looker.seen.all == [2, 2, 1])
    looker.baton.drop()
  }
}
