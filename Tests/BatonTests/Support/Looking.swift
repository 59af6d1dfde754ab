// What a baton holds, for tests to look at.

import Synchronization

@testable import Baton

extension Baton {
  /// How many wait for its outcome.
  var waiterCount: Int { core.lifecycle.withLock { $0.waiting.waiters } }
  /// How many children are in its list of those who are told of a cancellation.
  var registeredCount: Int { core.lifecycle.withLock { $0.children.count } }
  /// Their places in it, in order.
  var slots: [Int] { core.lifecycle.withLock { $0.children }.map { $0.slot.load(ordering: .relaxed) } }
  var hasParent: Bool { core.lifecycle.withLock { $0.parent } != nil }
}

/// Marks the running task as cancelled.
func cancelThisTask() { unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() } }
