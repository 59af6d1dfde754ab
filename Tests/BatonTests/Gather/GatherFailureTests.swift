// What a failure means for its slot, for the others and for the outcome. (Gather.swift)

import Testing

@testable import Baton

@Suite struct GatherFailureTests {
  let log = Log<String>()
  let events = EventLog()

  /// The numbers of the failures' errors, in order.
  func numbers<Value>(_ results: Baton.Gather<Value>.Results) -> [Int] {
    results.failures.compactMap { ($0.error as? SomeError)?.number }
  }

  // MARK: cancelsRest (BEHAVIOURS 28)

  @Test func `by default a failure lets nothing new start, waits for what runs, and raises no complaint`() async throws
  {
    let gather = Baton.Gather<Int>(limit: 2, observer: events)
    let running = Log<Baton.Gather<Int>.Pass>()
    for index in 0..<5 {
      gather.start("\(index)") { pass in
        log.add("\(index)")
        running.add(pass)
      }
    }
    running.all[1].cancel(SomeError(1))
    #expect(log.all == ["0", "1"])
    #expect(gather.baton.isCancelled && !gather.baton.isComplete)
    #expect(running.all[0].isCancelled)
    running.all[0].finish(10)
    let results = await gather.results
    #expect(results.count == 5 && results.isCancelled)
    #expect(try results[0].get() == 10)
    #expect(throws: SomeError(1)) { try results[1].get() }
    for index in 2..<5 { #expect(throws: CancellationError.self) { try results[index].get() } }
    #expect(results.failures.count == 1 && numbers(results) == [1])
    #expect(events.misuses.isEmpty)
  }

  @Test func `tasks are cancelled by another's failure, and what they throw then is noise`() async {
    let gather = Baton.Gather<Int>()
    let door = Gate()
    gather.addTask("waits") {
      await door.wait()
      try Task.checkCancellation()
      return 1
    }
    let pass = gather.makePass("fails")
    pass.cancel(SomeError(2))
    let results = await gather.results
    #expect(!door.isOpen)
    #expect(throws: CancellationError.self) { try results[0].get() }
    #expect(results.failures.map(\.label) == ["fails"])
    await #expect(throws: SomeError(2)) { try await gather.values }
  }

  @Test func `a task that doesn't listen brings its value all the same`() async throws {
    let gather = Baton.Gather<Int>()
    let (door, cancelled) = (Gate(), Gate())
    gather.addTask {
      await withTaskCancellationHandler {
        await cancelled.wait()
      } onCancel: {
        door.open()
      }
      return 1
    }
    let pass = gather.makePass()
    pass.onCancel { log.add("told") }
    gather.baton.cancelAll()
    await door.wait()
    pass.finish(2)
    let results = await gather.results
    #expect(try results.map { try $0.get() } == [1, 2])
    #expect(throws: CancellationError.self) { try results.values() }
    #expect(log.all == ["told"])
  }

  @Test func `values throws the failure that was recorded first`() async {
    let gather = Baton.Gather<Int>()
    let passes = (0..<3).map { gather.makePass("\($0)") }
    passes[2].cancel(SomeError(2))
    passes[0].cancel(SomeError(0))
    passes[1].finish(1)
    await #expect(throws: SomeError(2)) { try await gather.values }
    #expect(await gather.results.failures.map(\.label) == ["2", "0"])
  }

  @Test func `a failure has its path, its label and its place`() async {
    let gather = Baton.Gather<Int>(name: "Numbers", limit: 4)
    let line: UInt = #line + 1
    let callback: @Sendable () -> Void = gather.pass("callback") { throw SomeError(0) }
    gather.makePass("pass").cancel(SomeError(1))
    gather.start("runner") { $0.finish(with: Result<Int, SomeError>.failure(SomeError(2))) }
    callback()
    let results = await gather.results
    #expect(results.failures.map(\.path) == [["Numbers", "pass"], ["Numbers", "callback"]])
    #expect(results.failures.map { $0.location?.line } == [line + 1, line])
    #expect(results.failures.allSatisfy { "\($0.location?.fileID ?? "")" == #fileID })
  }

  @Test func `a cancel without an error is a cancellation`() async {
    let gather = Baton.Gather<Int>()
    gather.makePass().cancel()
    let results = await gather.results
    #expect(results.isCancelled)
    #expect(throws: CancellationError.self) { try results[0].get() }
    #expect(throws: CancellationError.self) { try results.values() }
  }

  @Test func `a wrapped callback has its value looked at also when all is cancelled`() async throws {
    let gather = Baton.Gather<Int>()
    let callback: @Sendable (Int) -> Void = gather.pass { $0 * 2 }
    gather.baton.cancelAll(SomeError(1))
    callback(4)
    let results = await gather.results
    #expect(try results[0].get() == 8)
    #expect(throws: SomeError(1)) { try results.values() }
  }

  @Test func `cancelled before, no runner starts and no task is made`() async {
    let gather = Baton.Gather<Int>()
    gather.baton.pass()
    gather.baton.cancelAll()
    gather.start { _ in log.add("runner") }
    gather.addTask {
      log.add("task")
      return 1
    }
    gather.baton.finish()
    let results = await gather.results
    #expect(results.count == 2 && log.count == 0)
    for result in results { #expect(throws: CancellationError.self) { try result.get() } }
  }

  // MARK: continues

  @Test func `with continues every runner runs, and a failure fills its own slot only`() async throws {
    let gather = Baton.Gather<Int>(name: "Numbers", limit: 2, onFailure: .continues)
    gather.baton.pass()
    for index in 0..<5 {
      gather.addTask("\(index)") {
        if index % 2 == 1 { throw SomeError(index) }
        return index
      }
    }
    gather.baton.finish()
    let results = await gather.results
    #expect(results.count == 5 && !results.isCancelled)
    for index in [0, 2, 4] { #expect(try results[index].get() == index) }
    for index in [1, 3] { #expect(throws: SomeError(index)) { try results[index].get() } }
    #expect(Set(results.failures.map(\.path)) == [["Numbers", "1"], ["Numbers", "3"]])
    #expect(gather.baton.outcomeIfComplete?.isCancelled == false)
    #expect(!gather.baton.isCancelled)
  }

  @Test func `with continues the failures are in the order in which they were recorded`() async {
    let gather = Baton.Gather<Int>(onFailure: .continues)
    let passes = (0..<4).map { gather.makePass("\($0)") }
    passes[3].cancel(SomeError(3))
    passes[1].cancel(SomeError(1))
    gather.baton.cancelAll(SomeError(10))
    passes[0].cancel(SomeError(0))
    gather.baton.cancelAll(SomeError(11))
    passes[2].cancel(SomeError(2))
    let results = await gather.results
    #expect(numbers(results) == [3, 1, 10, 0, 11, 2])
    #expect(throws: SomeError(3)) { try results.values() }
  }

  @Test func `with continues, too, a task's cancellation is noise once all is cancelled`() async {
    let gather = Baton.Gather<Int>(onFailure: .continues)
    gather.addTask {
      await Gate().wait()
      try Task.checkCancellation()
      return 1
    }
    gather.baton.cancelAll(SomeError(1))
    await #expect(throws: SomeError(1)) { try await gather.values }
    let results = await gather.results
    #expect(results.failures.count == 1)
    #expect(throws: CancellationError.self) { try results[0].get() }
  }

  @Test func `with continues a cancellation that nobody else asked for is a failure like any other`() async throws {
    let gather = Baton.Gather<Int>(onFailure: .continues)
    let other = gather.makePass()
    gather.makePass("gives up").cancel()
    other.finish(1)
    let results = await gather.results
    #expect(results.failures.map(\.label) == ["gives up"] && !results.isCancelled)
    #expect(try results[0].get() == 1)
  }
}
