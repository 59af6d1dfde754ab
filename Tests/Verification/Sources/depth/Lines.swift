// What waits in a baton's lines: handlers, cancel handlers and waiters.

import Baton
import Foundation

extension Case {
  static let lines = [
    Case("handlers run") { count in
      let (baton, ran) = (Baton(), Counter())
      baton.pass()
      for _ in 0..<count { baton.onCompletion { _ in ran.add() } }
      baton.finish()
      return ran.value
    },
    Case("handlers that are added by handlers") { count in
      let (baton, ran) = (Baton(), Counter())
      baton.pass()
      addHandler(to: baton, count, ran)
      baton.finish()
      return ran.value
    },
    Case("onCancel handlers run") { count in
      let (baton, ran) = (Baton(), Counter())
      baton.pass()
      for _ in 0..<count { baton.onCancel { ran.add() } }
      baton.cancelAll()
      baton.finish()
      return ran.value
    },
    Case("onCancel handlers are let go") { count in
      let (baton, freed) = (Baton(), Counter())
      baton.pass()
      for _ in 0..<count {
        let witness = Witness(freed)
        baton.onCancel { _ = witness }
      }
      baton.finish()
      return freed.value
    },
    Case("waiters wake") { count in
      let (baton, all, begun, woken) = (Baton(), Baton(), Counter(), Counter())
      baton.pass()
      all.withPass {
        for _ in 0..<count {
          all.addTask {
            begun.add()
            _ = await baton.outcome
            woken.add()
          }
        }
      }
      while begun.value < count { Thread.sleep(forTimeInterval: 0.001) }
      baton.finish()
      all.wait()
      return woken.value
    },
    // Each is two tasks, as it has a limit.
    Case("waiters leave", part: 4) { count in
      let (baton, all, begun, left) = (Baton(), Baton(), Counter(), Counter())
      baton.pass()
      all.withPass {
        for _ in 0..<count {
          all.addTask {
            begun.add()
            if await baton.outcome(within: .seconds(1), clock: EndlessClock()) == nil { left.add() }
          }
        }
      }
      while begun.value < count { Thread.sleep(forTimeInterval: 0.001) }
      all.cancelAll()
      all.wait()
      baton.finish()
      return left.value
    },
  ]

  /// Each adds the next, which joins the end of the line.
  @Sendable
  private static func addHandler(to baton: Baton, _ count: Int, _ ran: Counter) {
    guard count > 0 else { return }
    baton.onCompletion { [unowned baton] _ in
      ran.add()
      addHandler(to: baton, count - 1, ran)
    }
  }
}

/// Counts when it is let go.
final class Witness: Sendable {
  private let freed: Counter
  init(_ freed: Counter) { self.freed = freed }
  deinit { freed.add() }
}
