// What a careful program doesn't do, and who is told of it.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

extension Baton {
  /// Something that a careful program doesn't do, and that a baton survives.
  public struct Misuse: Sendable, CustomStringConvertible {
    /// What was done.
    public enum Kind: Sendable, Hashable {
      /// A pass was settled again, or a wrapped callback called again. The first time counts.
      case settledTwice
      /// A pass was settled, or a wrapped callback called, after its baton had been abandoned. It was absorbed.
      /// A bare settle that comes so late isn't reported: it has no label to name.
      case late
      /// A pass or a wrapped callback was let go without having been settled. It counts as cancelled.
      case dropped
      /// A baton was let go with bare passes out. It completed as cancelled.
      case abandoned
    }

    /// What was done.
    public let kind: Kind
    /// The names from the root baton down to the baton.
    public let path: [String]
    /// The label of the pass.
    public let label: String?
    /// Where the pass was made.
    public let location: Location?
    /// How many bare passes were out when the baton was let go; 1 for any other kind.
    public let outstanding: Int

    /// One line, for example `Baton "Query": pass "logo.png" (App/Search.swift:12) was dropped without being settled`.
    public var description: String {
      let baton = path.isEmpty ? "Baton" : "Baton \"\(path.joined(separator: " › "))\""
      let pass = "pass" + (label.map { " \"\($0)\"" } ?? "") + (location.map { " (\($0))" } ?? "")
      return switch kind {
      case .settledTwice: "\(baton): \(pass) was settled twice"
      case .late: "\(baton): \(pass) was settled after the baton had been abandoned"
      case .dropped: "\(baton): \(pass) was dropped without being settled"
      case .abandoned:
        "\(baton): was let go with \(outstanding) \(outstanding == 1 ? "pass" : "passes") out"
      }
    }
  }

  /// A struct around the closure: one that stands naked in a `Mutex` gets two more reabstraction thunks at each look.
  private struct MisuseHandler: Sendable {
    var body: (@Sendable (Misuse) -> Void)?
  }

  private static let misuseHandler = Mutex(MisuseHandler())

  /// Sets who is told of every misuse in this process; by default it is one line on standard error.
  ///
  /// A baton's own observer is told as well, without any global state.
  ///
  /// - Parameter handler: Is called outside any lock, possibly from several threads at once. Nil sets the default again.
  public static func onMisuse(_ handler: (@Sendable (Misuse) -> Void)?) {
    // The old handler is let go outside the lock: its captures may do anything when they are freed.
    let old = misuseHandler.withLock { current in
      defer { current.body = handler }
      return current
    }
    _ = old
  }

  fileprivate static func report(_ misuse: Misuse) {
    if let handler = misuseHandler.withLock({ $0 }).body {
      handler(misuse)
    } else {
      writeToStandardError(misuse.description + "\n")
    }
  }

  /// One call for one line, so that lines from several threads don't mix.
  private static func writeToStandardError(_ line: String) {
    #if canImport(Glibc) || canImport(Musl) || canImport(Android) || canImport(Darwin)
    let bytes = Array(line.utf8)
    unsafe bytes.withUnsafeBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    #else
    print(line, terminator: "")
    #endif
  }
}

extension Baton.Core {
  func report(
    _ kind: Baton.Misuse.Kind, label: String? = nil, location: Baton.Location? = nil, outstanding: Int = 1
  ) {
    let misuse = Baton.Misuse(
      kind: kind, path: lineage?.names ?? [], label: label, location: location, outstanding: outstanding)
    observe { .misused(misuse) }
    Baton.report(misuse)
  }
}
