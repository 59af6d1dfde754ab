// The explorer's commands.

import BatonExplored
import Explored
import Foundation

enum Commands {
  static let usage = """
    explore ci [JOBS]                  what CI searches, compared with the committed figures
    explore nightly [JOBS]             more of it, and scenarios that change from day to day
    explore figures ci|nightly [JOBS]  the same, and writes the figures down
    explore test                       the explorer's own tests
    explore hunt                       the scenarios in the order in which they find bugs, until one fails
    explore search SCENARIO [PREEMPTIONS [STALE]]
                                       one scenario: all schedules, or those with so few preemptions and stale reads
    explore random SCENARIO COUNT SEED schedules at random
    explore replay SCENARIO@SCHEDULE   one schedule, with each operation
    """

  static func run(_ arguments: [String]) throws -> Bool {
    reportTraps()
    warmUp()
    switch arguments.first {
    case "ci", "nightly": return try sweep(arguments[0], jobs(arguments), writes: false)
    case "figures":
      let rest = Array(arguments.dropFirst())
      return try sweep(rest.first ?? "ci", jobs(rest), writes: true)
    case "hunt": return hunt()
    case "test": return SelfTest.run()
    case "worker": return worker(Array(arguments.dropFirst()))
    case "search": return search(Array(arguments.dropFirst()))
    case "random": return random(Array(arguments.dropFirst()))
    case "replay":
      guard let text = arguments.last, let replay = Replay(text) else { break }
      return !replay.run()
    default: break
    }
    print(usage)
    return false
  }

  private static func jobs(_ arguments: [String]) -> Int {
    arguments.dropFirst().first.flatMap { Int($0) } ?? ProcessInfo.processInfo.activeProcessorCount
  }

  /// The library's statics are made before the first execution, so that none of them counts as left over.
  private static func warmUp() {
    Baton.onMisuse { _ in Account.checkUserCode("the misuse handler") }
    if let scenario = Scenario("v:m-A-q") {
      for _ in 0..<2 { _ = Explorer.search(Options(preemptions: 0)) { Stage(scenario) } }
    }
  }

  private static func families(_ mode: String) -> [Family] { mode == "nightly" ? Family.nightly : Family.ci }

  private static func worker(_ arguments: [String]) -> Bool {
    guard arguments.count == 5, let part = Int(arguments[2]), let parts = Int(arguments[3]),
      let seed = UInt64(arguments[4]),
      let family = families(arguments[0]).first(where: { $0.name == arguments[1] })
    else { return false }
    return Worker.run(family, part: part, of: parts, seed: seed)
  }

  private static func search(_ arguments: [String]) -> Bool {
    guard let text = arguments.first, let scenario = Scenario(text) else { return false }
    var options = Options(preemptions: arguments.dropFirst().first.flatMap { Int($0) })
    options.staleReads = arguments.dropFirst(2).first.flatMap { Int($0) }
    let start = ContinuousClock.now
    guard let figures = Worker.search(scenario, options) else { return false }
    print("\(scenario): \(figures), \(ContinuousClock.now - start)")
    return true
  }

  private static func random(_ arguments: [String]) -> Bool {
    guard arguments.count == 3, let scenario = Scenario(arguments[0]), let count = Int(arguments[1]),
      let seed = UInt64(arguments[2])
    else { return false }
    var options = Options()
    options.random = (count, seed)
    guard let figures = Worker.search(scenario, options) else { return false }
    print("\(scenario): \(figures.schedules) schedules at random, seed \(seed), \(figures.steps) steps")
    return true
  }

  /// Small families first, in one process: for finding out how long a seeded bug lives.
  private static func hunt() -> Bool {
    Family.ci.allSatisfy { Worker.run($0, part: 0, of: 1, seed: 0) }
  }

  private static func sweep(_ mode: String, _ jobs: Int, writes: Bool) throws -> Bool {
    guard SelfTest.run() else { return false }
    let table = FiguresTable()
    let seed = UInt64(Date().timeIntervalSince1970 / 86_400)
    var isWell = true
    for family in families(mode) {
      let start = ContinuousClock.now
      guard let figures = try Worker.runAll(mode, family, jobs: jobs, seed: seed) else { return false }
      let seconds = (ContinuousClock.now - start).components.seconds
      print("\(mode) \(family.name): \(figures), \(seconds) s\(family.rotates ? ", day \(seed)" : "")")
      fflush(nil)
      if family.rotates { continue }
      if writes {
        try table.write(mode, family.name, figures)
      } else if let expected = try table.read(mode, family.name), expected != figures {
        print("FAILED: the committed figures are \(expected.fields), these are \(figures.fields)")
        isWell = false
      }
    }
    return isWell
  }
}

/// The figures in git, so that none of them shrinks unnoticed.
struct FiguresTable {
  private let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("explorer-figures.tsv")

  private func rows() throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  func read(_ mode: String, _ family: String) throws -> Figures? {
    let row = try rows().first { $0.hasPrefix("\(mode)\t\(family)\t") }
    return row.flatMap { Figures($0.split(separator: "\t").dropFirst(2)) }
  }

  func write(_ mode: String, _ family: String, _ figures: Figures) throws {
    var rows = try rows()
    let row = "\(mode)\t\(family)\t\(figures.fields)"
    if let index = rows.firstIndex(where: { $0.hasPrefix("\(mode)\t\(family)\t") }) {
      rows[index] = row
    } else {
      rows.append(row)
    }
    try (rows.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
  }
}
