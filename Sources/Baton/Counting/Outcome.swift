// How a baton ended, and what went wrong on the way.

extension Baton {
  /// How a baton ended.
  public enum Outcome: Sendable {
    /// Every pass was handed back, and nobody cancelled.
    case finished
    /// Somebody cancelled; the failures are in the order in which they were recorded, and may be none.
    case cancelled([Failure])

    /// Whether anybody cancelled.
    public var isCancelled: Bool {
      if case .cancelled = self { true } else { false }
    }

    /// What went wrong, in the order in which it was recorded.
    public var failures: [Failure] {
      if case .cancelled(let failures) = self { failures } else { [] }
    }

    /// Returns when the outcome is `finished`.
    /// - Throws: The first failure's error, or `CancellationError` when it was cancelled without one.
    public func get() throws {
      guard case .cancelled(let failures) = self else { return }
      throw failures.first?.error ?? CancellationError()
    }
  }

  /// One error, with the way from the root baton down to the pass that brought it.
  public struct Failure: Sendable {
    /// What went wrong.
    public let error: any Error
    /// The label of the pass that brought the error, if it had one.
    public let label: String?
    /// Where that pass was made, if that is known (a bare pass doesn't know).
    public let location: Location?
    let lineage: Lineage?

    init(error: any Error, label: String? = nil, location: Location? = nil, lineage: Lineage?) {
      self.error = error
      self.label = label
      self.location = location
      self.lineage = lineage
    }

    /// Names from the root baton down to the pass's label; what has no name is left out.
    ///
    /// - Complexity: O(depth); it is put together each time that it is read.
    public var path: [String] { (lineage?.names ?? []) + (label.map { [$0] } ?? []) }
  }

  /// A place in source code.
  public struct Location: Sendable, CustomStringConvertible {
    /// The module and the file, as in `#fileID`.
    public let fileID: StaticString
    /// The line, counted from 1.
    public let line: UInt

    init(fileID: StaticString, line: UInt) {
      self.fileID = fileID
      self.line = line
    }

    /// For example `App/Search.swift:12`.
    public var description: String { "\(fileID):\(line)" }
  }

  /// Passes were never handed back: the baton, the pass or the wrapped callback was let go first, or abandoned.
  public struct AbandonedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many passes were still out.
    public let outstanding: Int

    /// Makes the error.
    /// - Parameter outstanding: How many passes were still out.
    public init(outstanding: Int) { self.outstanding = outstanding }

    /// For example `abandoned with 2 passes out`.
    public var description: String { "abandoned with \(outstanding) \(outstanding == 1 ? "pass" : "passes") out" }
  }

  /// A deadline set with `cancelAll(after:)` or `abandon(after:)` has passed.
  public struct TimeoutError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time that was allowed.
    public let limit: Duration

    /// Makes the error.
    /// - Parameter limit: The time that was allowed.
    public init(limit: Duration) { self.limit = limit }

    /// For example `timed out after 5.0 seconds`.
    public var description: String { "timed out after \(limit)" }
  }
}

extension Baton.Failure: CustomStringConvertible {
  /// For example `Catalogue › logo.png: notFound (App/Search.swift:12)`.
  public var description: String {
    let path = path.isEmpty ? "" : path.joined(separator: " › ") + ": "
    return path + "\(error)" + (location.map { " (\($0))" } ?? "")
  }
}
