// Row 8: a limiter over many short items.

import Baton
import Dispatch
import Opaque
import Synchronization

extension Works {
  /// Items that settle before their body returns: there is a permit each time.
  public static let limitedInline = Work("Baton, settles at once") { count in
    let baton = Baton(limit: Baton.Limiter(8)) { _ in consume(1) }
    baton.withPass {
      for index in 0..<count {
        baton.start { pass in
          consume(index)
          pass.finish()
        }
      }
    }
    baton.wait()
  }

  /// Items that all wait for a permit, and start one after another as each settles.
  public static let limitedWaiting = Work("Baton, all wait in line") { count in
    let baton = Baton(limit: Baton.Limiter(1))
    let gate = Mutex<Baton.Pass?>(nil)
    baton.start { pass in gate.withLock { $0 = pass } }
    for index in 0..<count {
      baton.start { pass in
        consume(index)
        pass.finish()
      }
    }
    let first = gate.withLock { $0.take() }
    first?.finish()
    baton.wait()
  }

  /// Items that run on the threads of a concurrent queue, at most eight at a time.
  public static let limitedOnQueue = Work("Baton, items on a queue") { count in
    let queue = DispatchQueue(label: "items", attributes: .concurrent)
    let baton = Baton(limit: Baton.Limiter(8))
    baton.withPass {
      for index in 0..<count {
        baton.start { pass in
          queue.async {
            consume(index)
            pass.finish()
          }
        }
      }
    }
    baton.wait()
  }

  /// The limit: the queue alone, without a limit.
  public static let unlimitedOnQueue = Work("limit: bare async to a queue") { count in
    let queue = DispatchQueue(label: "items", attributes: .concurrent)
    for index in 0..<count { queue.async { consume(index) } }
    queue.sync(flags: .barrier) {}
  }
}
