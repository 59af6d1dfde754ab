// What a thread is about to do to a location.

@usableFromInline
struct Operation {
  @usableFromInline
  enum Kind: UInt8 {
    case load = 1
    case store, add, subtract, or, exchange, compareExchange
    /// Takes a lock; possible while nobody holds it.
    case lock
    /// Takes a lock if nobody holds it.
    case tryLock
    /// Opens a gate once, and passes it; passing is possible while it is open.
    case signal, wait
    /// Lets a reference go.
    case release
  }

  var kind: Kind
  var place: UnsafeMutablePointer<Location>
  var operand: UInt64 = 0
  var expected: UInt64 = 0
  var acquires = false
  var releases = false
  var site: Site

  var isEnabled: Bool {
    switch kind {
    case .lock: place.pointee.owner < 0
    case .wait: place.pointee.signals > 0
    default: true
    }
  }

  /// What it leaves behind, from what was there.
  func updated(_ old: UInt64) -> UInt64 {
    switch kind {
    case .add: old &+ operand
    case .subtract: old &- operand
    case .or: old | operand
    case .store, .exchange, .compareExchange: operand
    default: old
    }
  }

  /// Whether it only reads, when it reads this value.
  func onlyReads(_ value: UInt64) -> Bool {
    kind == .load || kind == .compareExchange && value != expected
  }
}

extension Operation: CustomStringConvertible {
  @usableFromInline var description: String {
    let order = acquires ? releases ? "acq-rel" : "acquire" : releases ? "release" : "relaxed"
    return switch kind {
    case .lock, .tryLock, .signal, .wait, .release: "\(kind)"
    default: "\(kind) \(order)"
    }
  }
}
