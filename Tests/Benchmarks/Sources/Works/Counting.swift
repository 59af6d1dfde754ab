// Rows 1, 2, 10 and 11: counting, and one baton's whole life.

import Baton
import Opaque
import Synchronization

extension Works {
  /// Row 1: pass and finish on an open baton.
  public static let passAndFinish = Work(preparing: "Baton") { count in
    let baton = Baton()
    baton.pass()
    return {
      passAndFinish(baton, count)
      baton.finish()
    }
  }

  @inline(never)
  static func passAndFinish(_ baton: Baton, _ count: Int) {
    for _ in 0..<count {
      baton.pass()
      baton.finish()
    }
  }

  /// Row 1's limit: an atomic addition and an atomic subtraction.
  public static let bareCounter = Work(preparing: "limit: bare atomic add, subtract") { count in
    let counter = BareCounter()
    return { counter.addAndSubtract(count) }
  }

  /// Row 11's limit: the same, which also looks at what it found, as any count that completes has to; but for no observer.
  public static let checkedCounter = Work(preparing: "limit: bare atomic with the checks that completing needs") {
    count in
    let counter = BareCounter()
    return { counter.addAndSubtractChecked(count) }
  }

  /// Row 2: a baton's whole life.
  public static let life = Work("Baton") { count in
    for index in 0..<count { life(index) }
  }

  @inline(never)
  private static func life(_ index: Int) {
    let baton = Baton { _ in consume(index) }
    baton.pass()
    baton.finish()
  }

  /// Row 2's limit: one object with a count and a closure, and the three atomic operations of a life.
  public static let bareLife = Work("limit: one object, three atomic operations, one call") { count in
    for index in 0..<count { bareLife(index) }
  }

  @inline(never)
  private static func bareLife(_ index: Int) {
    let once = BareLife { _ in consume(index) }
    once.pass()
    once.finish()
  }
}

/// An atomic word, as bare as can be.
public final class BareCounter: Sendable {
  private let word = Atomic<UInt64>(1)

  /// Makes a counter with one out.
  public init() {}

  /// Adds one and subtracts one, so many times.
  /// - Parameter count: How many times.
  @inline(never)
  public func addAndSubtract(_ count: Int) {
    for _ in 0..<count {
      word.wrappingAdd(1 << 35 | 1, ordering: .relaxed)
      word.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }
  }

  /// The same, looking at each old value.
  /// - Parameter count: How many times.
  @inline(never)
  func addAndSubtractChecked(_ count: Int) {
    for _ in 0..<count {
      let passed = word.wrappingAdd(1 << 35 | 1, ordering: .relaxed).oldValue
      if passed & (1 << 63 | 1 << 31 | 1 << 29) != 0 { unusual(passed) }
      let settled = word.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
      if UInt32(truncatingIfNeeded: settled) &- 2 >= 1 << 31 - 2 { unusual(settled) }
    }
  }

  @inline(never)
  private func unusual(_ word: UInt64) { consume(Int(truncatingIfNeeded: word)) }
}

/// What a life can't do without.
private final class BareLife: Sendable {
  private let word = Atomic<UInt64>(0)
  private let completion: @Sendable (Bool) -> Void

  init(completion: @escaping @Sendable (Bool) -> Void) { self.completion = completion }

  @inline(never)
  func pass() { word.wrappingAdd(1 << 35 | 1, ordering: .relaxed) }

  @inline(never)
  func finish() {
    let word = word.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    guard UInt32(truncatingIfNeeded: word) == 0 else { return }
    let sealed = self.word.compareExchange(
      expected: word, desired: word | 1 << 31, ordering: .acquiringAndReleasing)
    if sealed.exchanged { completion(false) }
  }
}
