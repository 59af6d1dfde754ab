// Where a handler runs.

import Dispatch
import Foundation
import Testing

@testable import Baton

@Suite struct ExecutorTests {
  @Test func `inline is on the settling thread, before its call returns`() async {
    let log = Log<Bool>()
    await onThread {
      let thread = ObjectIdentifier(Thread.current)
      let baton = Baton { _ in log.add(ObjectIdentifier(Thread.current) == thread) }
      baton.onCompletion { _ in log.add(ObjectIdentifier(Thread.current) == thread) }
      baton.pass()
      baton.finish()
      log.add(false)
    }
    #expect(log.all == [true, true, false])
  }

  @Test func `a queue runs it asynchronously, in order`() async {
    let queue = DispatchQueue(label: "executor")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let log = Log<String>()
    @Sendable func note(_ what: String) {
      log.add(DispatchQueue.getSpecific(key: key) == true ? what : "\(what), elsewhere")
    }
    let baton = Baton(on: .queue(queue)) { _ in note("completion") }
    baton.onCompletion(on: .queue(queue)) { _ in note("handler") }
    baton.pass()
    queue.suspend()
    baton.finish()
    // It is complete, although nothing has run yet.
    #expect(baton.isComplete && log.all.isEmpty)
    queue.resume()
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(log.all == ["completion", "handler"])
  }

  @Test func `a function of one's own gets the work`() {
    let queue = Log<@Sendable () -> Void>()
    let log = Log<String>()
    let executor = Baton.Executor { work in queue.add(work) }
    let baton = Baton(on: executor) { log.add("completed \($0)") }
    baton.onCompletion(on: executor) { log.add("heard \($0.isCancelled)") }
    baton.pass()
    baton.finish()
    #expect(log.all.isEmpty && queue.count == 2)
    for work in queue.all { work() }
    #expect(log.all == ["completed false", "heard false"])
  }

  @Test func `only inline is inline`() {
    #expect(Baton.Executor.inline.isInline)
    #expect(!Baton.Executor.queue(.main).isInline && !Baton.Executor { $0() }.isInline)
    #expect(!Baton.MainExecutor.main.executor.isInline)
  }

  @Test func `elsewhere is another stack than the caller's`() async {
    let log = Log<String>()
    let gate = Gate()
    await withCheckedContinuation { continuation in
      Baton.Executor.elsewhere {
        gate.block()
        log.add("work")
        continuation.resume()
      }
      log.add("returned")
      gate.open()
    }
    #expect(log.all == ["returned", "work"])
  }

  // MARK: The completion of a child, on an executor

  // Section 4 of the design: committed before the tree says that it is done.
  @Test func `a child's pass goes back when its completion has returned, wherever that runs`() {
    let queue = Log<@Sendable () -> Void>()
    let log = Log<String>()
    let root = Baton { _ in log.add("root") }
    let child = root.makeChild(on: Baton.Executor { work in queue.add(work) }) { _ in
      log.add("child, \(root.tally.outstanding) out")
    }
    child.onCompletion { _ in log.add("handler") }
    child.withPass {}
    #expect(child.isComplete && !root.isComplete)
    #expect(log.all == ["handler"])
    queue.all[0]()
    #expect(log.all == ["handler", "child, 1 out", "root"])
  }

  // Whichever of the two comes second goes on: the completion's return, or the enqueue's.
  @Test func `an executor that runs at once completes the parent, after the child's handlers`() {
    let log = Log<String>()
    let root = Baton { _ in log.add("root") }
    let child = root.makeChild(on: Baton.Executor { work in work() }) { _ in log.add("child") }
    child.onCompletion { _ in log.add("handler, root is \(root.isComplete ? "complete" : "open")") }
    child.withPass {}
    #expect(log.all == ["child", "handler, root is open", "root"])
  }

