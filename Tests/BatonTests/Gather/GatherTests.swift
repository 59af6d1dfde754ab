// Passes that bring values back. (Gather.swift, GatherPass.swift)

import Dispatch
import Testing

@testable import Baton

@Suite struct GatherTests {
  let log = Log<String>()

  // MARK: Values (BEHAVIOURS 25)

  @Test func `values are in pass order, whatever the order in which they come`() async throws {
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
      let gather = Baton.Gather<String>()
      let passes = (0..<4).map { gather.makePass("\($0)") }
      for index in order { passes[index].finish("value \(index)") }
      #expect(try await gather.values == ["value 0", "value 1", "value 2", "value 3"])
    }
  }

  @Test func `values are in pass order when they come from many threads`() async throws {
    let gather = Baton.Gather<Int>()
    let passes = (0..<400).map { _ in gather.makePass() }
    await onThreads(4) { thread in
      for index in stride(from: 399 - thread, through: 0, by: -4) { passes[index].finish(index) }
    }
    #expect(try await gather.values == Array(0..<400))
  }

  @Test func `passes made on many threads each have a slot of their own`() async throws {
    let gather = Baton.Gather<Int>()
    gather.baton.pass()
    await onThreads(4) { thread in
      for index in 0..<100 { gather.makePass().finish(thread * 100 + index) }
    }
    gather.baton.finish()
    #expect(try await gather.values.sorted() == Array(0..<400))
  }

  @Test func `what was done before the others were passed counts`() async throws {
    let gather = Baton.Gather<Int>()
    gather.baton.pass()
    gather.makePass().finish(1)
    gather.pass { 2 }()
    #expect(gather.baton.tally == Baton.Tally(passed: 3, outstanding: 1))
    gather.addTask { 3 }
    gather.baton.finish()
    #expect(try await gather.values == [1, 2, 3])
  }

  @Test func `without a pass there are no values`() async throws {
    let gather = Baton.Gather<Int>()
    gather.baton.withPass {}
    #expect(try await gather.values == [])
    #expect(await gather.results.isEmpty)
  }

  @Test func `passes, callbacks, runners and tasks go into one row`() async throws {
    let gather = Baton.Gather<Int>(limit: 1)
    let callback: @Sendable (Int) -> Void = gather.pass { $0 }
    gather.start { $0.finish(2) }
    gather.addTask { 3 }
    gather.start { $0.finish(with: Result<Int, SomeError>.success(4)) }
    gather.makePass().finish(5)
    callback(1)
    #expect(try await gather.values == [1, 2, 3, 4, 5])
  }

  @Test func `a gather of nothing is told of the end only`() async throws {
    let gather = Baton.Gather<Void>()
    let callback: @Sendable (Int) -> Void = gather.pass { _ in }
    gather.makePass().finish()
    gather.addTask {}
    callback(1)
    #expect(try await gather.values.count == 3)
  }

  @Test func `who asks again gets the same again`() async throws {
    let gather = Baton.Gather<Int>()
    gather.makePass().finish(1)
    #expect(try await gather.values == [1])
    #expect(try await gather.values == [1])
    #expect(await gather.results.count == 1)
  }

  // MARK: Callbacks of any shape (BEHAVIOURS 30)

  /// The mapping that the documentation recommends for (value, error): an error wins, nothing at all is an error.
  @Test(arguments: [
    (nil, nil, "nothing"), (1, nil, "1"), (nil, SomeError(2), "error 2"), (1, SomeError(2), "error 2"),
  ])
  func `a handler maps what the callback gets to a value or a failure`(
    value: Int?, error: SomeError?, expected: String
  ) async {
    struct Nothing: Error, CustomStringConvertible { var description: String { "nothing" } }
    let gather = Baton.Gather<Int>(name: "Numbers", onFailure: .continues)
    let callback: @Sendable (Int?, (any Error)?) -> Void = gather.pass("one") { value, error in
      if let error { throw error }
      guard let value else { throw Nothing() }
      return value
    }
    callback(value, error)
    let results = await gather.results
    #expect(results.count == 1)
    switch results[0] {
    case .success(let value): #expect("\(value)" == expected && results.failures.isEmpty)
    case .failure(let error):
      #expect("\(error)" == expected)
      #expect(results.failures.map(\.path) == [["Numbers", "one"]])
    }
  }

  @Test func `optional values stay what they are`() async throws {
    let gather = Baton.Gather<Int?>()
    let callback: @Sendable (Int?, String) -> Void = gather.pass { value, _ in value }
    gather.makePass().finish(nil)
    gather.makePass().finish(2)
    callback(nil, "")
    #expect(try await gather.values == [nil, nil, 2])
  }

  @Test func `a callback may have no argument, one, or three`() async throws {
    let gather = Baton.Gather<String>()
    let none: @Sendable () -> Void = gather.pass { "none" }
    let one: @Sendable (Result<Int, any Error>) -> Void = gather.pass { result in "\(try result.get())" }
    let three: @Sendable (Int, String, (any Error)?) -> Void = gather.pass { number, text, error in
      if let error { throw error }
      return "\(number)\(text)"
    }
    three(3, "c", nil)
    one(.success(1))
    none()
    #expect(try await gather.values == ["none", "1", "3c"])
  }

  @Test func `a runner's pass makes a callback too`() async throws {
    let gather = Baton.Gather<Int>(limit: 1)
    let callbacks = Log<@Sendable (Int) -> Void>()
    for number in 1...2 {
      gather.start { pass in
        log.add("\(number) starts")
        callbacks.add(pass.callback { (value: Int) in value * number })
      }
    }
    #expect(log.all == ["1 starts"])
    callbacks.all[0](10)
    // The permit went on when the value was in.
    #expect(log.all == ["1 starts", "2 starts"])
    callbacks.all[1](10)
    #expect(try await gather.values == [10, 20])
  }

  // MARK: Completion (BEHAVIOURS 29)

  @Test func `each item's own callback runs before the completion`() {
    let gather = Baton.Gather<Int>(name: "Numbers") { results in log.add("all \(results.count)") }
    let callbacks = (0..<3).map { index -> @Sendable () -> Void in
      gather.pass {
        log.add("item \(index)")
        return index
      }
    }
    for callback in callbacks.reversed() { callback() }
    #expect(log.all == ["item 2", "item 1", "item 0", "all 3"])
  }

  @Test func `the completion runs once, on its executor, with the results`() {
    let work = Log<@Sendable () -> Void>()
    let gather = Baton.Gather<Int>(on: Baton.Executor { work.add($0) }) { results in
      log.add("\((try? results.values()) ?? [])")
    }
    gather.makePass().finish(1)
    #expect(log.count == 0 && work.count == 1)
    work.all[0]()
    #expect(log.all == ["[1]"])
  }

  @Test @MainActor func `the completion runs on the main actor`() async {
    final class Screen { var values: [Int] = [] }
    let screen = Screen()
    await withCheckedContinuation { continuation in
      let gather = Baton.Gather<Int>(on: .main) { results in
        screen.values = (try? results.values()) ?? []
        continuation.resume()
      }
      gather.baton.withPass {
        for value in 1...2 { gather.addTask { value } }
      }
    }
    #expect(screen.values == [1, 2])
  }

  @Test func `a gather of a child of a baton is part of the tree`() async throws {
    let tree = Baton(name: "Tree")
    let gather = Baton.Gather<Int>(tree.makeChild(name: "Branch"), .cancelsRest)
    gather.makePass("leaf").cancel(SomeError(1))
    #expect(await tree.ending?.failures.map(\.path) == [["Tree", "Branch", "leaf"]])
  }

  @Test func `a pass knows its label, and the baton its count`() {
    let gather = Baton.Gather<Int>(name: "Numbers")
    let pass = gather.makePass("one")
    #expect(pass.label == "one" && !pass.isCancelled)
    #expect(gather.baton.name == "Numbers" && gather.baton.tally.outstanding == 1)
    pass.finish(1)
  }

  /// As of `Baton.addTask`: the caller's priority, although another task hands it the permit.
  @Test func `a task that waited runs with its caller's priority`() async {
    let gather = Baton.Gather<Void>(limit: 1)
    let seen = Log<TaskPriority>()
    let busy = Holder<Baton.Gather<Void>.Pass>(nil)
    gather.start { busy.put($0) }
    // Nobody awaits them, which would raise their priority.
    Task.detached(priority: .low) { gather.addTask { seen.add(Task.basePriority ?? .background) } }
    await until { gather.baton.tally.passed == 2 }
    Task.detached(priority: .high) { busy.take()?.finish() }
    #expect(await gather.baton.ending?.isCancelled == false)
    #expect(seen.all == [.low])
  }
}
