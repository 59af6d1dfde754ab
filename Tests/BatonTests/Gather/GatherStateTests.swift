// The decisions of a gather, without threads. (GatherState.swift)

import Testing

@testable import Baton

@Suite struct GatherStateTests {
  typealias Results = Baton.Gather<Int>.Results
  var state = GatherState<Int>()

  func failure(_ number: Int) -> Baton.Failure { Baton.Failure(error: SomeError(number), lineage: nil) }

  /// What a slot holds: a number, or the error's words.
  func words(_ results: Results) -> [String] {
    results.map { result in
      switch result {
      case .success(let value): "\(value)"
      case .failure(let error): "\(error)"
      }
    }
  }

  @Test mutating func `slots are numbered in pass order, and filled in any`() {
    #expect([state.open(waiting: false), state.open(waiting: true), state.open(waiting: false)] == [0, 1, 2])
    state.fill(2, with: .success(30), failure: nil)
    state.begin(1)
    state.fill(1, with: .success(20), failure: nil)
    state.fill(0, with: .success(10), failure: nil)
    let results = state.complete(.finished)
    #expect(words(results) == ["10", "20", "30"])
    #expect(!results.isCancelled && results.failures.isEmpty)
  }

  @Test mutating func `without a slot there are no results`() {
    #expect(state.complete(.finished).isEmpty)
  }

  @Test mutating func `a slot that never had its permit holds a cancellation, one that was out an abandonment`() {
    for _ in 0..<3 { _ = state.open(waiting: true) }
    _ = state.open(waiting: false)
    state.begin(1)
    state.begin(2)
    state.fill(2, with: .success(30), failure: nil)
    let results = state.complete(.cancelled([]))
    #expect(
      words(results) == ["CancellationError()", "abandoned with 1 pass out", "30", "abandoned with 1 pass out"])
    #expect(results.isCancelled)
  }

  @Test mutating func `a runner that begins after its slot was filled empties nothing`() {
    let slot = state.open(waiting: true)
    state.fill(slot, with: .success(1), failure: nil)
    state.begin(slot)
    #expect(words(state.complete(.finished)) == ["1"])
  }

  @Test mutating func `after completion nothing is taken in`() {
    let slot = state.open(waiting: false)
    _ = state.complete(.cancelled([failure(1)]))
    state.fill(slot, with: .success(1), failure: .init(failure: failure(2), after: 0))
    let late = state.open(waiting: true)
    // No slot is made for it, nor for the next one.
    #expect(late == 0)
    #expect(state.open(waiting: true) == 0)
    state.begin(late)
    state.fill(late, with: .success(2), failure: nil)
    #expect(state.completed.map(words) == ["abandoned with 1 pass out"])
    #expect(state.completed?.failures.map { "\($0.error)" } == ["error 1"])
  }

  @Test mutating func `the results are there from completion on, not before`() {
    let slot = state.open(waiting: false)
    #expect(state.completed == nil)
    state.fill(slot, with: .success(7), failure: nil)
    #expect(state.completed == nil)
    _ = state.complete(.finished)
    #expect(state.completed.map(words) == ["7"])
  }

  @Test(arguments: [
    ([], [1, 2], [1, 2]),
    ([(10, 0)], [1, 2], [10, 1, 2]),
    ([(10, 1)], [1, 2], [1, 10, 2]),
    ([(10, 2), (11, 2)], [1, 2], [1, 2, 10, 11]),
    ([(10, 0), (11, 1), (12, 1), (13, 2)], [1, 2], [10, 1, 11, 12, 2, 13]),
    // Two threads that read the number before either has recorded: the order in which they recorded stays.
    ([(10, 2), (11, 1)], [1, 2], [1, 2, 10, 11]),
    // Of a baton that wasn't cancelled the outcome has no failures.
    ([(10, 0), (11, 3)], [], [10, 11]),
  ])
  func `failures of slots and of the outcome are in the order in which they were recorded`(
    slots: [(number: Int, after: Int)], outcome: [Int], expected: [Int]
  ) {
    var state = GatherState<Int>()
    for (number, after) in slots {
      let failed = Result<Int, any Error>.failure(SomeError(number))
      state.fill(state.open(waiting: false), with: failed, failure: .init(failure: failure(number), after: after))
    }
    let results = state.complete(outcome.isEmpty ? .finished : .cancelled(outcome.map(failure)))
    #expect(results.failures.map { "\($0.error)" } == expected.map { "error \($0)" })
  }

  @Test mutating func `room made ahead changes nothing`() {
    state.reserve(100)
    #expect(state.open(waiting: false) == 0)
    #expect(state.complete(.cancelled([])).count == 1)
  }
}

/// What `values()` says of results. (GatherResults.swift)
@Suite struct GatherResultsTests {
  func results(
    _ results: [Result<Int, any Error>], failures: [Int] = [], isCancelled: Bool = false
  ) -> Baton.Gather<Int>.Results {
    let failures = failures.map { Baton.Failure(error: SomeError($0), lineage: nil) }
    return Baton.Gather<Int>.Results(results.map { .filled($0) }, failures: failures, isCancelled: isCancelled)
  }

  @Test func `values are all of them, in order`() throws {
    #expect(try results([.success(3), .success(1)]).values() == [3, 1])
    #expect(try results([]).values() == [])
  }

  @Test func `values throws the failure that was recorded first, not the first in pass order`() {
    let failed = results([.failure(SomeError(1)), .failure(SomeError(2))], failures: [2, 1], isCancelled: true)
    #expect(throws: SomeError(2)) { try failed.values() }
  }

  @Test func `values throws a cancellation when it was cancelled without a failure, though all values are in`() {
    #expect(throws: CancellationError.self) { try results([.success(1)], isCancelled: true).values() }
  }

  @Test func `is a collection of as many results as there were passes`() throws {
    let both = results([.success(1), .failure(SomeError(2))], failures: [2])
    #expect(both.count == 2 && both.indices == 0..<2)
    #expect(try both[0].get() == 1)
    #expect(throws: SomeError(2)) { try both[1].get() }
    #expect(try both.first?.get() == 1)
  }
}
