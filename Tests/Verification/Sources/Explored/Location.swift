// What is shared between threads: an atomic's history, a lock, or a gate.

/// Where in the source an operation stands.
public struct Site: Sendable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  /// Makes a site.
  @inlinable
  public init(_ file: StaticString, _ line: UInt) {
    self.init(file: file, line: line)
  }

  @usableFromInline
  init(file: StaticString, line: UInt) {
    self.file = file
    self.line = line
  }

  /// For example `Core.swift:41`.
  public var description: String {
    "\(String(describing: file).split(separator: "/").last ?? "?"):\(line)"
  }
}

/// One store in a location's modification order.
struct Store {
  var value: UInt64
  /// Stands for the store and for all that it depends on.
  var hash: UInt64
  /// What a thread knows that acquires it.
  var view: View
}

/// An atomic with all its stores, or a lock or a gate with the one that counts.
@usableFromInline
struct Location {
  @usableFromInline
  enum Kind { case atomic, lock, gate, reference }

  var kind: Kind
  /// Its place in every view.
  var slot = 0
  /// The execution to which the history belongs; a static outlives its own.
  var epoch = 0
  /// Its number in the order of making, by which a trace names it.
  var serial = 0
  var site: Site
  /// Who made it, and at which tick of its clock: who uses it has to know of that.
  var maker = 0
  var made = 0
  /// Which thread holds the lock.
  var owner = -1
  /// How often the gate may still be passed.
  var signals = 0
  /// The type that a lock guards: two of one type are never held at once.
  var guarded: ObjectIdentifier?

  private(set) var stores: UnsafeMutablePointer<Store>
  private(set) var count = 0
  private var room = 8

  init(_ kind: Kind, _ site: Site) {
    self.kind = kind
    self.site = site
    stores = .allocate(capacity: room)
  }

  var latest: Store {
    get { stores[count - 1] }
    set { stores[count - 1] = newValue }
  }

  /// Starts a new history.
  mutating func reset(_ store: Store) {
    stores[0] = store
    count = 1
    owner = -1
    signals = 0
  }

  mutating func append(_ store: Store) {
    if count == room {
      let larger = UnsafeMutablePointer<Store>.allocate(capacity: room * 2)
      larger.update(from: stores, count: count)
      stores.deallocate()
      stores = larger
      room *= 2
    }
    stores[count] = store
    count += 1
  }
}
