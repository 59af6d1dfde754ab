// Row 4: what a million of each weigh while they are out.

import Baton
import CMemory
import Dispatch
import Opaque
import Synchronization

/// The memory that is in use while work is out, by kind, per piece of work.
enum Memory {
  private static let count = 1_000_000

  static func measure() -> [Line] {
    let title = "memory for 1,000,000 outstanding"
    func line(_ name: String, _ bytes: Double, limit: Double? = nil) -> Line {
      Line(row: "4", title: title, name: name, samples: Samples([bytes]), unit: "bytes", limit: limit)
    }
    return [
      line("Baton, bare pass", bare(), limit: 0), line("Baton.Pass", passes(), limit: 80),
      line("Baton, wrapped callback beside its captures", callbacks(), limit: 128),
      line("hand-written once-flag beside its captures", onceFlags()), line("TaskGroup child", tasks()),
    ]
  }

  /// What making so many things adds; an array has room for them already.
  private static func growth<Thing>(_ make: (Int) -> Thing, _ end: (consuming [Thing]) -> Void) -> Double {
    var things: [Thing] = []
    things.reserveCapacity(count)
    let before = bytes_in_use()
    for index in 0..<count { things.append(make(index)) }
    let after = bytes_in_use()
    end(things)
    return (Double(after) - Double(before)) / Double(count)
  }

  private static func bare() -> Double {
    let baton = Baton()
    return growth({ _ in baton.pass() }, { things in for _ in things { baton.finish() } })
  }

  private static func passes() -> Double {
    let baton = Baton()
    return growth({ _ in baton.makePass() }, { passes in for pass in passes { pass.finish() } })
  }

  /// The handler captures nothing, so that all that is seen is the wrapping.
  private static func callbacks() -> Double {
    let baton = Baton()
    return growth(
      { _ in Callback(body: baton.pass { value in consume(value) }) },
      { callbacks in for callback in callbacks { callback.body(1) } })
  }

  private static func onceFlags() -> Double {
    growth(
      { _ in Callback(body: once { value in consume(value) }) },
      { callbacks in for callback in callbacks { callback.body(1) } })
  }

  private static func once(_ handler: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void {
    let flag = Flag()
    return { value in if !flag.isTaken.exchange(true, ordering: .relaxed) { handler(value) } }
  }

  private final class Flag: Sendable {
    let isTaken = Atomic<Bool>(false)
  }

  /// In a struct, as an array of naked closures would hold a thunk for each.
  private struct Callback {
    let body: @Sendable (Int) -> Void
  }

  /// Children that have started and wait for something.
  private static func tasks() -> Double {
    let count = 100_000
    let result = Result()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      let held = Held(count)
      await withTaskGroup(of: Void.self) { group in
        let before = bytes_in_use()
        for _ in 0..<count {
          group.addTask {
            await withCheckedContinuation { continuation in held.continuations.withLock { $0.append(continuation) } }
          }
        }
        while held.continuations.withLock({ $0.count }) < count { await Task.yield() }
        let after = bytes_in_use()
        result.bytes.withLock { $0 = (Double(after) - Double(before)) / Double(count) }
        for continuation in held.continuations.withLock({ $0 }) { continuation.resume() }
      }
      done.signal()
    }
    done.wait()
    return result.bytes.withLock { $0 }
  }

  private final class Held: Sendable {
    let continuations: Mutex<[CheckedContinuation<Void, Never>]>

    init(_ count: Int) {
      continuations = Mutex([])
      continuations.withLock { $0.reserveCapacity(count) }
    }
  }

  private final class Result: Sendable {
    let bytes = Mutex(0.0)
  }
}
