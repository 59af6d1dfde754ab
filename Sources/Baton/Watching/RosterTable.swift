// One holder, and all of them as a table.

extension Baton.Roster {
  /// Somebody who holds a baton.
  public struct Holder: Sendable, CustomStringConvertible {
    /// What holds it.
    public enum Kind: Sendable, Hashable {
      /// A `Pass`, a wrapped callback, a runner.
      case pass
      /// A runner that has not begun: it waits for a permit of its baton's limit.
      case waitingRunner
      /// A load of a cascade that has failed, and waits for the time of its next attempt.
      case waitingAttempt
      /// Bare passes, of which only the number is known.
      case barePasses
      /// A child that nobody has passed yet, so that it can't complete.
      case unpassedChild
      /// A child that is complete, but whose completion has not returned.
      case completedChild
    }

    /// Which baton is held.
    public let baton: Baton.Identity
    /// What holds it.
    public let kind: Kind
    /// The pass's label, or the child's name.
    public let label: String?
    /// Where the pass was made; nil for bare passes and for children.
    public let location: Baton.Location?
    /// How many passes: more than 1 for bare ones only.
    public let count: Int
    /// When it was passed; for several bare passes, when the first of them was, as far as can be known: since then there
    /// was always one.
    public let since: ContinuousClock.Instant
    /// Since when the runner waits; or, if it has waited and begun, since when it is at work. Nil for one that never had to
    /// wait, and for what is no runner.
    public let stageSince: ContinuousClock.Instant?

    /// The names from the root baton down to the baton that is held.
    /// - Complexity: O(depth)
    public var path: [String] { baton.path }

    /// How long it has been out.
    /// - Parameter instant: When.
    /// - Returns: The time from `since` to that instant.
    public func age(at instant: ContinuousClock.Instant = .now) -> Duration { since.duration(to: instant) }

    /// For example `Query › Downloads: "logo.png" (App/Search.swift:12), out for 12.3 s`.
    public var description: String {
      let now = ContinuousClock.now
      return "\(title): \(what(at: now))\(place), out for \(age(at: now).readable)"
    }

    /// The baton, as a person would call it.
    var title: String {
      let path = path
      return path.isEmpty ? "Baton #\(baton.id)" : path.joined(separator: " › ").onOneLine
    }

    /// What holds it, in words.
    func what(at instant: ContinuousClock.Instant) -> String {
      let name = label.map { "\"\($0.onOneLine)\"" }
      return switch kind {
      case .pass: (name ?? "a pass") + (stageSince.map { ", at work for \($0.duration(to: instant).readable)" } ?? "")
      case .waitingRunner: (name ?? "a runner") + ", waiting for a permit"
      case .waitingAttempt: (name ?? "a load") + ", waiting for its next attempt"
      case .barePasses: count == 1 ? "one bare pass" : count.of("bare pass", "bare passes")
      case .unpassedChild: (name.map { "child \($0)" } ?? "a child") + ", never passed"
      case .completedChild: (name.map { "child \($0)" } ?? "a child") + ", still completing"
      }
    }

    /// Where it was passed, in brackets; empty if that is not known.
    var place: String { location.map { " (\($0))" } ?? "" }
  }

  /// How many rows a table has at most.
  private static let maximumRows = 200
  /// How wide a column gets, in characters, before its texts are shortened. The place is the last column, and never is.
  private static let maximumWidth = 60

  static func table(of holders: [Holder], at instant: ContinuousClock.Instant) -> String {
    guard let oldest = holders.first else { return "No pass is out." }
    let total = holders.reduce(0) { $0 + $1.count }
    var lines = [
      "\(total.of("pass is", "passes are")) out, \(total == 1 ? "" : "the longest ")for \(oldest.age(at: instant).readable).",
      "",
    ]
    var rows = [["OUT FOR", "HOLDER", "BATON", "PASSED AT"]]
    for holder in holders.prefix(maximumRows) {
      rows.append([
        holder.age(at: instant).readable, holder.what(at: instant).shortened(to: maximumWidth),
        holder.title.shortened(to: maximumWidth), holder.location?.description ?? "",
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      // Ages to the right, so that the eye finds the magnitude; the last column has no end.
      var line = String(repeating: " ", count: widths[0] - row[0].count) + row[0]
      for column in 1...2 {
        line += "  " + row[column] + String(repeating: " ", count: widths[column] - row[column].count)
      }
      line += "  " + row[3]
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    if holders.count > maximumRows { lines.append("… and \((holders.count - maximumRows).grouped) more") }
    return lines.joined(separator: "\n")
  }
}
