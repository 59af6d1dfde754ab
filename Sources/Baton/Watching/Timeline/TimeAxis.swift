// Round times along an axis.

/// Where an axis from zero to a duration has its ticks, and what stands there. All times are nanoseconds.
struct TimeAxis {
  /// The distance between two ticks.
  let step: Int64
  /// From 0 to the duration.
  let ticks: [Int64]

  private static let second: Int64 = 1_000_000_000

  /// What people count time in: 1, 2, 5, 10 … of what is shorter than a minute, then of minutes, hours and days.
  private static let steps: [Int64] = {
    let small: [Int64] = (0...9).flatMap { power in
      let unit = (0..<power).reduce(Int64(1)) { product, _ in product * 10 }
      return [unit, 2 * unit, 5 * unit]
    }
    let long: [Int64] = [
      10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000,
    ]
    return small + long.map { $0 * second }
  }()

  /// - Parameters:
  ///   - duration: Where the axis ends; at least 0.
  ///   - most: How many steps may fit on it at most; more only where even the longest step is too short.
  init(duration: Int64, most: Int) {
    let step = Self.steps.first { duration / $0 <= Int64(most) } ?? max(1, duration / Int64(most))
    self.step = step
    ticks = Array(stride(from: 0, through: duration, by: Int64.Stride(step)))
  }

  /// For example `0`, `250 ms`, `1.5 s`, `2 min 30 s`. Every tick but the first has the same unit, and no needless digit.
  func label(of tick: Int64) -> String {
    if tick == 0 { return "0" }
    let last = ticks.last ?? tick
    switch last {
    case ..<1000: return "\(tick) ns"
    case ..<1_000_000: return Self.decimal(tick, 1000, step) + " µs"
    case ..<Self.second: return Self.decimal(tick, 1_000_000, step) + " ms"
    case ..<(60 * Self.second): return Self.decimal(tick, Self.second, step) + " s"
    default: break
    }
    let seconds = tick / Self.second
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
    return parts.filter { $0.0 > 0 }.prefix(2).map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  /// As many decimals as tell two ticks apart.
  private static func decimal(_ value: Int64, _ unit: Int64, _ step: Int64) -> String {
    var (digits, part) = ("", unit)
    while step % part != 0, part > 1 {
      part /= 10
      digits += "\(value / part % 10)"
    }
    return "\(value / unit)" + (digits.isEmpty ? "" : "." + digits)
  }
}
