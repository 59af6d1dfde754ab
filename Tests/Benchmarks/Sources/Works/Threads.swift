// Row 10: two threads that pass and finish.

import Baton
import Dispatch
import Synchronization

extension Works {
  /// Threads on one baton.
  ///
  /// - Parameter threads: How many.
  /// - Returns: Work whose count is each thread's.
  public static func sharedBaton(threads: Int) -> Work {
    Work(preparing: "Baton, one for all") { count in
      let baton = Baton()
      baton.pass()
      return {
        together(threads) { _ in passAndFinish(baton, count) }
        baton.finish()
      }
    }
  }

  /// Threads on a child each of one baton.
  ///
  /// - Parameter threads: How many.
  /// - Returns: Work whose count is each thread's.
  public static func childEach(threads: Int) -> Work {
    Work(preparing: "Baton, a child each") { count in
      let baton = Baton()
      baton.pass()
      let children = (0..<threads).map { _ in baton.makeChild() }
      for child in children { child.pass() }
      return {
        together(threads) { index in passAndFinish(children[index], count) }
        for child in children { child.finish() }
        baton.finish()
      }
    }
  }

  /// Threads on one atomic word.
  ///
  /// - Parameter threads: How many.
  /// - Returns: Work whose count is each thread's.
  public static func sharedCounter(threads: Int) -> Work {
    Work(preparing: "limit: one bare atomic for all") { count in
      let counter = BareCounter()
      return { together(threads) { _ in counter.addAndSubtract(count) } }
    }
  }

  /// Threads on an atomic word each.
  ///
  /// - Parameter threads: How many.
  /// - Returns: Work whose count is each thread's.
  public static func counterEach(threads: Int) -> Work {
    Work(preparing: "limit: a bare atomic each") { count in
      // Some room between them, or they would share a cache line.
      let counters = (0..<threads * 16).map { _ in BareCounter() }
      return { together(threads) { index in counters[index * 16].addAndSubtract(count) } }
    }
  }

  /// Runs a body on so many threads, which begin when the last of them is there.
  private static func together(_ threads: Int, _ body: @Sendable (Int) -> Void) {
    let missing = Atomic<Int>(threads)
    DispatchQueue.concurrentPerform(iterations: threads) { index in
      missing.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      while missing.load(ordering: .acquiring) > 0 {}
      body(index)
    }
  }
}
