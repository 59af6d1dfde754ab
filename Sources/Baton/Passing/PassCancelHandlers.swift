// The cancel handlers of one pass.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

/// What one pass wants done when its baton is cancelled; forgotten when the pass settles.
///
/// The pass and the baton's line both hold it. Neither the pass itself nor its baton is held from here, so that a pass that
/// is forgotten is still noticed.
final class PassCancelHandlers: Sendable {
  private struct State {
    /// A queue: taking the first out of an array, one by one, would be a square.
    var handlers = Queue<@Sendable () -> Void>()
    /// Where it waits in the baton's line.
    var places: [(key: UInt64, core: Baton.Core)] = []
    /// Set when the pass settles. Nothing runs, and nothing is taken in, after that.
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Takes a handler in; false when the pass has settled.
  func add(_ handler: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.handlers.append(handler)
      return true
    }
  }

  /// Remembers where it waits, or leaves that place at once when the pass settled meanwhile.
  func wait(under key: UInt64, of core: Baton.Core) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.places.append((key, core)) }
      return state.isClosed
    }
    if isClosed { core.removeCancelHandler(key) }
  }

  /// Runs what is there, one after another: one of them may settle the pass, and then the rest is forgotten.
  func runAll() {
    while let handler = state.withLock({ $0.handlers.popFirst() }) { handler() }
  }

  /// The pass settles: nothing is kept (rule 9).
  func close() {
    let old = state.withLock { state in
      defer { state = State(isClosed: true) }
      return state
    }
    for (key, core) in old.places { core.removeCancelHandler(key) }
  }
}

extension Baton.Core {
  /// Takes a cancel handler out of the line; what it holds is let go after unlocking.
  func removeCancelHandler(_ key: UInt64) {
    let removed = lifecycle.withLock { $0.removeCancelHandler(key) }
    _ = removed
  }
}
