// Callbacks whose handlers run on the main actor.

import Dispatch
import Foundation
import Testing

@testable import Baton

/// What an app has: state on the main actor, written to without any `assumeIsolated` (BEHAVIOURS 35).
@MainActor private final class Screen {
  var texts: [String] = []
  let background = Log<String>()

  func load(_ baton: Baton, _ name: String) -> @Sendable (String) -> Void {
    baton.pass(name, on: .main) { text in
      self.texts.append(text)
      if text == "broken" { throw SomeError(1) }
    }
  }

  /// BEHAVIOURS 36: handlers without `on: .main`, written inside of a `@MainActor` type.
  func loadAnywhere(_ baton: Baton) -> [@Sendable () -> Void] {
    baton.onCancel { [background] in background.add("cancelled") }
    baton.onCompletion { [background] _ in background.add("complete") }
    let pass = baton.makePass()
    pass.onCancel { [background] in background.add("pass cancelled") }
    baton.start { [background] pass in
      background.add("started")
      pass.finish()
    }
    return [
      baton.pass("one") { [background] in background.add("one") },
      pass.callback { [background] in background.add("two") },
      baton.capture { Baton.join { [background] in background.add("three") } },
    ]
  }
}

@Suite(.timeLimit(.minutes(10))) struct MainActorCallbacksTests {
  let log = EventLog()

  /// BEHAVIOURS 35.
  @Test func `handlers run on the main actor, in the order of the calls, whatever the threads`() async {
    let baton = Baton()
    let ran = Log<Int>()
    let callbacks = (0..<200).map { number in
      baton.pass(on: .main) {
        MainActor.assertIsolated()
        ran.add(number)
      }
    }
    let next = Counter()
    let semaphores = (0...200).map { _ in DispatchSemaphore(value: 0) }
    semaphores[0].signal()
    // Four threads that take turns.
    await onThreads(4) { index in
      for number in stride(from: index, to: 200, by: 4) {
        semaphores[number].wait()
        callbacks[number]()
        next.add()
        semaphores[number + 1].signal()
      }
    }
    #expect(await baton.ending?.isCancelled == false)
    #expect(ran.all == Array(0..<200) && next.value == 200)
  }

  @Test func `a class of the main actor needs no assumeIsolated`() async {
    let screen = Screen()
    let baton = Baton(name: "Screen", observer: log)
    let (good, bad) = (await screen.load(baton, "good"), await screen.load(baton, "bad"))
    await onThreads(2) { index in index == 0 ? good("fine") : bad("broken") }
    let outcome = await baton.ending
    #expect(outcome?.failures.map(\.path) == [["Screen", "bad"]])
    #expect(await screen.texts.sorted() == ["broken", "fine"])
    #expect(log.misuses.isEmpty)
  }

  /// Runs on the main thread: what it hands over can't have run until it lets go of it.
  @MainActor @Test func `the pass is handed back when the handler has run`() async {
    let ran = Log<String>()
    let baton = Baton { _ in ran.add("completion") }
    let callback = baton.pass(on: .main) { [unowned baton] (text: String) in
      ran.add("\(text), \(baton.tally.outstanding) out")
    }
    callback("handler")
    #expect(ran.all == [] && !baton.isComplete)
    #expect(await baton.ending?.isCancelled == false)
    #expect(ran.all == ["handler, 1 out", "completion"])
  }

  @MainActor @Test func `called twice before the handler has run, it is reported once, at once`() async {
    let ran = Log<Int>()
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    let callback = baton.pass("logo.png", on: .main) { (number: Int) in ran.add(number) }
    callback(1)
    callback(2)
    expectOneMisuse(log, .settledTwice, label: "logo.png", line: line)
    #expect(await baton.ending?.isCancelled == false)
    #expect(ran.all == [1] && log.misuses.count == 1)
  }

  @Test func `dropped without a call, it is cancelled and reported`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    _ = baton.pass("logo.png", on: .main) { (_: Int) in }
    #expect(baton.outcomeIfComplete?.failures.first?.error is Baton.AbandonedError)
    #expect(baton.outcomeIfComplete?.failures.first?.label == "logo.png")
    expectOneMisuse(log, .dropped, label: "logo.png", line: line)
  }

  @Test func `the handler runs also when the baton is cancelled, or abandoned`() async {
    let ran = Counter()
    let cancelled = Baton(observer: log)
    let first = cancelled.pass(on: .main) { ran.add() }
    cancelled.cancelAll()
    first()
    #expect(await cancelled.ending?.isCancelled == true)
    #expect(ran.value == 1 && log.misuses.isEmpty)

    let abandoned = Baton(observer: log)
    let line: UInt = #line + 1
    let second = abandoned.pass("second", on: .main) { ran.add() }
    abandoned.abandon()
    second()
    // The main queue is in order: what comes after has seen what came before.
    let after = Baton()
    after.pass(on: .main) {}()
    #expect(await after.ending != nil)
    #expect(ran.value == 2)
    expectOneMisuse(log, .late, label: "second", line: line)
  }

  /// BEHAVIOURS 36.
  @Test func `handlers written in a class of the main actor run on other threads without a trap`() async {
    let screen = Screen()
    let baton = Baton(limit: 1)
    let busy = Holder<Baton.Pass>(nil)
    baton.start { busy.put($0) }
    let callbacks = await screen.loadAnywhere(baton)
    await onThread {
      busy.take()?.finish()
      callbacks[0]()
      callbacks[2]()
      baton.cancelAll()
      callbacks[1]()
    }
    #expect(baton.isComplete)
    #expect(
      screen.background.all == ["started", "one", "three", "cancelled", "pass cancelled", "two", "complete"])
  }
}
