// Making a baton, passing it, handing it back, letting it go.

import Synchronization
import Testing

@testable import Baton

@Suite struct BatonCallsTests {
  // Rules 1 and 2.
  @Test func `runs its completion exactly once, when the last pass is back`() {
    let log = Log<Bool>()
    let baton = Baton { log.add($0) }
    baton.pass()
    baton.pass()
    baton.finish()
    #expect(log.all.isEmpty && !baton.isComplete)
    baton.finish()
    #expect(log.all == [false])
    #expect(baton.isComplete && !baton.isCancelled)
  }

  @Test func `tells its completion that somebody cancelled`() {
    let log = Log<Bool>()
    let baton = Baton { log.add($0) }
    baton.pass(count: 2)
    baton.cancel()
    #expect(baton.isCancelled && log.all.isEmpty)
    baton.finish()
    #expect(log.all == [true])
  }

  @Test func `a cancel hands its pass back`() {
    let baton = Baton()
    baton.pass(count: 3)
    baton.cancel()
    baton.cancel(SomeError())
    #expect(baton.tally.outstanding == 1 && baton.tally.settled == 2)
    baton.finish()
    #expect(baton.isComplete)
  }

  // Rule 5, behaviour 13.
  @Test func `a later finish does not erase a cancel, nor its error`() {
    let baton = Baton()
    baton.pass(count: 3)
    baton.cancel(SomeError(1))
    baton.finish()
    baton.finish()
    #expect(baton.outcomeIfComplete?.failures.map { $0.error as? SomeError } == [SomeError(1)])
  }

  @Test func `completes without a completion`() {
    let baton = Baton(name: "Query")
    #expect(baton.name == "Query")
    baton.pass()
    baton.finish()
    #expect(baton.isComplete)
    #expect(Baton().name == nil)
  }

  // Behaviour 5.
  @Test func `a runner that passes before it finishes never lets zero be seen`() {
    let completed = Counter()
    let baton = Baton { _ in completed.add() }
    baton.pass()
    for _ in 0..<1_000 {
      baton.pass()
      baton.finish()
      #expect(completed.value == 0)
    }
    baton.finish()
    #expect(completed.value == 1)
    #expect(baton.tally.passed == 1_001)
  }

  // Behaviour 10.
  @Test func `passes as often as it is told to`() {
    let baton = Baton()
    baton.pass(count: 3)
    #expect(baton.tally.passed == 3 && baton.tally.outstanding == 3)
    for _ in 0..<3 { baton.finish() }
    #expect(baton.isComplete)
  }

  // Behaviour 10.
  @Test func `a count of 0 changes nothing, complete or not`() {
    let baton = Baton()
    baton.pass(count: 0)
    #expect(baton.tally.passed == 0 && !baton.isComplete)
    baton.pass()
    baton.pass(count: 0)
    baton.finish()
    #expect(baton.isComplete)
    baton.pass(count: 0)
    #expect(baton.tally.passed == 1)
  }

  // Rule 4, behaviour 6.
  @Test func `tryPass counts while the baton is open, and says no after that`() {
    let completed = Counter()
    let baton = Baton { _ in completed.add() }
    #expect(baton.tryPass())
    #expect(baton.tryPass())
    baton.finish()
    baton.finish()
    #expect(completed.value == 1)
    let tally = baton.tally
    #expect(!baton.tryPass())
    #expect(baton.tally == tally && completed.value == 1)
  }

  // Rule 3.
  @Test func `a baton that was never passed ends as finished when it is let go`() {
    let log = Log<Bool>()
    do { _ = Baton { log.add($0) } }
    #expect(log.all == [false])
  }

  // Rules 3 and 5.
  @Test func `a baton that was cancelled and never passed ends as cancelled when it is let go`() {
    let log = Log<Bool>()
    do {
      let baton = Baton { log.add($0) }
      baton.cancelAll()
      #expect(log.all.isEmpty)
    }
    #expect(log.all == [true])
  }

  // Rule 3: bare passes are nobody's, so nothing can hand them back once the baton is gone.
  @Test func `a baton let go with bare passes out ends as cancelled, and says how many`() {
    Baton.onMisuse { _ in }
    let (log, events) = (Log<Baton.Outcome>(), EventLog())
    let told = Counter()
    do {
      let baton = Baton(name: "Query", observer: events)
      baton.onCompletion { log.add($0) }
      baton.onCancel { told.add() }
      baton.pass(count: 4)
      baton.finish()
    }
    #expect(log.all.map(\.isCancelled) == [true])
    #expect(log.all[0].failures.map { $0.error as? Baton.AbandonedError } == [.init(outstanding: 3)])
    #expect(log.all[0].failures[0].path == ["Query"])
    #expect(told.value == 1)
    let misuse = events.misuses.first
    #expect(events.misuses.count == 1 && misuse?.kind == .abandoned && misuse?.outstanding == 3)
  }

  @Test func `a complete baton is let go without a word`() {
    let events = EventLog()
    do {
      let baton = Baton(name: "B", observer: events)
      baton.pass()
      baton.finish()
    }
    #expect(events.lines == ["B: made", "B: passed 1", "B: settled 1", "B: completed"])
  }

  // A closure written as the main actor's must get there, from wherever the last pass comes back (behaviour 35).
  @Test func `runs a completion on the main actor`() async {
    let log = Log<Bool>()
    await withCheckedContinuation { continuation in
      let baton = Baton(on: .main) { cancelled in
        MainActor.assertIsolated()
        log.add(cancelled)
        continuation.resume()
      }
      baton.pass()
      baton.cancel()
    }
    #expect(log.all == [true])
  }

  // Rule 10, in so far as it can be seen: what takes no lock can be done by who holds it. (A lock that is taken twice
  // by one thread is fatal, hence the process of its own.)
  @Test func `a bare pass, and a finish that is not the last, take no lock`() async {
    await #expect(processExitsWith: .success) {
      let baton = Baton()
      baton.pass()
      baton.core.lifecycle.withLock { _ in
        for _ in 0..<1_000 { baton.pass() }
        baton.pass(count: 1_000)
        _ = baton.tryPass()
        for _ in 0..<2_001 { baton.finish() }
      }
      baton.finish()
    }
  }

  // Rule 10: as soon as a slow path was taken, one more call per pass would be the rule.
  @Test func `a cancelled baton still counts in the word`() async {
    await #expect(processExitsWith: .success) {
      let baton = Baton()
      baton.pass()
      baton.cancelAll()
      baton.core.lifecycle.withLock { _ in
        baton.pass()
        baton.finish()
      }
      baton.finish()
    }
  }
}
