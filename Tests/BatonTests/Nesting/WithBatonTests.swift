// Structured use: a baton that lasts as long as a body and all that it has set going.

import Synchronization
import Testing

@testable import Baton

@Suite struct WithBatonTests {
  @Test func `returns what the body returns, when every runner is back`() async throws {
    let gate = Gate()
    let log = Log<String>()
    let result = try await withBaton(name: "Pages") { baton in
      #expect(baton.name == "Pages" && baton.tally.outstanding == 1)
      baton.addTask {
        await gate.wait()
        log.add("runner")
      }
      baton.onCompletion { _ in log.add("complete") }
      log.add("body")
      gate.open()
      return 7
    }
    #expect(result == 7 && log.all == ["body", "runner", "complete"])
  }

  // Rule 3: an empty loop still ends.
  @Test func `ends when the body starts nothing`() async throws {
    #expect(try await withBaton { _ in 7 } == 7)
  }

  @Test func `throws what the body throws, once the runners are back`() async {
    let log = Log<String>()
    let (told, released) = (Gate(), Gate())
    let call = Task {
      defer { log.add("over") }
      try await withBaton { baton in
        let pass = baton.makePass()
        pass.onCancel { told.open() }
        Task.detached {
          await released.wait()
          log.add("runner")
          pass.cancel(SomeError(2))
        }
        baton.onCompletion { log.add("complete with \($0.numbers)") }
        throw SomeError(1)
      }
    }
    await told.wait()
    // The body has thrown; its call waits.
    released.open()
    await #expect(throws: SomeError(1)) { try await call.value }
    #expect(log.all == ["runner", "complete with [1, 2]", "over"])
  }

  @Test func `throws the first failure of its runners`() async {
    await #expect(throws: SomeError(1)) {
      try await withBaton { baton in
        baton.pass(count: 2)
        baton.cancel(SomeError(1))
        baton.cancel(SomeError(2))
      }
    }
  }

  @Test func `throws CancellationError when it was cancelled without an error`() async {
    await #expect(throws: CancellationError.self) { try await withBaton { baton in _ = baton.cancelAll() } }
  }

  // The body's error is the caller's, whatever else went wrong before.
  @Test func `the body's error goes before its runners'`() async {
    await #expect(throws: SomeError(2)) {
      try await withBaton { baton in
        baton.cancelAll(SomeError(1))
        throw SomeError(2)
      }
    }
  }

  @Test func `the calling task's cancellation cancels all, and is waited out`() async {
    let log = Log<String>()
    let started = Gate()
    let task = Task {
      try await withBaton { baton in
        let pass = baton.makePass()
        baton.onCancel {
          log.add("told")
          pass.finish()
        }
        baton.onCompletion { log.add("complete, \($0.isCancelled), \($0.failures.count)") }
        started.open()
      }
    }
    await started.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.all == ["told", "complete, true, 0"])
  }

  // Rule 5: a CancellationError that the cancelled body throws is noise.
  @Test func `a task that was cancelled before begins cancelled`() async {
    let outcomes = Log<Int>()
    let task = Task {
      cancelThisTask()
      return try await withBaton { baton in
        #expect(baton.isCancelled)
        baton.onCompletion { outcomes.add($0.failures.count) }
        try Task.checkCancellation()
        return 7
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(outcomes.all == [0])
  }

  // Behaviour 23.
  @Test func `abandoning ends it with runners still out`() async {
    let pass = Holder<Baton.Pass>(nil)
    await #expect(throws: Baton.AbandonedError(outstanding: 2)) {
      try await withBaton { baton in
        pass.put(baton.makePass())
        baton.abandon()
        #expect(baton.isComplete)
      }
    }
    #expect(pass.current?.tryFinish() == true)
  }

  @Test func `takes a limit and an observer`() async throws {
    let events = EventLog()
    try await withBaton(name: "B", limit: 2, observer: events) { baton in
      #expect(baton.core.limiter?.permits == 2)
    }
    #expect(events.lines == ["B: made", "B: passed 1", "B: settled 1", "B: completed"])
  }

  // The body isn't `Sendable`: it must stay where its caller is.
  @Test @MainActor func `the body runs on the caller's actor`() async throws {
    var onMain = 0
    try await withBaton { baton in
      MainActor.assertIsolated()
      await Task.yield()
      onMain += 1
      try await baton.withChild { _ in
        MainActor.assertIsolated()
        onMain += 1
      }
    }
    #expect(onMain == 2)
  }

  // MARK: withChild

  @Test func `withChild lasts as long as its body and its runners`() async throws {
    let root = Baton(name: "root")
    let log = Log<String>()
    let result = try await root.withChild(name: "child") { child in
      #expect(root.tally.outstanding == 1 && child.tally.outstanding == 1)
      child.addTask { log.add("runner") }
      child.onCompletion { _ in log.add("child") }
      return 7
    }
    #expect(result == 7 && log.all == ["runner", "child"])
    #expect(root.isComplete && !root.isCancelled)
  }

  @Test(arguments: [Baton.CancellationPolicy.propagates, .contained])
  func `what goes wrong in withChild is the parent's as the policy says`(policy: Baton.CancellationPolicy) async {
    let root = Baton(name: "root")
    root.pass()
    await #expect(throws: SomeError(1)) {
      try await root.withChild(name: "child", cancellation: policy) { _ in throw SomeError(1) }
    }
    root.finish()
    #expect(ChildrenTests.errors(root) == (policy == .propagates ? ["root/child/error 1"] : []))
    #expect(root.isCancelled == (policy == .propagates))
  }

  @Test func `withChild takes a limit of its own, or its parent's`() async throws {
    let root = Baton(limit: 3)
    root.pass()
    #expect(try await root.withChild { $0.core.limiter?.permits } == 3)
    #expect(try await root.withChild(limit: 2) { $0.core.limiter?.permits } == 2)
    #expect(try await root.withChild(limit: .unlimited) { $0.core.limiter?.permits } == nil)
    root.finish()
  }

  @Test func `the parent's cancellation ends withChild with CancellationError`() async {
    let root = Baton(name: "root")
    await #expect(throws: CancellationError.self) {
      try await root.withChild { child in
        root.cancelAll(SomeError(1))
        #expect(child.isCancelled)
      }
    }
    #expect(ChildrenTests.errors(root) == ["root/error 1"])
  }
}
