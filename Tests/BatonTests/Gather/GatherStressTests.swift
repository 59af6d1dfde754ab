// Many rounds, many threads: nothing early, nothing missing, limit and order kept. (BEHAVIOURS 26)

import Dispatch
import Synchronization
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct GatherStressTests {
  #if DEBUG
  static let rounds = 2_000
  #else
  static let rounds = 20_000
  #endif
  static let items = 40
  static let limit = 5

  /// What one round measures.
  final class Round: Sendable {
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let ended = Atomic<Int>(0)

    func begin() {
      most.max(running.wrappingAdd(1, ordering: .relaxed).newValue, ordering: .relaxed)
    }

    func end() {
      running.wrappingSubtract(1, ordering: .relaxed)
      ended.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// - Returns: What is wrong with the round, nil if nothing is.
  static func round(_ number: Int) async -> String? {
    let round = Round()
    let results = await withCheckedContinuation { continuation in
      _ = Baton.gather(0..<items, of: Int.self, limit: Baton.Limiter(limit)) { item, pass in
        round.begin()
        @Sendable func settle() {
          round.end()
          pass.finish(item)
        }
        // At once on this thread, or on one of several others.
        if (item + number) % 5 == 0 { settle() } else { DispatchQueue.global().async(execute: settle) }
      } completion: { results in
        continuation.resume(returning: results)
      }
    }
    let (ended, most) = (round.ended.load(ordering: .relaxed), round.most.load(ordering: .relaxed))
    if ended != items { return "Complete when \(ended) had ended." }
    if results.count != items { return "\(results.count) results." }
    if (try? results.values()) != Array(0..<items) { return "Not in order: \(results)" }
    if most > limit { return "\(most) at once." }
    return nil
  }

  @Test func `rounds of 40 items with limit 5 end neither early nor with results missing`() async {
    let wrong = Log<String>()
    await withTaskGroup { group in
      for lane in 0..<2 {
        group.addTask {
          for number in stride(from: lane, to: Self.rounds, by: 2) {
            if let what = await Self.round(number) { wrong.add("Round \(number): \(what)") }
          }
        }
      }
    }
    #expect(wrong.all.prefix(3).isEmpty, "\(wrong.count) of \(Self.rounds) rounds")
  }

  @Test func `rounds in which one item fails start nothing behind it, and keep every slot`() async {
    let wrong = Log<String>()
    for number in 0..<(Self.rounds / 10) {
      let failing = number % Self.items
      let started = Counter()
      let results = await withCheckedContinuation { continuation in
        _ = Baton.gather(0..<Self.items, of: Int.self, limit: 5) { item, pass in
          started.add()
          DispatchQueue.global().async {
            if item == failing { pass.cancel(SomeError(item)) } else { pass.finish(item) }
          }
        } completion: { results in
          continuation.resume(returning: results)
        }
      }
      let unstarted = results.count { result in
        if case .failure(let error) = result { error is CancellationError } else { false }
      }
      let isRight =
        results.count == Self.items && results.isCancelled && results.failures.count == 1
        && started.value + unstarted == Self.items && results[failing].isFailure(SomeError(failing))
      if !isRight { wrong.add("Round \(number): \(results.failures), \(started.value) started, \(unstarted) not") }
    }
    #expect(wrong.all.prefix(3).isEmpty)
  }
}

extension Result where Failure == any Error {
  fileprivate func isFailure(_ expected: SomeError) -> Bool {
    if case .failure(let error) = self { error as? SomeError == expected } else { false }
  }
}
