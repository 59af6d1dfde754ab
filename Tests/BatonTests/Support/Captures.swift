// Things to be captured, so that a test can tell when they are let go.

import Synchronization

/// Does something when it is let go, as a capture of a user's might.
final class OnDeinit: Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }

  /// A handler that keeps this alive, and does nothing.
  func handler<each Argument>() -> @Sendable (repeat each Argument) -> Void {
    { [self] (_: repeat each Argument) in _ = self }
  }
}

/// Says whether an object is still there.
final class WeakReference<Object: AnyObject & Sendable>: Sendable {
  private let object: Mutex<Box>

  private struct Box: Sendable {
    weak var object: Object?
  }

  init(_ object: Object) { self.object = Mutex(Box(object: object)) }

  var isGone: Bool { target == nil }
  var target: Object? { object.withLock { $0.object } }
}

/// A place for a reference that somebody takes out, or lets go.
final class Holder<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>
  init(_ value: Value?) { self.value = Mutex(value) }

  /// Takes the value out.
  func take() -> Value? { value.withLock { $0.take() } }
  func put(_ new: Value) {
    let old = value.withLock { value in
      defer { value = new }
      return value
    }
    _ = old
  }
  var current: Value? { value.withLock { $0 } }
  /// Lets the value go, outside the lock.
  func drop() { _ = take() }
}
