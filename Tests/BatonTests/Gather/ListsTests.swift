// Scatter and gather over a list. (Lists.swift)

import Dispatch
import Testing

@testable import Baton

@Suite struct ListsTests {
  let log = Log<String>()

  // MARK: gather

  @Test func `gather returns the values in the order of the items`() async throws {
    let doors = (0..<4).map { _ in Gate() }
    // Each item ends when the one behind it has.
    let values = try await Baton.gather(0..<4, name: "Numbers") { index in
      if index < 3 { await doors[index + 1].wait() }
      log.add("\(index)")
      doors[index].open()
      return index * 10
    }
    #expect(values == [0, 10, 20, 30])
    #expect(log.all == ["3", "2", "1", "0"])
  }

  @Test func `an empty list returns at once`() async throws {
    let none: [Int] = []
    #expect(try await Baton.gather(none) { "\($0)" } == [])
    #expect(await Baton.gatherResults(none, limit: 3) { "\($0)" }.isEmpty)
  }

  @Test func `any sequence is a list`() async throws {
    let squares = sequence(first: 1) { $0 < 5 ? $0 + 1 : nil }
    #expect(try await Baton.gather(squares, limit: 2) { $0 * $0 } == [1, 4, 9, 16, 25])
    #expect(try await Baton.gather((1...3).lazy.map { $0 * 2 }) { $0 } == [2, 4, 6])
  }

  @Test func `a closure of several statements needs no types`() async throws {
    let lengths = try await Baton.gather(["a", "bb"], limit: 3) { word in
      let length = word.count
      guard length > 0 else { throw SomeError() }
      return length
    }
    let results = await Baton.gatherResults(["a", ""], limit: 3) { word in
      let length = word.count
      guard length > 0 else { throw SomeError() }
      return length
    }
    #expect(lengths == [1, 2] && results.count == 2)
  }

  @Test func `gather keeps its limit, and uses all of it`() async throws {
    let (running, full) = (Counter(), Gate())
    let values = try await Baton.gather(0..<9, limit: 3) { index in
      let now = running.add()
      log.add("\(now <= 3 ? "kept" : "\(now) at once")")
      // The first three wait for each other: fewer would never go on.
      if now == 3 { full.open() }
      await full.wait()
      running.add(-1)
      return index
    }
    #expect(values == Array(0..<9))
    #expect(Set(log.all) == ["kept"])
  }

