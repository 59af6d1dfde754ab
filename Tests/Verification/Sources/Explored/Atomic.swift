// The atomics of Synchronization, as far as the library uses them, under the explorer's control.

/// A value that fits an atomic.
public protocol AtomicRepresentable: BitwiseCopyable {
  /// Its bits.
  var explored: UInt64 { get }
  /// Makes it from its bits.
  init(explored: UInt64)
}

extension UInt64: AtomicRepresentable {
  /// Its bits.
  @inlinable public var explored: UInt64 { self }
  /// Makes it from its bits.
  @inlinable public init(explored: UInt64) { self = explored }
}

extension Int: AtomicRepresentable {
  /// Its bits.
  @inlinable public var explored: UInt64 { UInt64(bitPattern: Int64(self)) }
  /// Makes it from its bits.
  @inlinable public init(explored: UInt64) { self = Int(Int64(bitPattern: explored)) }
}

extension UInt8: AtomicRepresentable {
  /// Its bits.
  @inlinable public var explored: UInt64 { UInt64(self) }
  /// Makes it from its bits.
  @inlinable public init(explored: UInt64) { self = UInt8(truncatingIfNeeded: explored) }
}

extension Bool: AtomicRepresentable {
  /// Its bits.
  @inlinable public var explored: UInt64 { self ? 1 : 0 }
  /// Makes it from its bits.
  @inlinable public init(explored: UInt64) { self = explored != 0 }
}

/// The order of a load. Sequential consistency is left out: the library doesn't use it, and the model doesn't have it.
public enum AtomicLoadOrdering: Sendable { case relaxed, acquiring }
/// The order of a store.
public enum AtomicStoreOrdering: Sendable { case relaxed, releasing }
/// The order of a read-modify-write.
public enum AtomicUpdateOrdering: Sendable {
  case relaxed, acquiring, releasing, acquiringAndReleasing

  @inlinable var acquires: Bool { self == .acquiring || self == .acquiringAndReleasing }
  @inlinable var releases: Bool { self == .releasing || self == .acquiringAndReleasing }
}

/// An atomic value, each operation of which is a step of the schedule.
public struct Atomic<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let place: AtomicPlace

  /// Makes an atomic.
  public init(_ value: Value, file: StaticString = #fileID, line: UInt = #line) {
    place = AtomicPlace(value.explored, Site(file, line))
  }

  deinit { place.free() }

  /// Reads.
  public func load(ordering: AtomicLoadOrdering, file: StaticString = #fileID, line: UInt = #line) -> Value {
    Value(explored: place.load(acquires: ordering == .acquiring, Site(file, line)))
  }

  /// Writes.
  public func store(
    _ value: Value, ordering: AtomicStoreOrdering, file: StaticString = #fileID, line: UInt = #line
  ) {
    _ = place.update(.store, value.explored, ordering == .releasing ? .releasing : .relaxed, Site(file, line))
  }

  /// Writes, and returns what was there.
  public func exchange(
    _ value: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> Value {
    Value(explored: place.update(.exchange, value.explored, ordering, Site(file, line)))
  }

  /// Writes if the expected value is there.
  public func compareExchange(
    expected: Value, desired: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> (exchanged: Bool, original: Value) {
    let (expected, site) = (expected.explored, Site(file, line))
    let old = place.update(.compareExchange, desired.explored, ordering, site, expected: expected)
    return (old == expected, Value(explored: old))
  }
}

extension Atomic where Value: FixedWidthInteger {
  /// Adds.
  @discardableResult
  public func wrappingAdd(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) {
    let old = Value(explored: place.update(.add, operand.explored, ordering, Site(file, line)))
    return (old, old &+ operand)
  }

  /// Subtracts.
  @discardableResult
  public func wrappingSubtract(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) {
    let old = Value(explored: place.update(.subtract, operand.explored, ordering, Site(file, line)))
    return (old, old &- operand)
  }

  /// Sets bits.
  @discardableResult
  public func bitwiseOr(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) {
    let old = Value(explored: place.update(.or, operand.explored, ordering, Site(file, line)))
    return (old, old | operand)
  }
}

/// A reference that is set once.
public struct AtomicLazyReference<Instance: AnyObject>: ~Copyable, @unchecked Sendable {
  private let place: AtomicPlace

  /// Makes an empty one.
  public init(file: StaticString = #fileID, line: UInt = #line) { place = AtomicPlace(0, Site(file, line)) }

  deinit {
    if let instance = Self.instance(place.latest) { instance.release() }
    place.free()
  }

  /// Sets it unless it is set, and returns what it then is.
  public func storeIfNil(_ desired: consuming Instance, file: StaticString = #fileID, line: UInt = #line) -> Instance {
    let new = Unmanaged.passRetained(desired)
    let bits = UInt64(UInt(bitPattern: new.toOpaque()))
    let old = place.update(.compareExchange, bits, .acquiringAndReleasing, Site(file, line), expected: 0)
    guard let found = Self.instance(old) else { return new.takeUnretainedValue() }
    new.release()
    return found.takeUnretainedValue()
  }

  /// What it is, if it is set.
  public func load(file: StaticString = #fileID, line: UInt = #line) -> Instance? {
    Self.instance(place.load(acquires: true, Site(file, line)))?.takeUnretainedValue()
  }

  private static func instance(_ bits: UInt64) -> Unmanaged<Instance>? {
    UnsafeRawPointer(bitPattern: UInt(bits)).map { Unmanaged.fromOpaque($0) }
  }
}

/// The atomic behind an `Atomic`, whatever its type.
@usableFromInline
struct AtomicPlace {
  private let place: UnsafeMutablePointer<Location>

  @usableFromInline
  init(_ value: UInt64, _ site: Site) { place = world.make(.atomic, value, site) }

  @usableFromInline
  func free() { world.free(place) }

  var latest: UInt64 { place.pointee.latest.value }

  @usableFromInline
  func load(acquires: Bool, _ site: Site) -> UInt64 {
    world.step(Operation(kind: .load, place: place, acquires: acquires, site: site))
  }

  func update(
    _ kind: Operation.Kind, _ operand: UInt64, _ ordering: AtomicUpdateOrdering, _ site: Site, expected: UInt64 = 0
  ) -> UInt64 {
    world.step(
      Operation(
        kind: kind, place: place, operand: operand, expected: expected, acquires: ordering.acquires,
        releases: ordering.releases, site: site))
  }
}
