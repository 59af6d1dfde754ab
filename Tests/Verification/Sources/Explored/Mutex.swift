// The lock of Synchronization under the explorer's control, and what else threads meet at.

/// A lock around a value.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let place: UnsafeMutablePointer<Location>
  private let value: UnsafeMutablePointer<Value>

  /// Makes a lock around a value.
  public init(_ value: consuming sending Value, file: StaticString = #fileID, line: UInt = #line) {
    place = world.make(.lock, 0, Site(file, line), guarding: ObjectIdentifier(Value.self))
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    world.free(place)
  }

  /// Runs a body with the value, alone.
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result, file: StaticString = #fileID, line: UInt = #line
  ) throws(Failure) -> sending Result {
    _ = world.step(Operation(kind: .lock, place: place, site: Site(file, line)))
    defer { world.unlock(place) }
    return try body(&value.pointee)
  }

  /// Runs a body with the value, unless somebody else has it.
  public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result, file: StaticString = #fileID, line: UInt = #line
  ) throws(Failure) -> sending Result? {
    guard world.step(Operation(kind: .tryLock, place: place, site: Site(file, line))) != 0 else { return nil }
    defer { world.unlock(place) }
    return try body(&value.pointee)
  }
}

/// A gate that is shut until somebody opens it, once for each who wants through.
public final class Gate: Sendable {
  private nonisolated(unsafe) let place: UnsafeMutablePointer<Location>

  /// Makes a shut gate.
  public init(file: StaticString = #fileID, line: UInt = #line) { place = world.make(.gate, 0, Site(file, line)) }

  deinit { world.free(place) }

  /// Lets one through.
  public func signal(file: StaticString = #fileID, line: UInt = #line) {
    _ = world.step(Operation(kind: .signal, place: place, site: Site(file, line)))
  }

  /// Goes through as soon as it can.
  public func wait(file: StaticString = #fileID, line: UInt = #line) {
    _ = world.step(Operation(kind: .wait, place: place, site: Site(file, line)))
  }
}

/// Stands for a reference count: lets a reference go as a step of the schedule, in one order with all others of its kind.
public final class ReferenceCount: @unchecked Sendable {
  private let place: UnsafeMutablePointer<Location>

  /// Makes a count.
  public init(file: StaticString = #fileID, line: UInt = #line) {
    place = world.make(.reference, 0, Site(file, line))
  }

  deinit { world.free(place) }

  /// Comes just before a reference is let go.
  public func release(file: StaticString = #fileID, line: UInt = #line) {
    _ = world.step(Operation(kind: .release, place: place, site: Site(file, line)))
  }
}
