// Races between a parent and its children.

import Baton

extension Scenario {
  static let children = [
    // A child is made and ends beside the parent's cancellation.
    Scenario("child made", threads: 2, share: 6) { random in
      let (record, childs) = (Record(&random), Record())
      let parent = record.baton()
      let name = random.oneIn(2) ? "child" : nil
      parent.pass(count: 2)
      return Race { thread in
        if thread == 1 {
          record.note(1, parent.cancelAll())
          record.raise()
        } else {
          let child = parent.makeChild(name: name) { cancelled in
            record.mark(2)
            childs.complete(cancelled: cancelled)
          }
          child.pass()
          childs.mark(0)
          // Once the call has returned, all below are flagged; and what one has seen flagged, stays so.
          record.note(0, record.wasRaised || child.isCancelled)
          child.finish()
        }
        record.mark(thread)
        parent.finish()
      } judge: { verdict in
        verdict.said(childs, cancelled: childs.saidCancelled, sees: 0)
        verdict.said(record, cancelled: record.noted(1), sees: 0, 1, 2)
        verdict.ended(parent, record, passed: 3, cancelled: record.noted(1))
        verdict.expect(childs.saidCancelled || !record.noted(0), "the child wasn't cancelled with its parent")
      }
    },

    // A child fails beside the parent's cancellation and the parent's own last finish.
    Scenario("child fails", threads: 3, share: 5) { random in
      let family = Family(&random)
      return Race { thread in
        switch thread {
        case 0: family.child.take()?.cancel(Oops(1))
        case 1: family.record.note(1, family.parent.cancelAll())
        default: family.parent.finish()
        }
      } judge: { verdict in
        family.judge(&verdict, childFails: true)
      }
    },

    // A child finishes beside the same.
    Scenario("child finishes", threads: 3, share: 5) { random in
      let family = Family(&random)
      return Race { thread in
        switch thread {
        case 0: family.child.take()?.finish()
        case 1: family.record.note(1, family.parent.cancelAll())
        default: family.parent.finish()
        }
      } judge: { verdict in
        family.judge(&verdict, childFails: false)
      }
    },

    // A child is let go, with a pass out, beside the same.
    Scenario("child dropped", threads: 3, share: 5) { random in
      let family = Family(&random)
      return Race { thread in
        switch thread {
        case 0: family.child.drop()
        case 1: family.record.note(1, family.parent.cancelAll())
        default: family.parent.finish()
        }
      } judge: { verdict in
        family.judge(&verdict, childFails: true, leavesPasses: true)
      }
    },

    // A child that its parent doesn't know yet makes itself known, by a handler and by a child of its own.
    Scenario("child registers", threads: 3, share: 5) { random in
      let (record, childs) = (Record(&random), Record())
      let parent = record.baton()
      let child = parent.makeChild { childs.complete(cancelled: $0) }
      parent.pass()
      child.pass()
      return Race { thread in
        switch thread {
        case 0: record.note(0, parent.cancelAll())
        case 1:
          child.onCancel { childs.tell(0) }
          child.makeChild(name: "grandchild").withPass { childs.mark(0) }
          child.finish()
        default: parent.finish()
        }
      } judge: { verdict in
        let cancelled = child.isCancelled
        verdict.said(childs, cancelled: cancelled, sees: 0)
        verdict.equal(childs.times(0), cancelled ? 1 : 0, "the child's cancel handler ran")
        verdict.expect(!cancelled || record.noted(0), "the child was cancelled by nobody")
        verdict.ended(parent, record, passed: 2, cancelled: record.noted(0))
      }
    },

    // Siblings come and go, so that they change places in the parent's list.
    Scenario("siblings", threads: 3, share: 4) { random in
      let record = Record(&random)
      let parent = record.baton()
      let children = (0..<2).map { parent.makeChild(name: "\($0)") { _ in record.tell(0) } }
      for child in children { child.pass() }
      parent.pass()
      return Race { thread in
        switch thread {
        case 0: children[0].cancel(Oops(1))
        case 1: children[1].finish()
        default:
          let child = parent.makeChild(name: "2") { _ in record.tell(0) }
          child.onCancel { record.tell(1) }
          child.withPass { record.mark(0) }
          parent.finish()
        }
      } judge: { verdict in
        verdict.said(record, cancelled: true, sees: 0)
        verdict.ended(parent, record, passed: 4, cancelled: true, failures: 1)
        verdict.equal(record.times(0), 3, "children completed")
        verdict.expect(record.times(1) <= 1, "a cancel handler ran twice")
      }
    },
  ]
}

/// A parent and a child, each with a pass out.
private struct Family: Sendable {
  let record: Record
  let childs = Record()
  let parent: Baton
  let child: Slot<Baton>
  let propagates: Bool
  let listens: Bool

  init(_ random: inout Random) {
    record = Record(&random)
    parent = record.baton()
    (propagates, listens) = (random.oneIn(2), random.oneIn(2))
    let child = parent.makeChild(cancellation: propagates ? .propagates : .contained) { [childs, record] cancelled in
      record.mark(2)
      childs.complete(cancelled: cancelled)
    }
    if listens { child.onCancel { [childs] in childs.tell(0) } }
    self.child = Slot(child)
    child.pass()
    parent.pass()
  }

  func judge(_ verdict: inout Verdict, childFails: Bool, leavesPasses: Bool = false) {
    let cancelled = childs.saidCancelled
    verdict.said(childs, cancelled: cancelled || childFails)
    verdict.expect(!cancelled || childFails || record.noted(1), "the child was cancelled by nobody")
    verdict.equal(childs.times(0), cancelled && listens ? 1 : 0, "the child's cancel handler ran")
    verdict.said(record, cancelled: record.noted(1) || childFails && propagates, sees: 2)
    verdict.ended(
      parent, record, passed: 2, cancelled: record.noted(1) || childFails && propagates,
      failures: childFails && propagates ? 1 : 0, leavesPasses: leavesPasses)
  }
}
