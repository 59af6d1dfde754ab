// Naming the round in which the library traps, or in which nothing moves any more.

import Foundation
import Synchronization

/// Prints where it happened, and ends the process.
enum Trouble {
  /// Seconds without a round, after which it hangs.
  private static let patience = 90
  private static let session = Mutex<Session?>(nil)

  static func watch(_ watched: Session) {
    session.withLock { $0 = watched }
    // A trap of the library: `fatalError` has said what. Not safe in a signal handler by the book; the process ends anyway.
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS] {
      signal(number) { _ in
        Trouble.report("a trap")
        _exit(1)
      }
    }
    Thread {
      var (last, since) = (-1, ContinuousClock.now)
      while true {
        Thread.sleep(forTimeInterval: 1)
        let progress = watched.crew.progress.load(ordering: .relaxed)
        if progress != last { (last, since) = (progress, .now) }
        guard ContinuousClock.now - since > .seconds(patience) else { continue }
        report("nothing moves for \(patience) s")
        _exit(1)
      }
    }.start()
  }

  private static func report(_ what: String) {
    guard let session = session.withLockIfAvailable({ $0 }) ?? nil else { return }
    let crew = session.crew
    let name = session.name(crew.scenario.load(ordering: .relaxed), crew.round.load(ordering: .relaxed))
    print("FAILED \(name): \(what), after \(crew.progress.load(ordering: .relaxed)) rounds")
    fflush(nil)
  }
}
