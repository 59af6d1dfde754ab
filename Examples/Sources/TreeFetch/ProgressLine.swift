// One line that tells how far a download is.
import Foundation
import Synchronization

/// Decides what to write, and when: on a terminal the line in place, up to twenty times a second; elsewhere a new line
/// each second, so that a log stays readable.
package struct ProgressLine: Sendable {
  package let isTerminal: Bool
  private var lastShown: ContinuousClock.Instant

  package init(isTerminal: Bool, start: ContinuousClock.Instant) {
    self.isTerminal = isTerminal
    lastShown = start
  }

  /// - Returns: the bytes to write; nil if the last ones are too recent.
  package mutating func text(for status: TreeDownload.Status, at now: ContinuousClock.Instant) -> String? {
    guard lastShown.duration(to: now) >= (isTerminal ? .milliseconds(50) : .seconds(1)) else { return nil }
    lastShown = now
    let line = "\(status.saved.grouped) of \(status.found.grouped) found so far, \(status.bytes.asBytes)"
    return isTerminal ? "\r\(line)\u{1B}[K" : "\(line)\n"
  }

  /// What removes the line, so that the summary can take its place.
  package var eraser: String { isTerminal ? "\r\u{1B}[K" : "" }
}

/// Writes the progress line to standard error, so that standard output holds nothing but the summary.
package final class ProgressDisplay: Sendable {
  private let line: Mutex<ProgressLine>

  package init() {
    line = Mutex(ProgressLine(isTerminal: isatty(STDERR_FILENO) == 1, start: .now))
  }

  package func show(_ status: TreeDownload.Status) {
    line.withLock { if let text = $0.text(for: status, at: .now) { Self.write(text) } }
  }

  package func erase() {
    line.withLock { Self.write($0.eraser) }
  }

  private static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}

extension Int {
  private static let locale = Locale(identifier: "en_US")

  /// `1,139`
  var grouped: String { formatted(.number.locale(Self.locale)) }
  /// `1 request`, `1,139 requests`
  func counted(_ one: String, _ many: String? = nil) -> String { "\(grouped) \(self == 1 ? one : many ?? one + "s")" }
  /// `7.3 MB`
  var asBytes: String { formatted(.byteCount(style: .file, spellsOutZero: false).locale(Self.locale)) }
}
