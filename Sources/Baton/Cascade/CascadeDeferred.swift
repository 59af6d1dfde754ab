// CascadeDeferred: settles of a run that wait until stacks are less deep, as a pure struct.

/// The settles that came when too many were on stacks already, and whether whoever is to take them up does.
///
/// The thread that leaves the last of those stacks takes them up, one after another. But a load may settle and then block
/// its thread, which must delay nobody else. So there is a watch, which looks now and then while anything waits: where
/// nothing was taken up since it last looked, its thread takes them up instead.
struct CascadeDeferred: Sendable {
  /// A struct around the closure: one that stands naked in a queue gets a reabstraction thunk.
  struct Settle: Sendable {
    let body: @Sendable () -> Void
  }

  /// What the watch does after a look.
  enum Look: Sendable {
    /// Nothing waits: the next settle that is deferred sets a new watch.
    case ends
    /// They are being taken up: looks again later.
    case looksAgain
    /// Nobody takes them up: does that, and has somebody else look again later.
    case takesUp
  }

  private var waiting = Queue<Settle>()
  /// How many have been taken up, and how many of them when the watch last looked; that is nil when none is set.
  private var takenUp = 0
  private var seen: Int?

  /// Takes a settle in.
  /// - Returns: Whether the caller has to set a watch.
  mutating func append(_ settle: Settle) -> Bool {
    waiting.append(settle)
    defer { seen = seen ?? takenUp }
    return seen == nil
  }

  /// The next one, for the caller to do.
  mutating func takeUp() -> Settle? {
    guard let settle = waiting.popFirst() else { return nil }
    takenUp += 1
    return settle
  }

  /// The watch looks.
  mutating func look() -> Look {
    guard !waiting.isEmpty else {
      seen = nil
      return .ends
    }
    defer { seen = takenUp }
    return seen == takenUp ? .takesUp : .looksAgain
  }
}
