// How a failing schedule is told, and run again.

import BatonExplored
import Explored

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A scenario with one of its schedules: what `replay` takes.
struct Replay: CustomStringConvertible {
  let scenario: Scenario
  let schedule: Schedule

  init(_ scenario: Scenario, _ schedule: Schedule) {
    self.scenario = scenario
    self.schedule = schedule
  }

  init?(_ description: String) {
    let parts = description.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let scenario = Scenario(parts[0]), let schedule = Schedule(parts[1]) else { return nil }
    self.init(scenario, schedule)
  }

  var description: String { "\(scenario)@\(schedule)" }

  /// Runs it and prints each operation as it is done, so that a trap has its whole story before it.
  /// - Returns: Whether it failed.
  func run() -> Bool {
    print("\(scenario): each line is one operation: thread, where it stands, what it does, to which location")
    let found = Explorer.replay(schedule, trace: { tell(line($0)) }, { Stage(scenario) })
    if let failure = found.failure { print("FAILED: \(failure.message)") } else { print("all is well") }
    return found.failure != nil
  }

  /// A line that is out before the next operation, which may trap.
  private func tell(_ line: String) {
    print(line)
    fflush(nil)
  }

  private func line(_ entry: TraceEntry) -> String {
    let thread = entry.threadNumber == 3 ? "main" : "  \("abc".map(String.init)[entry.threadNumber]) "
    var line = "\(thread) \(entry.site) \(entry) \(entry.location)"
    if entry.isAtomic { line += ": \(readable(entry.valueRead, entry))" }
    if let written = entry.valueWritten { line += " → \(readable(written, entry))" }
    if entry.staleness > 0 { line += " (stale: \(entry.staleness) newer)" }
    return line
  }

  /// The word in which a baton counts, by its fields.
  private func readable(_ value: UInt64, _ entry: TraceEntry) -> String {
    guard value >= 1 << 30, value < .max >> 1 else { return "\(Int64(bitPattern: value))" }
    let flags = ["observed", "sealed", "cancelled", "abandoned", "registered"].enumerated()
      .filter { value >> (30 + UInt64($0.offset)) & 1 == 1 }.map(\.element)
    return "[\(value >> 35) passed, \(value & (1 << 30 - 1)) out\(flags.map { ", " + $0 }.joined())]"
  }
}

/// What the process is searching, for when the library traps.
nonisolated(unsafe) var searched: Scenario?

/// Has a trap of the library say which schedule led to it. The process is about to end, with no lock held: it may print.
func reportTraps() {
  for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
    signal(number) { number in
      if let searched {
        print("FAILED: trapped (signal \(number))\n  replay \(Replay(searched, Explorer.schedule))")
        fflush(nil)
      }
      _exit(1)
    }
  }
}
