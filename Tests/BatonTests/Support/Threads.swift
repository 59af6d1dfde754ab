// Threads that meet, so that what races really does.

import Foundation
import Synchronization
import Testing

/// How often a race is repeated: what a debug build on two cores can afford.
enum Rounds {
  #if DEBUG
  static let few = 2_000
  static let many = 20_000
  #else
  static let few = 10_000
  static let many = 200_000
  #endif
}

/// Runs a body on so many threads of their own, and returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) async {
  let done = Counter()
  await withCheckedContinuation { continuation in
    for index in 0..<count {
      Thread {
        body(index)
        if done.add() == count { continuation.resume() }
      }.start()
    }
  }
}

/// Runs a body on a thread of its own: what must not block a thread of the concurrency pool.
func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}

/// Where so many threads wait for each other, again and again.
final class Rendezvous: Sendable {
  private let parties: Int
  private let arrived = Atomic<Int>(0)
  private let generation = Atomic<Int>(0)

  init(_ parties: Int) { self.parties = parties }

  func meet() {
    let mine = generation.load(ordering: .acquiring)
    if arrived.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == parties {
      arrived.store(0, ordering: .relaxed)
      generation.wrappingAdd(1, ordering: .releasing)
    } else {
      while generation.load(ordering: .acquiring) == mine { sched_yield() }
    }
  }
}

/// Runs bodies beside each other, each on a thread of its own: round after round, each begun when all are there.
///
/// - Parameters:
///   - rounds: How often.
///   - make: What one round is about.
///   - runners: What is done to it at the same time, each beginning a little earlier or later from round to round.
///   - check: What must be true when all are done.
/// - Returns: How many rounds failed the check. The test itself expects 0: a thread doesn't belong to a test.
func race<State: Sendable>(
  rounds: Int = Rounds.few, _ make: @escaping @Sendable (_ round: Int) -> State,
  _ runners: (@Sendable (State) -> Void)..., check: @escaping @Sendable (State) -> Bool
) async -> Int {
  let failed = Counter()
  let rendezvous = Rendezvous(runners.count)
  let current = Mutex<State?>(nil)
  await onThreads(runners.count) { index in
    for round in 0..<rounds {
      if index == 0 {
        let state = make(round)
        current.withLock { $0 = state }
      }
      rendezvous.meet()
      if let state = current.withLock({ $0 }) {
        for _ in 0..<(round &* (index + 3) % 61) { _ = failed.value }
        runners[index](state)
      }
      rendezvous.meet()
      if index == 0, let state = current.withLock({ $0.take() }), !check(state) { failed.add() }
    }
  }
  return failed.value
}

/// Returns as soon as a condition holds that another thread or task is about to bring about.
func until(at location: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
  let end = ContinuousClock.now + patience
  while !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("It never came true.", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}
