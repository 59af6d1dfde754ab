// The process's misuses, counted.

import Baton

/// Counts what `Baton.onMisuse` reports, of which there is one for the process.
///
/// Unchecked: a process plays its sequences on one thread.
public final class MisuseCount: @unchecked Sendable {
  var count = Misuses()

  /// Takes over the process's reports.
  public init() {
    Baton.onMisuse { [self] misuse in
      switch misuse.kind {
      case .settledTwice: count.twice += 1
      case .late: count.late += 1
      case .dropped: count.dropped += 1
      case .abandoned: count.abandoned += 1
      }
    }
  }
}
