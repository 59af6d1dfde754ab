// Races about the handlers of a completion.

import Baton
import Foundation
import Synchronization

extension Scenario {
  static let hearing = [
    // However late it is added, a handler runs once, after the completion and after who was there before it.
    Scenario("onCompletion", threads: 3, share: 8) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      baton.onCompletion { _ in record.hear(0) }
      return Race { thread in
        switch thread {
        case 0:
          record.mark(0)
          baton.finish()
        case 1:
          baton.onCompletion { _ in hear(1, after: 0, record) }
          baton.onCompletion { _ in hear(2, after: 1, record) }
        default:
          baton.onCompletion { outcome in
            hear(3, after: 0, record)
            if outcome.isCancelled { record.add(fault: "a handler got another outcome") }
          }
        }
      } judge: { verdict in
        verdict.said(record, cancelled: false, sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: false)
        for handler in 0...3 { verdict.equal(record.times(handler), 1, "handler \(handler) ran") }
      }
    },

    // Handlers that are added by handlers, while others are.
    Scenario("onCompletion while delivering", threads: 2, share: 4) { random in
      let record = Record(&random)
      let baton = record.baton()
      baton.pass()
      baton.onCompletion { [unowned baton] _ in
        record.hear(0)
        baton.onCompletion { _ in hear(1, after: 0, record) }
      }
      return Race { thread in
        if thread == 0 {
          record.mark(0)
          baton.finish()
        } else {
          baton.onCompletion { [unowned baton] _ in
            hear(2, after: 0, record)
            baton.onCompletion { _ in hear(3, after: 2, record) }
          }
        }
      } judge: { verdict in
        verdict.said(record, cancelled: false, sees: 0)
        verdict.ended(baton, record, passed: 1, cancelled: false)
        for handler in 0...3 { verdict.equal(record.times(handler), 1, "handler \(handler) ran") }
      }
    },

    // A child's completion runs on another thread: its parent waits for the return, or for the work to be let go.
    Scenario("completion elsewhere", threads: 2, share: 4) { random in
      let (record, childs, parcel) = (Record(&random), Record(), Parcel())
      let parent = record.baton()
      let runs = !random.oneIn(4)
      let child = parent.makeChild(on: Baton.Executor { parcel.put($0) }) { cancelled in
        childs.complete(cancelled: cancelled)
        record.mark(1)
      }
      child.pass()
      return Race { thread in
        guard thread == 1 else {
          childs.mark(0)
          record.mark(0)
          return child.finish()
        }
        var work = parcel.take()
        while work == nil {
          sched_yield()
          work = parcel.take()
        }
        if runs { work?() }
      } judge: { verdict in
        if runs { verdict.said(childs, cancelled: false, sees: 0) }
        verdict.equal(childs.completionCount, runs ? 1 : 0, "the child's completion ran")
        verdict.said(record, cancelled: false, sees: 0)
        if runs { verdict.said(record, cancelled: false, sees: 1) }
        verdict.ended(parent, record, passed: 1, cancelled: false)
      }
    },
  ]

  private static func hear(_ handler: Int, after other: Int, _ record: Record) {
    record.hear(handler)
    if record.times(other) == 0 { record.add(fault: "handler \(handler) overtook handler \(other)") }
  }
}

/// Work on its way from one thread to another.
private final class Parcel: Sendable {
  private struct Contents {
    var work: (@Sendable () -> Void)?
  }

  private let contents = Mutex(Contents())

  func put(_ work: @escaping @Sendable () -> Void) { contents.withLock { $0.work = work } }
  func take() -> (@Sendable () -> Void)? { contents.withLock { $0.work.take() } }
}
