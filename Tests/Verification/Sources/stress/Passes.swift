// Races about one pass: it is settled once.

import Baton

extension Scenario {
  static let passes = [
    // A result against a timer.
    Scenario("Pass.finish and cancel", threads: 3, share: 5) { random in
      let record = Record(&random)
      let baton = record.baton()
      let pass = baton.makePass("pass")
      baton.pass()
      return Race { thread in
        switch thread {
        case 0: record.note(0, pass.tryFinish())
        case 1: record.note(1, pass.tryCancel(Oops(1)))
        default: baton.finish()
        }
      } judge: { verdict in
        verdict.expect(record.noted(0) != record.noted(1), "settled by both or by nobody")
        verdict.ended(baton, record, passed: 2, cancelled: record.noted(1), failures: record.noted(1) ? 1 : 0)
      }
    },

    // Two that share a pass let it go, one of them perhaps after settling it.
    Scenario("Pass dropped", threads: 3, share: 4) { random in
      let record = Record(&random)
      let baton = record.baton()
      let pass = baton.makePass()
      let slots = [Slot(pass), Slot(pass)]
      let settles = random.oneIn(2)
      baton.pass()
      return Race { thread in
        switch thread {
        case 0:
          let pass = slots[0].take()
          record.mark(0)
          if settles { pass?.finish() }
        case 1: slots[1].drop()
        default: baton.finish()
        }
      } judge: { verdict in
        verdict.said(record, cancelled: !settles, sees: 0)
        verdict.ended(baton, record, passed: 2, cancelled: !settles, failures: settles ? 0 : 1)
        if record.isObserved { verdict.equal(record.misuseCount, settles ? 0 : 1, "reports of a misuse") }
      }
    },

    // Two listen, one of them settles at once, while a third cancels.
    Scenario("Pass.onCancel", threads: 3, share: 5) { random in
      let record = Record(&random)
      let baton = record.baton()
      let passes = [baton.makePass(), baton.makePass()]
      return Race { thread in
        switch thread {
        case 0: passes[0].onCancel { record.tell(0) }
        case 1: record.note(1, baton.cancelAll())
        default:
          passes[1].onCancel { record.tell(1) }
          passes[1].finish()
        }
      } judge: { verdict in
        verdict.expect(record.noted(1), "an open baton refused to be cancelled")
        verdict.equal(record.times(0), 1, "the handler of the pass that is out ran")
        verdict.expect(record.times(1) <= 1, "a handler ran twice")
        record.mark(0)
        passes[0].finish()
        verdict.said(record, cancelled: true, sees: 0)
        verdict.ended(baton, record, passed: 2, cancelled: true)
      }
    },

    // Whoever joins gets a pass, or none.
    Scenario("tryMakePass", threads: 2, share: 3) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      return Race { thread in
        guard thread == 1 else { return baton.finish() }
        let pass = baton.tryMakePass("late")
        record.note(1, pass != nil)
        if pass == nil, !baton.isComplete { record.add(fault: "tryMakePass refused an open baton") }
        guard let pass else { return }
        record.mark(1)
        pass.cancel()
      } judge: { verdict in
        if record.noted(1) { verdict.said(record, cancelled: true, sees: 1) }
        verdict.ended(baton, record, passed: record.noted(1) ? 2 : 1, cancelled: record.noted(1))
      }
    },

    // A wrapped callback is called twice at once.
    Scenario("callback twice", threads: 3, share: 5) { random in
      let record = Record(&random)
      let baton = record.baton()
      let throwing = random.oneIn(2)
      let callback = baton.pass("callback") { (number: Int) in
        record.tell(0)
        record.mark(0)
        if throwing { throw Oops(number) }
      }
      baton.pass()
      return Race { thread in
        if thread < 2 { callback(thread) } else { baton.finish() }
      } judge: { verdict in
        verdict.equal(record.times(0), 1, "the handler ran")
        verdict.said(record, cancelled: throwing, sees: 0)
        verdict.ended(baton, record, passed: 2, cancelled: throwing, failures: throwing ? 1 : 0)
        if record.isObserved { verdict.equal(record.misuseCount, 1, "reports of a misuse") }
      }
    },
  ]
}
