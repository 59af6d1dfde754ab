// What a baton looks like in a log and in a debugger.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton: CustomStringConvertible, CustomDebugStringConvertible {
  /// Name, counts and state, for example `Baton "Query": 3 passed, 1 settled, 2 out, cancelled`.
  public var description: String { core.description }

  /// The description with what waits for the end, who holds it, and the children, each on a line of its own.
  ///
  /// A child is known to its parent from the moment at which it has a name, an observer, a child of its own, or was asked
  /// for its cancellation; others show in the number of passes that are out. Who holds it is known where a ``Roster``
  /// watches.
  ///
  /// - Complexity: O(children + passes that are out) at each level; at most 100 lines, of them 20 for one baton's passes.
  public var debugDescription: String {
    var lines: [String] = []
    var pending = [(core, 0)]
    while lines.count <= 100, let (core, depth) = pending.popLast() {
      let (waiting, children) = core.lifecycle.withLock { ($0.waiting, $0.children) }
      var line = String(repeating: "  ", count: depth) + core.description
      for (count, what) in [
        (waiting.handlers, "completion handler"), (waiting.waiters, "waiter"),
        (waiting.cancelHandlers, "cancel handler"),
      ] where count > 0 {
        line += ", \(count) \(what)\(count == 1 ? "" : "s")"
      }
      lines.append(line)
      lines += core.holderLines(limit: 20).map { String(repeating: "  ", count: depth + 1) + $0 }
      pending += children.reversed().map { ($0, depth + 1) }
    }
    if lines.count > 100 { lines = lines.prefix(99) + ["… and more"] }
    return lines.joined(separator: "\n")
  }
}

extension Baton.Core {
  /// Who holds this baton itself; its children speak for themselves.
  fileprivate func holderLines(limit: Int) -> [String] {
    let held = holders(withDescendants: false).filter { $0.kind != .unpassedChild && $0.kind != .completedChild }
    let now = ContinuousClock.now
    let lines = held.prefix(limit).map { "held by \($0.what(at: now))\($0.place) for \($0.age(at: now).readable)" }
    return held.count > limit ? lines + ["… and by \(held.count - limit) more"] : lines
  }

  var description: String {
    let word = current
    let state =
      switch (word.isSealed, word.isCancelled) {
      case (true, true): word.isAbandoned ? "abandoned" : "complete, cancelled"
      case (true, false): "complete, finished"
      case (false, true): "open, cancelled"
      case (false, false): "open"
      }
    return "\(title): \(tally), \(state)"
  }
}
