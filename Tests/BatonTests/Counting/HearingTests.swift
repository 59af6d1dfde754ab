// Hearing of a baton's completion.

import Dispatch
import Foundation
import Testing

@testable import Baton

@Suite struct HearingTests {
  @Test func `a handler gets the outcome`() {
    let log = Log<Baton.Outcome>()
    let baton = Baton()
    baton.onCompletion { log.add($0) }
    baton.pass(count: 2)
    baton.cancel(SomeError(1))
    baton.finish()
    #expect(log.all.map(\.isCancelled) == [true])
    #expect(log.all.first?.failures.map { $0.error as? SomeError } == [SomeError(1)])
  }

  // Behaviour 1.
  @Test func `a handler added after completion runs at once, once`() {
    let log = Log<Bool>()
    let baton = Baton()
    baton.pass()
    baton.finish()
    baton.onCompletion { log.add($0.isCancelled) }
    #expect(log.all == [false])
  }

  // Behaviour 1.
  @Test func `a handler added after completion runs on its executor`() async {
    let baton = Baton()
    baton.pass()
    baton.finish()
    let queue = DispatchQueue(label: "handlers")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let isOnQueue = await withCheckedContinuation { continuation in
      baton.onCompletion(on: .queue(queue)) { _ in
        continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
      }
    }
    #expect(isOnQueue)
  }

  // Rule 7, behaviour 1: never inside the adder's lock. (If it were, each of these calls would be fatal.)
  @Test func `a handler added after completion may use the baton`() {
    let log = Log<String>()
    let baton = Baton(name: "B")
    baton.pass()
    baton.finish()
    baton.onCompletion { _ in
      log.add(baton.description)
      baton.onCompletion { _ in log.add("within") }
    }
    #expect(log.all == ["Baton \"B\": 1 passed, 1 settled, 0 out, complete, finished", "within"])
  }

  // Rule 7, behaviour 8.
  @Test func `handlers may use their own baton, and pass and drop others`() {
    let log = Log<String>()
    let other = Holder<Baton>(Baton { log.add("other \($0)") })
    other.current?.pass()
    let baton = Baton()
    baton.onCompletion { [weak baton] _ in
      _ = baton?.tally
      _ = baton?.debugDescription
      baton?.cancelAll()
      baton?.onCancel { log.add("never") }
    }
    baton.onCompletion { _ in
      other.current?.pass()
      other.current?.finish()
      other.current?.finish()
    }
    baton.onCompletion { _ in
      other.drop()
      _ = Baton { log.add("dropped \($0)") }
    }
    baton.pass()
    baton.finish()
    #expect(log.all == ["other false", "dropped false"])
  }

  // Behaviour 9.
  @Test func `a hundred handlers run once each, even when all is cancelled twice meanwhile`() async {
    let failed = await race(rounds: Rounds.few / 4) { _ -> (baton: Baton, counters: [Counter]) in
      let counters = (0..<100).map { _ in Counter() }
      let baton = Baton()
      baton.pass()
      for counter in counters[..<50] { baton.onCompletion { _ in counter.add() } }
      return (baton: baton, counters: counters)
    } _: { round in
      round.baton.cancelAll(SomeError(1))
      round.baton.finish()
    } _: { round in
      round.baton.cancelAll(SomeError(2))
    } _: { round in
      for counter in round.counters[50...] { round.baton.onCompletion { _ in counter.add() } }
    } check: { round in
      round.counters.allSatisfy { $0.value == 1 }
    }
    #expect(failed == 0)
  }

  // Rule 2: racing the seal, none is lost, and none runs twice or before it.
  @Test func `a handler that is added while the baton completes runs once`() async {
    let failed = await race(rounds: Rounds.few * 2) { _ in
      let baton = Baton()
      baton.pass()
      return (baton: baton, heard: Counter(), early: Counter())
    } _: { round in
      round.baton.finish()
    } _: { round in
      for _ in 0..<3 {
        round.baton.onCompletion { _ in
          round.heard.add()
          if !round.baton.isComplete { round.early.add() }
        }
      }
    } check: { round in
      round.heard.value == 3 && round.early.value == 0
    }
    #expect(failed == 0)
  }

