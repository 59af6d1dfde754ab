// Races about permits and slots.

import Baton
import Synchronization

extension Scenario {
  static let limits = [
    // Each starts two runners; never more at work than permits, and each runs.
    Scenario("limiter", threads: 3, share: 5) { random in
      let workshop = Workshop(&random)
      return Race { thread in
        workshop.work()
      } judge: { verdict in
        workshop.judge(&verdict, cancelled: false)
        verdict.equal(workshop.ran.load(ordering: .relaxed), 6, "runners ran")
        if workshop.permits == 1 { verdict.equal(workshop.tools.count, 6, "the work of runners, one at a time") }
      }
    },

    // The same, cancelled meanwhile: those who wait are withdrawn, and no permit is lost with them.
    Scenario("limiter, cancelled", threads: 3, share: 5) { random in
      let workshop = Workshop(&random)
      return Race { thread in
        if thread == 2 { workshop.baton.cancelAll() }
        workshop.work()
      } judge: { verdict in
        workshop.judge(&verdict, cancelled: true)
        verdict.expect(workshop.ran.load(ordering: .relaxed) <= 6, "a runner ran twice")
      }
    },

    // Slots are filled at once, and one more is opened meanwhile.
    Scenario("gather", threads: 3, share: 5) { random in
      let record = Record(&random)
      let gather = Baton.Gather<Int>(onFailure: .continues, observer: record.isObserved ? record : nil) { results in
        record.complete(cancelled: results.isCancelled)
        let numbers = results.map { try? $0.get() }
        if numbers != [0, 1, nil, 3] { record.add(fault: "the results are \(numbers)") }
        if results.failures.count != 1 { record.add(fault: "\(results.failures.count) failures, not 1") }
      }
      let passes = (0..<3).map { _ in gather.makePass() }
      return Race { thread in
        record.mark(thread)
        switch thread {
        case 0:
          let another = gather.makePass()
          passes[0].finish(0)
          another.finish(3)
        case 1: passes[1].finish(1)
        default: passes[2].cancel(Oops(2))
        }
      } judge: { verdict in
        verdict.said(record, cancelled: false, sees: 0, 1, 2)
        verdict.ended(gather.baton, record, passed: 4, cancelled: false)
      }
    },
  ]
}

/// A baton with a limit, whose runners hold their permits until somebody takes their passes and settles them.
private final class Workshop: Sendable {
  let record: Record
  let permits: Int
  let baton: Baton
  let limiter: Baton.Limiter
  let ran = Atomic<Int>(0)
  let tools = Tools()
  private let inside = Atomic<Int>(0)
  private let stash = Mutex<[Baton.Pass]>([])

  /// Plain: with one permit, runners are one after another, and what one did is visible to the next.
  final class Tools: Sendable {
    nonisolated(unsafe) var count = 0
  }

  init(_ random: inout Random) {
    record = Record(&random)
    permits = 1 + random.below(2)
    limiter = Baton.Limiter(permits)
    baton = record.baton(limit: limiter)
    baton.pass(count: 3)
  }

  /// Starts two runners, then settles whatever runners there are.
  ///
  /// Whoever runs a body comes to this loop after it, so that none is left.
  func work() {
    for _ in 0..<2 { baton.start { self.enter($0) } }
    while let pass = stash.withLock({ $0.popLast() }) {
      inside.wrappingSubtract(1, ordering: .relaxed)
      pass.finish()
    }
    baton.finish()
  }

  private func enter(_ pass: Baton.Pass) {
    ran.wrappingAdd(1, ordering: .relaxed)
    if inside.wrappingAdd(1, ordering: .relaxed).newValue > permits { record.add(fault: "more runners than permits") }
    if permits == 1 { tools.count += 1 }
    stash.withLock { $0.append(pass) }
  }

  /// It has ended, and exactly its permits are there.
  func judge(_ verdict: inout Verdict, cancelled: Bool) {
    verdict.ended(baton, record, passed: 9, cancelled: cancelled)
    let probe = Baton(limit: limiter)
    let started = Mutex<[Baton.Pass]>([])
    for _ in 0...permits { probe.start { pass in started.withLock { $0.append(pass) } } }
    verdict.equal(started.withLock { $0.count }, permits, "permits afterwards")
    while let pass = started.withLock({ $0.popLast() }) { pass.finish() }
    verdict.expect(probe.isComplete && !probe.isCancelled, "a runner never got its permit")
  }
}
