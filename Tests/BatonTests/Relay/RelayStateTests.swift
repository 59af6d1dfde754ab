// The decisions of one run of a relay, without threads. (RelayState.swift)

import Testing

@testable import Baton

@Suite struct RelayStateTests {
  let errors = [SomeError(0), SomeError(1), SomeError(2)]

  func failure(_ number: Int) -> Baton.Failure { Baton.Failure(error: SomeError(number), lineage: nil) }

  func arrival(_ value: any Sendable) -> RelayState.Arrival { RelayState.Arrival(result: .success(value)) }

  func failed(_ numbers: Int...) -> RelayState.Arrival {
    RelayState.Arrival(result: .failure(SomeError(numbers[0])), failures: numbers.map(failure))
  }

  /// A move in words.
  func words(_ move: RelayState.Move) -> String {
    switch move {
    case .leg(let index, let value): "leg \(index) gets \(value)"
    case .finally(let index, .finished): "finally \(index): finished"
    case .finally(let index, .cancelled(let failures)): "finally \(index): \(failures.map { "\($0.error)" })"
    case .end: "end"
    }
  }

  func words(_ result: Result<any Sendable, any Error>) -> String {
    switch result {
    case .success(let value): "\(value)"
    case .failure(let error): "\(error)"
    }
  }

  @Test func `the legs run in order, each with what the one before has brought, then the finallys, then it ends`() {
    var state = RelayState(input: "a", legs: 2, finallies: 2)
    #expect(words(state.next(cancelled: nil)) == "leg 0 gets a")
    #expect(state.begun() == false)
    #expect(state.arrived(0, arrival("b")) == true)
    #expect(words(state.next(cancelled: nil)) == "leg 1 gets b")
    #expect(state.begun() == false)
    #expect(state.arrived(1, arrival("c")) == true)
    #expect(words(state.next(cancelled: nil)) == "finally 0: finished")
    #expect(state.begun() == false)
    #expect(state.arrived() == true)
    #expect(words(state.next(cancelled: nil)) == "finally 1: finished")
    #expect(state.begun() == false)
    #expect(state.arrived() == true)
    #expect(words(state.next(cancelled: nil)) == "end")
    #expect(words(state.result) == "c")
  }

  @Test func `what an earlier leg brings once more is none of the leg that is out`() {
    var state = RelayState(input: "a", legs: 2, finallies: 0)
    _ = state.next(cancelled: nil)
    _ = state.begun()
    #expect(state.arrived(0, arrival("b")) == true)
    #expect(words(state.next(cancelled: nil)) == "leg 1 gets b")
    #expect(state.begun() == false)
    #expect(state.arrived(0, arrival("x")) == false)
    #expect(state.arrived(1, arrival("c")) == true)
    #expect(words(state.next(cancelled: nil)) == "end" && words(state.result) == "c")
  }

  /// So that legs that end at once are a loop, not a recursion.
  @Test func `whoever comes second goes on: the result, or the return of the call that began the stage`() {
    var state = RelayState(input: "a", legs: 1, finallies: 1)
    _ = state.next(cancelled: nil)
    #expect(state.arrived(0, arrival("b")) == false)
    #expect(state.begun() == true)
    _ = state.next(cancelled: nil)
    #expect(state.arrived() == false)
    #expect(state.begun() == true)
    #expect(words(state.next(cancelled: nil)) == "end")
  }

  @Test func `without a stage the input is the result`() {
    var state = RelayState(input: "a", legs: 0, finallies: 0)
    #expect(words(state.next(cancelled: nil)) == "end")
    #expect(words(state.result) == "a")
  }

  @Test func `without a leg the finallys run`() {
    var state = RelayState(input: "a", legs: 0, finallies: 1)
    #expect(words(state.next(cancelled: nil)) == "finally 0: finished")
  }

  @Test func `a failed leg skips those behind it, never a finally, and is the result`() {
    var state = RelayState(input: "a", legs: 3, finallies: 1)
    _ = state.next(cancelled: nil)
    _ = state.begun()
    #expect(state.arrived(0, failed(1, 2)) == true)
    #expect(words(state.next(cancelled: [])) == "finally 0: [\"error 1\", \"error 2\"]")
    _ = state.begun()
    #expect(state.arrived() == true)
    #expect(words(state.next(cancelled: [failure(7)])) == "end")
    #expect(words(state.result) == "error 1")
  }

  @Test func `what was recorded first is the result, though it wasn't the leg's`() {
    var state = RelayState(input: "a", legs: 1, finallies: 0)
    _ = state.next(cancelled: nil)
    _ = state.begun()
    _ = state.arrived(0, RelayState.Arrival(result: .failure(SomeError(1)), failures: [failure(2), failure(1)]))
    #expect(words(state.result) == "error 2")
  }

