// Durations and numbers as a person reads them, without Foundation.

extension Duration {
  /// The whole nanoseconds; what is longer than 292 years counts as that.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }

  /// Three digits and a unit, or two units: `850 ns`, `12.3 ms`, `4.56 s`, `2 min 05 s`, `3 h 12 min`, `2 d 03 h`.
  ///
  /// Cut off, not rounded, so that nothing ever reads `1000 ms` or `60.0 s`; less than nothing reads as `0 s`.
  var readable: String {
    let total = nanoseconds
    let seconds = total / 1_000_000_000
    return switch total {
    case ...0: "0 s"
    case ..<1000: "\(total) ns"
    case ..<1_000_000: Self.threeDigits(total, per: 1000) + " µs"
    case ..<1_000_000_000: Self.threeDigits(total, per: 1_000_000) + " ms"
    case ..<60_000_000_000: Self.threeDigits(total, per: 1_000_000_000) + " s"
    case ..<3_600_000_000_000: "\(seconds / 60) min \(Self.twoDigits(seconds % 60)) s"
    case ..<86_400_000_000_000: "\(seconds / 3600) h \(Self.twoDigits(seconds / 60 % 60)) min"
    default: "\(seconds / 86_400) d \(Self.twoDigits(seconds / 3600 % 24)) h"
    }
  }

  private static func threeDigits(_ value: Int64, per unit: Int64) -> String {
    switch value / unit {
    case ..<10: "\(value / unit).\(twoDigits(value % unit * 100 / unit))"
    case ..<100: "\(value / unit).\(value % unit * 10 / unit)"
    default: "\(value / unit)"
    }
  }

  private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension BinaryInteger {
  /// With commas between the thousands: `12,345`.
  var grouped: String {
    var result = ""
    for (place, digit) in String(magnitude).reversed().enumerated() {
      if place > 0, place.isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return (self < 0 ? "-" : "") + String(result.reversed())
  }

  /// The number with its noun: `1 pass`, `12,345 passes`.
  func of(_ one: String, _ many: String? = nil) -> String { "\(grouped) \(self == 1 ? one : many ?? one + "s")" }
}

extension String {
  /// At most `limit` characters; what is left out is from the middle, since names tend to differ at their ends.
  func shortened(to limit: Int) -> String {
    guard count > limit else { return self }
    guard limit > 1 else { return limit == 1 ? "…" : "" }
    let tail = (limit - 1) / 2
    return "\(prefix(limit - 1 - tail))…\(suffix(tail))"
  }

  /// On one line: whatever would break it, or be invisible, is a space.
  var onOneLine: String {
    String(map { $0.isNewline || $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
  }
}
