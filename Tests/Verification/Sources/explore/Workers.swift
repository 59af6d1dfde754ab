// Searching families of scenarios in several processes, since one explorer needs a process for itself.

import BatonExplored
import Explored
import Foundation

/// How much of a family was searched.
struct Figures: Equatable, CustomStringConvertible {
  var scenarios = 0
  var schedules = 0
  var states = 0
  var steps = 0

  static func + (left: Figures, right: Figures) -> Figures {
    Figures(
      scenarios: left.scenarios + right.scenarios, schedules: left.schedules + right.schedules,
      states: left.states + right.states, steps: left.steps + right.steps)
  }

  /// Reads the four numbers as a worker, or the committed table, writes them.
  init?(_ fields: some Collection<Substring>) {
    let numbers = fields.compactMap { Int($0) }
    guard numbers.count == 4, fields.count == 4 else { return nil }
    (scenarios, schedules, states, steps) = (numbers[0], numbers[1], numbers[2], numbers[3])
  }

  init(scenarios: Int = 0, schedules: Int = 0, states: Int = 0, steps: Int = 0) {
    (self.scenarios, self.schedules, self.states, self.steps) = (scenarios, schedules, states, steps)
  }

  var description: String { "\(scenarios) scenarios, \(schedules) schedules, \(states) states, \(steps) steps" }

  /// The same for a table.
  var fields: String { "\(scenarios)\t\(schedules)\t\(states)\t\(steps)" }
}

enum Worker {
  /// Searches one scenario, and tells of a failure.
  /// - Returns: What was searched, or nil after a failure.
  static func search(_ scenario: Scenario, _ options: Options) -> Figures? {
    searched = scenario
    let found = Explorer.search(options) { Stage(scenario) }
    guard let failure = found.failure else {
      return Figures(scenarios: 1, schedules: found.schedules, states: found.states, steps: found.steps)
    }
    print("FAILED: \(failure.message)\n  replay \(Replay(scenario, failure.schedule))")
    return nil
  }

  /// Searches one part of a family, and prints its figures, or the first failure.
  static func run(_ family: Family, part: Int, of parts: Int, seed: UInt64) -> Bool {
    var figures = Figures()
    var isWell = true
    family.forEach(part: part, of: parts, seed: seed) { scenario in
      guard let more = search(scenario, family.options) else {
        isWell = false
        return false
      }
      figures = figures + more
      return true
    }
    if isWell { print(figures.fields) }
    return isWell
  }

  /// Searches a family in several processes.
  /// - Returns: What they searched together, or nil after a failure, which has been told.
  static func runAll(_ mode: String, _ family: Family, jobs: Int, seed: UInt64) throws -> Figures? {
    let workers = try (0..<jobs).map { part in
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = ["worker", mode, family.name, "\(part)", "\(jobs)", "\(seed)"]
      process.standardOutput = pipe
      try process.run()
      return (process, pipe)
    }
    var sum: Figures? = Figures()
    for (process, pipe) in workers {
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      if process.terminationStatus == 0, let figures = Figures(text.dropLast().split(separator: "\t")) {
        sum = sum.map { $0 + figures }
      } else {
        print(text, terminator: "")
        fflush(nil)
        try tell(text)
        sum = nil
      }
    }
    return sum
  }

  /// Replays what a worker reported, in a process of its own, since it may trap again.
  private static func tell(_ report: String) throws {
    for line in report.split(separator: "\n") where line.hasPrefix("  replay ") {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = line.split(separator: " ").map(String.init)
      try process.run()
      process.waitUntilExit()
    }
  }
}
