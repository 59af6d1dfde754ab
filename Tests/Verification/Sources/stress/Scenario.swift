// A race: what is made for a round, what each thread does to it, and what must be true afterwards.

import Baton

/// One kind of race, of which every round makes a new one.
struct Scenario: Sendable {
  let name: String
  let threads: Int
  /// How many of the rounds it gets, beside the others.
  let share: Int
  let make: @Sendable (inout Random) -> Race

  init(_ name: String, threads: Int, share: Int, make: @escaping @Sendable (inout Random) -> Race) {
    self.name = name
    self.threads = threads
    self.share = share
    self.make = make
  }

  static let all = counting + hearing + cancelling + children + passes + limits + waiting
}

/// One round of a scenario.
struct Race: Sendable {
  /// Called once by each thread, at the same time.
  let run: @Sendable (_ thread: Int) -> Void
  /// Called when all threads are through.
  let judge: @Sendable (inout Verdict) -> Void

  init(run: @escaping @Sendable (_ thread: Int) -> Void, judge: @escaping @Sendable (inout Verdict) -> Void) {
    self.run = run
    self.judge = judge
  }
}

/// The first thing that was wrong with a round.
struct Verdict {
  private(set) var fault: String?

  mutating func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds, fault == nil { fault = what() }
  }

  /// Completed once, with the outcome that it should have, and with the work of those runners in view.
  mutating func said(_ record: Record, cancelled: Bool, sees runners: Int...) {
    expect(record.completionCount == 1, "completed \(record.completionCount) times")
    expect(record.saidCancelled == cancelled, "the completion got \(!cancelled), not \(cancelled)")
    for runner in runners { expect(record.completionSaw(runner), "the completion didn't see the work of \(runner)") }
    if let fault = record.fault { expect(false, fault) }
  }

  /// The same, of a baton that is still there to be looked at. With `leavesPasses`, bare passes below it were let go, which
  /// nobody settles.
  mutating func ended(
    _ baton: Baton, _ record: Record, passed: Int, cancelled: Bool, failures: Int = 0, leavesPasses: Bool = false
  ) {
    said(record, cancelled: cancelled)
    guard let outcome = baton.outcomeIfComplete else { return expect(false, "not complete") }
    expect(outcome.isCancelled == cancelled, "\(outcome), but cancelled is \(cancelled)")
    expect(outcome.failures.count == failures, "\(outcome.failures.count) failures, not \(failures): \(outcome)")
    let tally = baton.tally
    expect(tally.passed == passed && tally.outstanding == 0, "\(tally), not \(passed) passed and settled")
    expect(record.openCount == 0, "an observer heard of \(record.openCount) fewer ends than batons")
    expect(
      leavesPasses || !record.isObserved || record.isBalanced,
      "an observer heard of other numbers of passes and settles")
  }

  mutating func equal(_ number: Int, _ expected: Int, _ what: @autoclosure () -> String) {
    expect(number == expected, "\(what()): \(number), not \(expected)")
  }
}

/// An error that can be told from others.
struct Oops: Error {
  let number: Int
  init(_ number: Int) { self.number = number }
}

/// A reference that one thread lets go.
///
/// Unchecked: it is filled before the round and emptied by one thread in it, and rounds are kept apart by rendezvous.
final class Slot<Value>: @unchecked Sendable {
  private var value: Value?
  init(_ value: Value) { self.value = value }
  func take() -> Value? { value.take() }
  func drop() { value = nil }
}
