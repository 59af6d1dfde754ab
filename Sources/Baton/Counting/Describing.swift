// What a baton looks like in a log and in a debugger.

import Synchronization

extension Baton: CustomStringConvertible, CustomDebugStringConvertible {
  /// Name, counts and state, for example `Baton "Query": 3 passed, 1 settled, 2 out, cancelled`.
  public var description: String { core.description }

  /// The description, what waits for the end, and the children, each on a line of its own.
  ///
  /// A child is known to its parent from the moment at which it has a name, an observer, a child of its own, or was asked
  /// for its cancellation; others show in the number of passes that are out.
  ///
  /// - Complexity: O(children) at each level; at most 100 lines.
  public var debugDescription: String {
    var lines: [String] = []
    var pending = [(core, 0)]
    while let (core, depth) = pending.popLast() {
      guard lines.count < 100 else {
        lines.append("… and more")
        break
      }
      let (waiting, children) = core.lifecycle.withLock { ($0.waiting, $0.children) }
      var line = String(repeating: "  ", count: depth) + core.description
      for (count, what) in [
        (waiting.handlers, "completion handler"), (waiting.waiters, "waiter"),
        (waiting.cancelHandlers, "cancel handler"),
      ] where count > 0 {
        line += ", \(count) \(what)\(count == 1 ? "" : "s")"
      }
      lines.append(line)
      pending += children.reversed().map { ($0, depth + 1) }
    }
    return lines.joined(separator: "\n")
  }
}

extension Baton.Core {
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
