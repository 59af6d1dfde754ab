// Races about the count: passes, settles and the last one.

import Baton

extension Scenario {
  static let counting = [
    // Two or three settle: one of them is the last.
    Scenario("finish", threads: 2, share: 10) { random in finish(2, Record(&random)) },
    Scenario("finish by three", threads: 3, share: 4) { random in finish(3, Record(&random)) },

    // Nobody sees a zero while a runner passes on before it settles.
    Scenario("pass", threads: 2, share: 8) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass(count: 2)
      return Race { thread in
        if thread == 0 { baton.pass() } else { baton.pass(count: 2) }
        for _ in 0...thread { baton.finish() }
        record.mark(thread)
        baton.finish()
      } judge: { verdict in
        verdict.said(record, cancelled: false, sees: 0, 1)
        verdict.ended(baton, record, passed: 5, cancelled: false)
      }
    },

    // Who joins is in, and awaited, or out, and told so.
    Scenario("tryPass", threads: 3, share: 8) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      return Race { thread in
        if thread > 0 {
          let isIn = baton.tryPass()
          record.note(thread, isIn)
          if !isIn {
            if !baton.isComplete { record.add(fault: "tryPass refused an open baton") }
            return
          }
        }
        record.mark(thread)
        baton.finish()
      } judge: { verdict in
        let joined = [1, 2].filter { record.noted($0) }
        verdict.said(record, cancelled: false, sees: 0)
        for runner in joined { verdict.said(record, cancelled: false, sees: runner) }
        verdict.ended(baton, record, passed: 1 + joined.count, cancelled: false)
        verdict.expect(!baton.tryPass(), "tryPass let somebody into a complete baton")
      }
    },

    // The last references go at once: the baton ends, once, as it should.
    Scenario("dropped", threads: 3, share: 3) { random in
      let record = Record(&random)
      let baton = record.baton()
      let isPassed = random.oneIn(2)
      if isPassed { baton.pass() }
      let slots = (0..<3).map { _ in Slot(baton) }
      return Race { thread in
        slots[thread].drop()
      } judge: { verdict in
        verdict.said(record, cancelled: isPassed)
      }
    },
  ]

  private static func finish(_ runners: Int, _ record: Record) -> Race {
    let baton = record.baton()
    baton.pass(count: runners)
    return Race { thread in
      record.mark(thread)
      baton.finish()
    } judge: { verdict in
      verdict.said(record, cancelled: false, sees: 0, 1, runners - 1)
      verdict.ended(baton, record, passed: runners, cancelled: false)
    }
  }
}