  @Test(arguments: [false, true])
  func `a child's completion on an executor is told whether anybody cancelled`(cancels: Bool) {
    let work = Holder<@Sendable () -> Void>(nil)
    let log = Log<Bool>()
    let child = Baton().makeChild(on: Baton.Executor { work.put($0) }) { log.add($0) }
    child.pass()
    if cancels { child.cancel() } else { child.finish() }
    work.take()?()
    #expect(log.all == [cancels])
  }

  @Test func `an executor on another thread races the enqueue's return`() async {
    let failed = await race { _ in
      let work = Holder<@Sendable () -> Void>(nil)
      let log = Log<Int>()
      let root = Baton { _ in log.add(2) }
      let child = root.makeChild(on: Baton.Executor { work.put($0) }) { _ in log.add(1) }
      child.pass()
      return (work: work, log: log, child: child)
    } _: { round in
      round.child.finish()
    } _: { round in
      while true {
        if let work = round.work.take() { return work() }
        sched_yield()
      }
    } check: { round in
      round.log.all == [1, 2]
    }
    #expect(failed == 0)
  }

  // Rule 3: nothing hangs, whatever an executor does.
  @Test func `an executor that lets its work go doesn't hang the parent`() {
    let log = Log<Bool>()
    let root = Baton { log.add($0) }
    let child = root.makeChild(on: Baton.Executor { _ in }) { _ in }
    child.pass()
    child.cancel(SomeError(1))
    #expect(child.isComplete && root.isComplete && log.all == [true])
    #expect(root.outcomeIfComplete?.failures.count == 1)
  }

  @Test func `an executor that lets its work go later doesn't hang the parent`() {
    let work = Holder<@Sendable () -> Void>(nil)
    let root = Baton()
    let child = root.makeChild(on: Baton.Executor { work.put($0) }) { _ in }
    child.withPass {}
    #expect(child.isComplete && !root.isComplete)
    work.drop()
    #expect(root.isComplete)
  }

  // Rule 8. In a process of its own, which a stack that overflows takes down.
  // It was so once: each level's `Landing` climbed from its deinit, inside the `deliver` of the level below.
  @Test func `executors that let their work go don't hang a deep chain, nor recurse`() async {
    await #expect(processExitsWith: .success) {
      let isComplete = await onSmallStack {
        let root = Baton()
        var leaf = root
        for _ in 0..<20_000 { leaf = leaf.makeChild(on: Baton.Executor { _ in }) { _ in } }
        leaf.pass()
        leaf.finish()
        return root.isComplete
      }
      precondition(isComplete)
    }
  }

  // MARK: The main actor

  // Behaviour 35: compiled without `assumeIsolated`, since `on: .main` picks the overload.
  @Test func `on main runs on the main actor, from any thread`() async {
    @MainActor final class Screen {
      var shown: [String] = []
      func show(_ what: String) {
        MainActor.assertIsolated()
        shown.append(what)
      }
    }
    let screen = Screen()
    let root = Baton(on: .main) { _ in screen.show("root") }
    let child = root.makeChild(on: .main) { _ in screen.show("child") }
    child.onCompletion(on: .main) { _ in screen.show("handler") }
    await withCheckedContinuation { continuation in
      root.onCompletion(on: .main) { _ in
        screen.show("end")
        continuation.resume()
      }
      child.pass()
      Thread { child.finish() }.start()
    }
    let shown = await screen.shown
    #expect(shown == ["child", "handler", "root", "end"])
  }

  // It is handed over even where the main actor is already: never inline, so that nobody is re-entered.
  @Test @MainActor func `on main is asynchronous on the main thread too`() async {
    let log = Log<String>()
    let baton = Baton(on: .main) { _ in log.add("completion") }
    baton.withPass {}
    log.add("returned")
    await withCheckedContinuation { continuation in
      baton.onCompletion(on: .main) { _ in continuation.resume() }
    }
    #expect(log.all == ["returned", "completion"])
  }
}
