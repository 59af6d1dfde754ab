// Races about cancelling and abandoning.

import Baton

extension Scenario {
  static let cancelling = [
    // A runner's cancel: the handlers have run before the pass goes back.
    Scenario("cancel", threads: 2, share: 5) { random in
      let record = Record(&random)
      let baton = record.baton()
      let fails = random.oneIn(2)
      baton.pass(count: 2)
      baton.onCancel {
        record.tell(0)
        record.mark(2)
      }
      return Race { thread in
        record.mark(thread)
        if thread == 0 { baton.finish() } else if fails { baton.cancel(Oops(1)) } else { baton.cancel() }
      } judge: { verdict in
        verdict.said(record, cancelled: true, sees: 0, 1, 2)
        verdict.ended(baton, record, passed: 2, cancelled: true, failures: fails ? 1 : 0)
        verdict.equal(record.times(0), 1, "the cancel handler ran")
      }
    },

    // Two buttons and the last finish.
    Scenario("cancelAll", threads: 3, share: 6) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      baton.onCancel { record.tell(0) }
      return Race { thread in
        if thread > 0 { return record.note(thread, baton.cancelAll(Oops(thread))) }
        record.mark(0)
        baton.finish()
      } judge: { verdict in
        let first = [1, 2].filter { record.noted($0) }
        let failures = baton.outcomeIfComplete?.failures ?? []
        verdict.expect(first.count <= 1, "both cancelled it first")
        verdict.said(record, cancelled: !first.isEmpty, sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: !first.isEmpty, failures: failures.count)
        verdict.expect(failures.count <= 2 && failures.isEmpty == first.isEmpty, "\(failures.count) failures")
        verdict.expect((failures.first?.error as? Oops)?.number == first.first, "not the first failure is first")
        verdict.equal(record.times(0), first.count, "the cancel handler ran")
      }
    },

    // What comes late is absorbed, and the numbers that were out are kept.
    Scenario("abandon", threads: 3, share: 6) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass(count: 2)
      baton.onCancel { record.tell(0) }
      return Race { thread in
        switch thread {
        case 0:
          baton.pass()
          baton.finish()
          baton.finish()
        case 1: record.note(1, baton.abandon())
        default:
          if baton.tryPass() { baton.cancel() }
          baton.finish()
        }
      } judge: { verdict in
        verdict.said(record, cancelled: baton.isCancelled)
        verdict.equal(record.times(0), baton.isCancelled ? 1 : 0, "the cancel handler ran")
        let (tally, failures) = (baton.tally, baton.outcomeIfComplete?.failures ?? [])
        let left = failures.compactMap { ($0.error as? Baton.AbandonedError)?.outstanding }
        verdict.expect(2...4 ~= tally.passed && 0...4 ~= tally.outstanding, "\(tally)")
        verdict.expect(left == (tally.outstanding == 0 ? [] : [tally.outstanding]), "\(tally), but \(failures)")
        verdict.expect(tally.outstanding == 0 || record.noted(1), "abandoned by nobody")
        verdict.expect(baton.isCancelled || !record.noted(1), "abandoned, but not cancelled")
      }
    },

    // Of several that abandon, one does.
    Scenario("abandon twice", threads: 3, share: 3) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      baton.onCancel { record.tell(0) }
      return Race { thread in
        if thread == 0 { baton.finish() } else { record.note(thread, baton.abandon()) }
      } judge: { verdict in
        let ends = [1, 2].filter { record.noted($0) }
        verdict.expect(ends.count <= 1, "both ended it")
        verdict.said(record, cancelled: !ends.isEmpty)
        verdict.equal(record.times(0), ends.count, "the cancel handler ran")
        verdict.expect(baton.isComplete && baton.isCancelled != ends.isEmpty, "cancelled, but ended by nobody")
      }
    },

    // Whoever is in is told; whoever comes later finds the flag.
    Scenario("onCancel", threads: 3, share: 6) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      baton.onCancel { record.tell(0) }
      return Race { thread in
        switch thread {
        case 0:
          record.mark(0)
          baton.finish()
        case 1: record.note(1, baton.cancelAll())
        default: baton.onCancel { record.tell(1) }
        }
      } judge: { verdict in
        verdict.said(record, cancelled: record.noted(1), sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: record.noted(1))
        for handler in 0...1 { verdict.equal(record.times(handler), record.noted(1) ? 1 : 0, "handler \(handler) ran") }
      }
    },
  ]
}
