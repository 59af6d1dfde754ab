// The 64-bit word in which a baton counts, and every question that is asked of it.

/// A value of the word in which a baton counts.
///
/// | bits  | field       | meaning |
/// |-------|-------------|---------|
/// | 0–29  | outstanding | passes not handed back yet; bit 29 is a guard, set when as many are out as can be |
/// | 30    | observed    | the word is a tripwire: the count is kept in `Core.ledger`, and every call takes the slow path |
/// | 31    | sealed      | complete: no pass is let in any more |
/// | 32    | cancelled   | the outcome will be, or is, cancelled |
/// | 33    | abandoned   | completed with passes out: all that comes late is absorbed |
/// | 34    | registered  | the parent's cancellation reaches this baton, or it has no parent |
/// | 35–63 | passed      | passes ever made; bit 63 is a guard: whoever sees it folds 2²⁸ of them into `Lifecycle.carry` |
///
/// The number ever passed is on top, so that it never carries into another field. The three fields which decide whether
/// a settle is ordinary are the low half, so that a finish asks one question of one 32-bit number: is it at least 2 (not
/// the last) and below bit 30 (neither observed nor sealed)?
///
/// The flags only ever go from 0 to 1.
@frozen
@usableFromInline
struct BatonWord: Equatable, Sendable {
  @usableFromInline var bits: UInt64

  @inlinable
  init(_ bits: UInt64) { self.bits = bits }

  static let observed = BatonWord(1 << 30)
  static let sealed = BatonWord(1 << 31)
  static let cancelled = BatonWord(1 << 32)
  static let abandoned = BatonWord(1 << 33)
  static let registered = BatonWord(1 << 34)

  /// One pass: one more outstanding, one more ever passed.
  @inlinable static var onePass: UInt64 { 1 << 35 | 1 }

  /// The bits of the old value that make a pass unusual: sealed, observed, or one of the two guards.
  @inlinable static var passTripwires: UInt64 { 1 << 63 | 1 << 31 | 1 << 30 | 1 << 29 }

  /// The most passes that can be out at the same time: 536,870,912.
  static let maximumOutstanding = 1 << 29
  /// How many passes one fold moves from the word to the carry.
  static let foldedPasses = 1 << 28
  /// The guard of the number ever passed.
  static let passedGuard: UInt64 = 1 << 63
  /// What a tripwire holds as its outstanding number: far from both ends, so that calls which are undone a moment later
  /// can neither borrow from nor carry into the flags.
  static let tripwire: UInt64 = 1 << 28

  private static let outstandingMask: UInt64 = 1 << 30 - 1
  private static let flagMask: UInt64 = 0b11111 << 30

  var outstanding: Int { Int(truncatingIfNeeded: bits & Self.outstandingMask) }
  var passed: Int { Int(truncatingIfNeeded: bits >> 35) }
  var isObserved: Bool { contains(.observed) }
  var isSealed: Bool { contains(.sealed) }
  var isCancelled: Bool { contains(.cancelled) }
  var isAbandoned: Bool { contains(.abandoned) }
  var isRegistered: Bool { contains(.registered) }

  func contains(_ flag: BatonWord) -> Bool { bits & flag.bits != 0 }
  func union(_ flag: BatonWord) -> BatonWord { BatonWord(bits | flag.bits) }

  /// The same flags over a tripwire's count.
  var asTripwire: BatonWord { BatonWord(bits & Self.flagMask | Self.tripwire) }

  /// Whether a settle that found this value was anything but one of several on an open, unobserved baton.
  @inlinable
  var makesSettleUnusual: Bool { UInt32(truncatingIfNeeded: bits) &- 2 >= 1 << 30 - 2 }
}