  // Rules 7 and 9: freed outside the lock, and before anybody could still need them.
  @Test func `a handler's captures may use the baton when they are freed`() {
    let log = Log<String>()
    let holder = Holder<Baton>(nil)
    func capture(_ name: String) -> OnDeinit {
      OnDeinit { log.add("\(name): \(holder.current?.tally.description ?? "no baton")") }
    }
    do {
      let baton = Baton(completion: capture("completion").handler())
      baton.onCompletion(capture("handler").handler())
      baton.onCancel(capture("cancel handler").handler())
      holder.put(baton)
    }
    holder.current?.pass()
    #expect(log.all.isEmpty)
    holder.current?.finish()
    #expect(
      Set(log.all) == [
        "completion: 1 passed, 1 settled, 0 out", "handler: 1 passed, 1 settled, 0 out",
        "cancel handler: 1 passed, 1 settled, 0 out",
      ])
    #expect(log.count == 3)
    // And those of a handler which comes too late.
    holder.current?.onCompletion(capture("late").handler())
    holder.current?.onCancel(capture("never").handler())
    #expect(log.count == 5)
    holder.drop()
  }

  // Rule 7, and the same of the one handler that is no baton's. It is global, hence the process of its own.
  @Test func `a misuse handler's captures may set another one when they are freed`() async {
    await #expect(processExitsWith: .success) {
      let (freed, told) = (Counter(), Counter())
      let capture = Holder(
        OnDeinit {
          freed.add()
          Baton.onMisuse { _ in told.add() }
        })
      Baton.onMisuse { [held = capture.take()] _ in _ = held }
      Baton.onMisuse(nil)
      precondition(freed.value == 1)
      do { Baton().pass() }
      precondition(told.value == 1)
    }
  }

  // Rule 9.
  @Test(arguments: ["finish", "cancel", "abandon", "cancelAll"])
  func `a complete baton keeps no handler`(ending: String) {
    let freed = Counter()
    func capture() -> OnDeinit { OnDeinit { freed.add() } }
    let baton = Baton(completion: capture().handler())
    baton.onCompletion(capture().handler())
    baton.onCompletion { [kept = capture()] _ in _ = kept }
    baton.onCancel(capture().handler())
    baton.pass()
    switch ending {
    case "finish": baton.finish()
    case "cancel": baton.cancel()
    case "abandon": baton.abandon()
    default:
      baton.cancelAll()
      // What has run is let go at once.
      #expect(freed.value == 1)
      baton.finish()
    }
    #expect(freed.value == 4 && baton.isComplete)
  }

  // Behaviour 36: with DispatchGroup this compiles too, and traps.
  @Test func `a handler written inside a main-actor type runs on any thread`() async {
    @MainActor final class Screen {
      let log = Log<ObjectIdentifier>()
      func watch(_ baton: Baton) {
        let log = log
        baton.onCompletion { _ in log.add(ObjectIdentifier(Thread.current)) }
        baton.onCancel { log.add(ObjectIdentifier(Thread.current)) }
      }
      func makeBaton() -> Baton {
        let log = log
        return Baton { _ in log.add(ObjectIdentifier(Thread.current)) }
      }
    }
    let screen = Screen()
    let baton = await screen.makeBaton()
    baton.pass()
    await screen.watch(baton)
    let thread = await onThread {
      baton.cancel()
      return ObjectIdentifier(Thread.current)
    }
    #expect(screen.log.all == [thread, thread, thread])
  }

  // Behaviour 35.
  @Test func `handlers on the main actor run there, in order, from any thread`() async {
    @MainActor final class Screen {
      var shown: [Int] = []
    }
    let screen = Screen()
    let baton = Baton(on: .main) { _ in screen.shown.append(0) }
    for number in 1..<20 { baton.onCompletion(on: .main) { _ in screen.shown.append(number) } }
    baton.pass()
    await onThread { baton.finish() }
    await withCheckedContinuation { continuation in
      baton.onCompletion(on: .main) { _ in
        screen.shown.append(20)
        continuation.resume()
      }
    }
    let shown = await screen.shown
    #expect(shown == Array(0...20))
  }
}