  @Test func `after the first failure gather starts nothing more, and throws it`() async {
    await #expect(throws: SomeError(1)) {
      try await Baton.gather(0..<5, limit: 1) { index in
        log.add("\(index)")
        if index == 1 { throw SomeError(index) }
        return index
      }
    }
    #expect(log.all == ["0", "1"])
  }

  @Test func `gather waits for what runs when another fails`() async {
    let started = Gate()
    await #expect(throws: SomeError(1)) {
      try await Baton.gather(0..<2) { index in
        if index == 1 {
          await started.wait()
          throw SomeError(1)
        }
        started.open()
        await Gate().wait()
        log.add("cancelled: \(Task.isCancelled)")
      }
    }
    #expect(log.all == ["cancelled: true"])
  }

  @Test func `cancelling the task that gathers cancels all`() async {
    let started = Gate()
    let task = Task {
      try await Baton.gather(0..<3, limit: 1) { index in
        started.open()
        await Gate().wait()
        log.add("\(index) cancelled: \(Task.isCancelled)")
        return index
      }
    }
    await started.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.all == ["0 cancelled: true"])
  }

  // MARK: gatherResults

  @Test func `gatherResults runs every item, and returns each one's result`() async throws {
    let results = await Baton.gatherResults(0..<5, name: "Numbers", limit: 2) { index in
      if index % 2 == 0 { throw SomeError(index) }
      return index
    }
    #expect(results.count == 5 && results.failures.count == 3 && !results.isCancelled)
    #expect(results.failures.allSatisfy { $0.path == ["Numbers"] })
    for index in [1, 3] { #expect(try results[index].get() == index) }
    for index in [0, 2, 4] { #expect(throws: SomeError(index)) { try results[index].get() } }
  }

  @Test func `cancelling the task of gatherResults ends it with a result for each item`() async {
    let started = Gate()
    let task = Task {
      await Baton.gatherResults(0..<3, limit: 1) { index in
        started.open()
        await Gate().wait()
        return index
      }
    }
    await started.wait()
    task.cancel()
    let results = await task.value
    #expect(results.count == 3 && results.isCancelled)
    #expect(throws: CancellationError.self) { try results[1].get() }
  }

  // MARK: gather with callbacks

  @Test func `with callbacks the results are in the order of the items`() {
    let passes = Log<(String, Baton.Gather<Int>.Pass)>()
    let gather = Baton.gather(["a", "bb", "ccc"], of: Int.self, name: "Words") { word, pass in
      passes.add((word, pass))
    } completion: { results in
      log.add("\((try? results.values()) ?? [])")
    }
    for (word, pass) in passes.all.reversed() { pass.finish(word.count) }
    #expect(log.all == ["[1, 2, 3]"])
    #expect(gather.baton.name == "Words" && gather.baton.tally.passed == 4)
  }

  @Test func `with callbacks an empty list completes before the call returns`() {
    Baton.gather([Int](), of: Int.self, limit: 3) { _, _ in
      log.add("item")
    } completion: { results in
      log.add("\(results.count) results")
    }
    #expect(log.all == ["0 results"])
  }

  @Test func `items that settle at once complete it before the call returns, not earlier`() {
    Baton.gather(0..<3, of: Int.self, limit: 1) { index, pass in
      pass.finish(index)
      log.add("\(index)")
    } completion: { results in
      log.add("\((try? results.values()) ?? [])")
    }
    #expect(log.all == ["0", "1", "2", "[0, 1, 2]"])
  }

  @Test func `with callbacks a failure cancels the rest, or not, as one says`() async {
    for (policy, expected) in [(Baton.Gather<Int>.FailurePolicy.cancelsRest, 2), (.continues, 4)] {
      let started = Counter()
      let gather = Baton.gather(0..<4, of: Int.self, limit: 1, onFailure: policy) { index, pass in
        started.add()
        if index == 1 { pass.cancel(SomeError(1)) } else { pass.finish(index) }
      } completion: { results in
        log.add("\(results.count) results, \(results.failures.count) failed")
      }
      #expect(started.value == expected)
      #expect(gather.baton.isCancelled == (policy == .cancelsRest))
    }
    #expect(log.all == ["4 results, 1 failed", "4 results, 1 failed"])
  }

  @Test @MainActor func `with callbacks it completes on a queue, and on the main actor`() async {
    let queue = DispatchQueue(label: "completion")
    let results = await withCheckedContinuation { continuation in
      _ = Baton.gather(0..<2, of: Int.self, on: .queue(queue)) { index, pass in
        pass.finish(index)
      } completion: { results in
        dispatchPrecondition(condition: .onQueue(queue))
        continuation.resume(returning: results)
      }
    }
    #expect(results.count == 2)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      _ = Baton.gather(0..<3, of: Int.self, on: .main) { index, pass in
        pass.finish(index)
      } completion: { _ in
        MainActor.assertIsolated()
        continuation.resume()
      }
    }
  }

  // MARK: scatter

  /// A function that says when it starts, and keeps what ends it.
  func step(_ name: String, _ ends: Log<@Sendable () -> Void>) -> Baton.Step {
    { [log] done in
      log.add(name)
      ends.add(done)
    }
  }

  @Test func `with limit 1 functions run one after another`() {
    let ends = Log<@Sendable () -> Void>()
    let baton = Baton.scatter([step("a", ends), step("b", ends)], name: "Steps", limit: 1) { outcome in
      log.add(outcome.isCancelled ? "cancelled" : "finished")
    }
    #expect(log.all == ["a"])
    ends.all[0]()
    #expect(log.all == ["a", "b"] && !baton.isComplete)
    ends.all[1]()
    #expect(log.all == ["a", "b", "finished"])
    #expect(baton.name == "Steps" && baton.tally.passed == 3)
  }

  @Test func `without a limit functions run all at once`() {
    let ends = Log<@Sendable () -> Void>()
    Baton.scatter([step("a", ends), step("b", ends), step("c", ends)]) { _ in log.add("finished") }
    #expect(log.all == ["a", "b", "c"])
    for end in ends.all.reversed() { end() }
    #expect(log.all == ["a", "b", "c", "finished"])
  }

  @Test func `an empty list of functions completes before the call returns`() {
    Baton.scatter([Baton.Step]()) { outcome in log.add("\(outcome.isCancelled)") }
    #expect(log.all == ["false"])
  }

  @Test func `functions that are done at once, many of them, are no stack`() async {
    let ran = Counter()
    await onSmallStack {
      let first = Holder<@Sendable () -> Void>(nil)
      let step: Baton.Step = { done in
        done()
        ran.add()
      }
      let steps = [{ done in first.put(done) }] + Array(repeating: step, count: 50_000)
      let baton = Baton.scatter(steps, limit: 1) { _ in log.add("finished at \(ran.value)") }
      first.take()?()
      _ = baton.wait()
    }
    #expect(log.count == 1)
    await until { ran.value == 50_000 }
  }

  @Test func `cancelled, the functions that have not started never do`() {
    let ends = Log<@Sendable () -> Void>()
    let baton = Baton.scatter([step("a", ends), step("b", ends)], limit: 1) { outcome in
      log.add(outcome.isCancelled ? "cancelled" : "finished")
    }
    baton.cancelAll()
    #expect(!baton.isComplete)
    ends.all[0]()
    #expect(log.all == ["a", "cancelled"])
  }

  @Test @MainActor func `scatter completes on the main actor`() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let steps: [Baton.Step] = [{ done in DispatchQueue.global().async(execute: done) }, { done in done() }]
      Baton.scatter(steps, limit: 1, on: .main) { outcome in
        MainActor.assertIsolated()
        #expect(!outcome.isCancelled)
        continuation.resume()
      }
    }
  }
}
