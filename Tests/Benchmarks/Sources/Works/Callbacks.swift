// Rows 6 and 7: callbacks that count, and callbacks that bring results.

import Baton
import Opaque
import Synchronization

extension Works {
  /// Row 6: wrap a callback, and have it called.
  public static let callback = Work(preparing: "Baton") { count in
    let baton = Baton()
    baton.pass()
    return {
      callbacks(baton, count)
      baton.finish()
    }
  }

  @inline(never)
  private static func callbacks(_ baton: Baton, _ count: Int) {
    for index in 0..<count {
      load(index, completion: baton.pass { value in consume(value &+ index) })
    }
  }

  /// Row 6's limit: the same closure behind a flag that lets it run once.
  public static let onceFlag = Work("limit: hand-written once-flag") { count in
    for index in 0..<count {
      load(index, completion: once { value in consume(value &+ index) })
    }
  }

  private static func once(_ handler: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void {
    let flag = OnceFlag()
    return { value in if flag.take() { handler(value) } }
  }

  /// Row 7: results of callbacks, in the order in which they were passed.
  public static let gather = Work("Baton.Gather, callbacks") { count in
    let gather = Baton.Gather<Int> { results in consume(results.count) }
    gather.baton.withPass {
      for index in 0..<count { load(index, completion: gather.pass { value in value }) }
    }
  }

  /// Row 7: the same over a list.
  public static let gatherList = Work("Baton.gather, list") { count in
    Baton.gather(0..<count, of: Int.self) { index, pass in
      pass.finish(index)
    } completion: { results in
      consume(results.count)
    }
  }

  /// Row 7's limit: an array under a lock, and a count.
  public static let bareGather = Work("limit: array under a lock, bare count") { count in
    let results = BareResults(count)
    for index in 0..<count {
      results.pass()
      load(index) { value in results.settle(index, value) }
    }
    consume(results.count)
  }
}

private final class OnceFlag: Sendable {
  private let isTaken = Atomic<Bool>(false)

  func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

private final class BareResults: Sendable {
  private let results: Mutex<[Int?]>
  private let word = Atomic<UInt64>(1)

  init(_ count: Int) { results = Mutex(Array(repeating: nil, count: count)) }

  func pass() { word.wrappingAdd(1 << 35 | 1, ordering: .relaxed) }

  func settle(_ index: Int, _ value: Int) {
    results.withLock { $0[index] = value }
    if UInt32(truncatingIfNeeded: word.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue) == 0 {
      consume(1)
    }
  }

  var count: Int { results.withLock { $0.count } }
}
