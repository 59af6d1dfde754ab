// Running a case at two sizes, on a small stack, within a time.

import Dispatch
import Foundation
import Synchronization

/// Something of which there may be a million.
struct Case: Sendable {
  let name: String
  /// What part of the number is enough: of what takes kilobytes each.
  let part: Int
  /// Makes so many and ends them; returns how many were heard of, which should be all.
  let run: @Sendable (_ count: Int) -> Int

  init(_ name: String, part: Int = 1, run: @escaping @Sendable (_ count: Int) -> Int) {
    self.name = name
    self.part = part
    self.run = run
  }

  static let all = nested + lines + passes

  /// How many times as long four times as many may take: twice what is linear, and half of a square.
  private static let factor = 4
  private static let tolerance = 8.0
  /// Seconds for one run of a case, after which it is taken not to end.
  private static let limit = 300.0

  /// Runs it at a quarter of the size, then at the size.
  /// - Returns: Whether it ended with the right number, in time, and in linear time.
  func measure(_ number: Int) -> Bool {
    let count = number / part
    var ratio = Double.infinity
    var (small, large) = (Double.infinity, Double.infinity)
    // Processor time, so that a busy machine doesn't matter; and again, as caches and the allocator do.
    for _ in 0..<3 where ratio > Self.tolerance {
      for (size, isSmall) in [(count / Self.factor, true), (count, false)] {
        let start = Self.processorTime
        let heard = onSmallStack(size)
        let time = Self.processorTime - start
        guard heard == size else {
          print("FAILED \(name): heard of \(heard) of \(size)")
          return false
        }
        if isSmall { small = min(small, time) } else { large = min(large, time) }
      }
      // What takes less than this is not measured by it.
      ratio = large < 0.02 ? 0 : large / max(small, 0.001)
    }
    let holds = ratio <= Self.tolerance
    let figures = String(
      format: "%.0f ns each, %.1f times as long as a quarter", large / Double(count) * 1e9, large / small)
    print("\(holds ? "passed" : "FAILED") \(count) \(name): \(figures)")
    fflush(nil)
    return holds
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func onSmallStack(_ count: Int) -> Int {
    let (done, heard) = (DispatchSemaphore(value: 0), Counter())
    let thread = Thread { [run] in
      heard.add(run(count))
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    if done.wait(timeout: .now() + Self.limit) == .success { return heard.value }
    print("FAILED \(name): \(count) are not done in \(Self.limit) s")
    exit(1)
  }
}

/// A number that many threads add to.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  var value: Int { number.load(ordering: .acquiring) }
  func add(_ more: Int = 1) { number.wrappingAdd(more, ordering: .acquiringAndReleasing) }
}
