// The word in which a baton counts, bit by bit.

import Testing

@testable import Baton

@Suite struct BatonWordTests {
  static let flags: [BatonWord] = [.observed, .sealed, .cancelled, .abandoned, .registered]

  static func word(outstanding: Int, passed: Int = 0, _ flags: BatonWord...) -> BatonWord {
    flags.reduce(BatonWord(UInt64(passed) << 35 | UInt64(outstanding))) { $0.union($1) }
  }

  @Test func `one pass is one more outstanding and one more ever passed`() {
    var word = BatonWord(0)
    for _ in 0..<5 { word.bits &+= BatonWord.onePass }
    #expect(word.outstanding == 5 && word.passed == 5)
    word.bits &-= 2
    #expect(word.outstanding == 3 && word.passed == 5)
    #expect(Self.flags.allSatisfy { !word.contains($0) })
  }

  @Test(arguments: flags.indices)
  func `a flag touches neither the counts nor another flag`(index: Int) {
    let word = Self.word(outstanding: BatonWord.maximumOutstanding, passed: 1 << 29 - 1)
    let flagged = word.union(Self.flags[index])
    #expect(flagged.outstanding == word.outstanding && flagged.passed == word.passed)
    let found = [
      flagged.isObserved, flagged.isSealed, flagged.isCancelled, flagged.isAbandoned, flagged.isRegistered,
    ]
    #expect(found == Self.flags.indices.map { $0 == index })
    #expect(flagged.contains(Self.flags[index]) && !word.contains(Self.flags[index]))
  }

  @Test func `the number ever passed falls off the end without touching anything`() {
    let word = Self.word(outstanding: 7, passed: 1 << 29 - 1, .cancelled, .registered)
    let next = BatonWord(word.bits &+ BatonWord.onePass)
    #expect(next.passed == 0 && next.outstanding == 8)
    #expect(next.isCancelled && next.isRegistered && !next.isSealed && !next.isObserved && !next.isAbandoned)
  }

  @Test func `the guard of the number ever passed is what one fold takes away`() {
    #expect(BatonWord(BatonWord.passedGuard).passed == BatonWord.foldedPasses)
    #expect(BatonWord(BatonWord.passedGuard).outstanding == 0)
    let word = Self.word(outstanding: 1, passed: BatonWord.foldedPasses + 5)
    #expect(BatonWord(word.bits &- BatonWord.passedGuard).passed == 5)
  }

  @Test func `at most 536,870,912 passes can be out`() {
    #expect(BatonWord.maximumOutstanding == 536_870_912)
    // With as many out, and not before, the guard sees the next one come; it reaches no flag.
    let word = Self.word(outstanding: BatonWord.maximumOutstanding - 1)
    #expect(word.bits & BatonWord.passTripwires == 0)
    let full = BatonWord(word.bits &+ BatonWord.onePass)
    #expect(full.bits & BatonWord.passTripwires != 0)
    #expect(Self.flags.allSatisfy { !full.contains($0) })
  }

  // Rule 10: what is ordinary must not take the slow path.
  @Test(arguments: [2, 3, 1_000, 1 << 28, 536_870_912])
  func `a settle of one of several on an open baton is ordinary`(outstanding: Int) {
    let word = Self.word(outstanding: outstanding, passed: 1 << 27)
    #expect(!word.makesSettleUnusual)
    #expect(!word.union(.cancelled).union(.registered).makesSettleUnusual)
  }

  // Rule 1: whatever is not ordinary must.
  @Test(arguments: [
    word(outstanding: 0), word(outstanding: 1), word(outstanding: 1, .cancelled, .registered),
    word(outstanding: 0, .sealed), word(outstanding: 5, .sealed), word(outstanding: 5, .observed),
    word(outstanding: 1 << 28, .observed), word(outstanding: 1 << 28, .sealed, .abandoned, .cancelled),
    word(outstanding: 536_870_911, .observed), word(outstanding: 536_870_911, .observed, .sealed),
  ])
  func `a settle of the last one, or on a baton that is sealed or observed, is not`(word: BatonWord) {
    #expect(word.makesSettleUnusual)
  }

  // Rule 10.
  @Test func `a pass on an open baton is ordinary, cancelled or not`() {
    let word = Self.word(outstanding: BatonWord.maximumOutstanding - 1, passed: 1 << 28 - 1, .cancelled, .registered)
    #expect(word.bits & BatonWord.passTripwires == 0)
  }

  // Rule 4.
  @Test func `a pass on a baton that is sealed or observed, or at a guard, is not`() {
    for word in [
      Self.word(outstanding: 0, .sealed), Self.word(outstanding: 0, .observed),
      Self.word(outstanding: 0, passed: 1 << 28), Self.word(outstanding: 1 << 29),
    ] {
      #expect(word.bits & BatonWord.passTripwires != 0)
    }
  }

  // So that a look at one that has nobody to tell it of a cancellation takes no lock.
  @Test func `a root is registered from the start, and what is born after an abandonment`() {
    let root = Baton()
    let child = root.makeChild()
    #expect(root.core.current.isRegistered && !child.core.current.isRegistered)
    root.abandon()
    #expect(root.makeChild().core.current.isRegistered)
    child.withPass {}
  }

  @Test func `a tripwire keeps the flags, and is far from both ends`() {
    for flag in Self.flags { #expect(Self.word(outstanding: 3, flag).asTripwire.contains(flag)) }
    let word = Self.word(outstanding: 3, passed: 9, .sealed, .cancelled, .abandoned).asTripwire
    #expect(word.isSealed && word.isCancelled && word.isAbandoned && !word.isObserved && !word.isRegistered)
    #expect(word.passed == 0)
    // As many calls as there can be threads change nothing else before they are undone.
    #expect(word.outstanding > 1 << 20 && word.outstanding < 1 << 30 - 1 << 20)
    #expect(word.makesSettleUnusual && word.bits & BatonWord.passTripwires != 0)
    // Even a pass of the largest number ends below the flags.
    let largest = BatonWord(word.bits &+ UInt64(BatonWord.maximumOutstanding))
    #expect(largest.outstanding == word.outstanding + BatonWord.maximumOutstanding)
    #expect(!largest.isObserved)
  }
}