  @Test func `a cancellation before the first leg, or between two, skips the legs behind it`() {
    for before in 0...1 {
      var state = RelayState(input: "a", legs: 2, finallies: 1)
      for leg in 0..<before {
        _ = state.next(cancelled: nil)
        _ = state.begun()
        _ = state.arrived(leg, arrival("b"))
      }
      #expect(words(state.next(cancelled: [failure(1)])) == "finally 0: [\"error 1\"]")
      _ = state.begun()
      _ = state.arrived()
      // What comes later changes nothing.
      #expect(words(state.next(cancelled: [failure(1), failure(2)])) == "end")
      #expect(words(state.result) == "error 1")
    }
  }

  @Test func `a cancellation without a failure is a CancellationError`() {
    var state = RelayState(input: "a", legs: 1, finallies: 1)
    #expect(words(state.next(cancelled: [])) == "finally 0: []")
    #expect(words(state.result) == "CancellationError()")
  }

  @Test func `a cancellation after the last leg changes nothing any more`() {
    var state = RelayState(input: "a", legs: 1, finallies: 1)
    _ = state.next(cancelled: nil)
    _ = state.begun()
    _ = state.arrived(0, arrival("b"))
    #expect(words(state.next(cancelled: [failure(1)])) == "finally 0: finished")
    _ = state.begun()
    _ = state.arrived()
    #expect(words(state.next(cancelled: [failure(1)])) == "end")
    #expect(words(state.result) == "b")
  }

  // MARK: Abandoned

  @Test func `abandoned, a leg that is out counts as over, and comes too late`() {
    var state = RelayState(input: "a", legs: 2, finallies: 1)
    _ = state.next(cancelled: nil)
    _ = state.begun()
    #expect(state.abandoned([failure(1)]) == true)
    #expect(state.arrived(0, arrival("b")) == false)
    #expect(words(state.next(cancelled: [failure(1)])) == "finally 0: [\"error 1\"]")
    _ = state.begun()
    #expect(state.arrived(0, arrival("b")) == false)
    #expect(state.arrived() == true)
    #expect(words(state.next(cancelled: [failure(1)])) == "end")
    #expect(words(state.result) == "error 1")
  }

  @Test func `abandoned while its leg is just beginning, that thread goes on`() {
    var state = RelayState(input: "a", legs: 1, finallies: 1)
    _ = state.next(cancelled: nil)
    #expect(state.abandoned([failure(1)]) == false)
    #expect(state.arrived(0, arrival("b")) == false)
    #expect(state.begun() == true)
    #expect(words(state.next(cancelled: [failure(1)])) == "finally 0: [\"error 1\"]")
  }

  @Test func `abandoned between two legs, or in a finally, who is at it goes on`() {
    var state = RelayState(input: "a", legs: 2, finallies: 1)
    _ = state.next(cancelled: nil)
    _ = state.begun()
    _ = state.arrived(0, arrival("b"))
    #expect(state.abandoned([failure(1)]) == false)
    #expect(words(state.next(cancelled: [failure(1)])) == "finally 0: [\"error 1\"]")
    #expect(state.abandoned([failure(1)]) == false)
    #expect(state.begun() == false)
    #expect(state.arrived() == true)
    #expect(words(state.next(cancelled: [failure(1)])) == "end")
  }

  /// Any run's baton completes: that is no abandonment if all is over.
  @Test func `the end of a run's baton changes nothing when its legs are over`() {
    var state = RelayState(input: "a", legs: 1, finallies: 0)
    _ = state.next(cancelled: nil)
    _ = state.begun()
    _ = state.arrived(0, arrival("b"))
    _ = state.next(cancelled: nil)
    #expect(state.abandoned([]) == false)
    #expect(words(state.result) == "b")
  }

  // MARK: Memory

  @Test func `keeps nothing that it has handed on`() {
    let letGo = Counter()
    var state = RelayState(input: OnDeinit { letGo.add() }, legs: 3, finallies: 0)
    for leg in 0..<3 {
      #expect(letGo.value == leg)
      _ = state.next(cancelled: nil)
      #expect(letGo.value == leg + 1)
      _ = state.begun()
      _ = state.arrived(leg, arrival(OnDeinit { letGo.add() }))
    }
    #expect(letGo.value == 3)
  }

  @Test func `cut short, keeps nothing of what nobody will get`() {
    let letGo = Counter()
    var state = RelayState(input: OnDeinit { letGo.add() }, legs: 1, finallies: 1)
    _ = state.next(cancelled: [])
    #expect(letGo.value == 1)
  }
}
