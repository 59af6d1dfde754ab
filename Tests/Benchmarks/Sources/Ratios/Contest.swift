// A row of the table: contenders that do the same work in turns.

import Works

/// One row of the table of ratios.
struct Contest {
  /// A contender beside Baton, and how Baton has to do against it.
  struct Rival {
    let work: Work
    /// Baton's time, divided by this one's, must be at most so much; nil where nothing is promised.
    var target: Double?
    /// How many operations a round has, where it is not what all have: a slow one has fewer.
    var count: Int?
  }

  let row: String
  let title: String
  let baton: Work
  let rivals: [Rival]
  /// How many operations a round has.
  let count: Int
  /// What one round counts as, if that is not the number of its operations.
  var operations: Int?
  /// Baton itself must take at most so many nanoseconds for one.
  var limit: Double?
  var rounds = 15

  /// Runs all contenders in turns, a round each, so that a noisy machine moves all of them. The first turn warms up.
  func run() -> [Line] {
    let works = [Rival(work: baton)] + rivals
    var times = Array(repeating: [Double](), count: works.count)
    for turn in 0...rounds {
      for (index, rival) in works.enumerated() {
        let count = rival.count ?? count
        let round = rival.work.prepare(count)
        let time = ContinuousClock().measure { round() }
        if turn > 0 { times[index].append(time.nanoseconds / Double(rival.count ?? operations ?? count)) }
      }
    }
    var lines = [Line(row: row, title: title, name: baton.name, samples: Samples(times[0]), unit: "ns", limit: limit)]
    for (rival, own) in zip(rivals, times.dropFirst()) {
      // A ratio for each turn: what disturbs a whole turn disturbs no ratio.
      let ratios = Samples(zip(times[0], own).map { $0 / $1 })
      lines.append(
        Line(
          row: row, title: title, name: rival.work.name, samples: Samples(own), unit: "ns", ratio: ratios.median,
          target: rival.target))
    }
    return lines
  }
}

/// Figures that were taken several times.
struct Samples {
  private let sorted: [Double]

  init(_ samples: [Double]) { sorted = samples.sorted() }

  var min: Double { sorted.first ?? 0 }
  var max: Double { sorted.last ?? 0 }
  var median: Double {
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// One line of the table.
struct Line {
  let row: String
  let title: String
  let name: String
  let samples: Samples
  let unit: String
  /// Baton's figure divided by this one.
  var ratio: Double?
  /// What the ratio must not exceed.
  var target: Double?
  /// What the figure itself must not exceed.
  var limit: Double?

  /// Nil where nothing is promised.
  var isMet: Bool? {
    if let ratio, let target { return ratio <= target }
    // To a tenth: a heap's own bookkeeping is a few bytes in a million blocks.
    return limit.map { samples.median <= $0 + 0.05 }
  }

  /// The columns of the table.
  static let header = """
    | # | work | by | min | median | max | Baton ÷ this | target | |
    |---|------|----|----:|-------:|----:|-------------:|-------:|---|
    """

  var markdown: String {
    let target = target.map { "≤ \($0)" } ?? limit.map { "≤ \($0.short) \(unit)" } ?? ""
    let verdict = isMet.map { $0 ? "met" : "**missed**" } ?? ""
    return
      "| \(row) | \(title) | \(name) | \(samples.min.short) | \(samples.median.short) \(unit) | \(samples.max.short) "
      + "| \(ratio.map(\.short) ?? "") | \(target) | \(verdict) |"
  }
}

extension Double {
  /// With about three digits.
  var short: String {
    let places = abs(self) >= 100 ? 0 : abs(self) >= 10 ? 1 : 2
    let factor = [1.0, 10, 100][places]
    let rounded = (self * factor).rounded() / factor
    return places == 0 ? "\(Int(rounded))" : "\(rounded)"
  }
}

extension Duration {
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}
