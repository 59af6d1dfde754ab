// The threads that race, kept over all rounds.

import Dispatch
import Foundation
import Synchronization

/// Runs rounds of scenarios on threads of its own, in batches.
///
/// In a batch, the threads share the making of the rounds, then run them one by one, each begun when all are there, then
/// share the judging. Making and judging apart from running means one rendezvous a round instead of two.
final class Crew: Sendable {
  static let batch = 128
  static let most = 3
  /// Loads before a thread that waits gives its time to another: there may be fewer processors than threads.
  private static let patience = 200

  private let seed: UInt64
  private let arrived = Atomic<Int>(0)
  private let work: Work
  private let wakes = (0..<most).map { _ in DispatchSemaphore(value: 0) }
  /// Which batch is on, so that a thread which was woken acquires what the conductor wrote.
  private let ticket = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  /// The round that runs, for whoever finds that nothing moves any more.
  let round = Atomic<Int>(0)
  let scenario = Atomic<Int>(0)
  /// Grows with every round.
  let progress = Atomic<Int>(0)

  /// Unchecked: what it holds is written by one thread between two rendezvous and read by others after the next one.
  private final class Work: @unchecked Sendable {
    var scenario = 0
    var first = 0
    var arrivals = 0
    let races = UnsafeMutablePointer<Race?>.allocate(capacity: Crew.batch)

    init() { races.initialize(repeating: nil, count: Crew.batch) }
    deinit {
      races.deinitialize(count: Crew.batch)
      races.deallocate()
    }
  }

  private let faults = Mutex<[(round: Int, text: String)]>([])

  init(seed: UInt64) {
    self.seed = seed
    work = Work()
    for thread in 1..<Self.most {
      Thread { [self] in
        while true {
          wakes[thread].wait()
          _ = ticket.load(ordering: .acquiring)
          if isOver.load(ordering: .relaxed) { return }
          batch(thread)
        }
      }.start()
    }
  }

  /// Lets the threads go.
  func end() {
    isOver.store(true, ordering: .relaxed)
    for wake in wakes { wake.signal() }
  }

  /// Runs one batch, on the calling thread and as many of the crew as it takes.
  /// - Returns: The rounds that failed, the first one first.
  func run(_ index: Int, from first: Int) -> [(round: Int, text: String)] {
    work.scenario = index
    work.first = first
    scenario.store(index, ordering: .relaxed)
    // Nothing is set back: somebody may still be about to leave the last rendezvous.
    work.arrivals = arrived.load(ordering: .relaxed)
    ticket.wrappingAdd(1, ordering: .releasing)
    for thread in 1..<Self.most where thread < Scenario.all[index].threads { wakes[thread].signal() }
    batch(0)
    return faults.withLock { $0 }.sorted { $0.round < $1.round }
  }

  private func batch(_ thread: Int) {
    let (index, first) = (work.scenario, work.first)
    let scenario = Scenario.all[index]
    var goal = work.arrivals
    func meet() {
      goal += scenario.threads
      arrived.wrappingAdd(1, ordering: .acquiringAndReleasing)
      var looks = 0
      while arrived.load(ordering: .acquiring) < goal {
        looks += 1
        if looks > Self.patience { sched_yield() }
      }
    }
    for place in stride(from: thread, to: Self.batch, by: scenario.threads) {
      var random = Random(seed: seed, scenario: index, round: first + place, part: -1)
      work.races[place] = scenario.make(&random)
    }
    meet()
    for place in 0..<Self.batch {
      var random = Random(seed: seed, scenario: index, round: first + place, part: thread)
      let pauses = random.below(1 << random.below(9))
      if thread == 0 {
        round.store(first + place, ordering: .relaxed)
        progress.wrappingAdd(1, ordering: .relaxed)
      }
      meet()
      for _ in 0..<pauses { _ = isOver.load(ordering: .relaxed) }
      work.races[place]?.run(thread)
    }
    meet()
    // Not what it made itself: the judge is another thread.
    for place in stride(from: (thread + 1) % scenario.threads, to: Self.batch, by: scenario.threads) {
      var verdict = Verdict()
      work.races[place]?.judge(&verdict)
      work.races[place] = nil
      if let fault = verdict.fault { faults.withLock { $0.append((first + place, fault)) } }
    }
    meet()
  }
}
