// What passing and settling do when it is not just the one atomic operation.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton.Core {
  // MARK: Passing

  /// A pass whose atomic add, which has happened already, found a tripwire.
  @usableFromInline
  func passUnusually(_ old: UInt64, count: Int) {
    let old = BatonWord(old)
    if old.isObserved || old.isAbandoned {
      // Undo what a tripwire doesn't count.
      word.wrappingSubtract(BatonWord.onePass &* UInt64(count), ordering: .relaxed)
    }
    if old.isObserved {
      if pass(count) { observe { .passed(.bare(count: count)) } }
    } else {
      checkPassed(old, count: count)
    }
  }

  /// Judges a pass by the value that its add found.
  /// - Returns: Whether the pass counts; after abandonment it doesn't.
  @discardableResult
  func checkPassed(_ old: BatonWord, count: Int) -> Bool {
    if old.isAbandoned { return false }
    if old.isSealed { trapLatePass(old, count: count) }
    if old.outstanding + count > BatonWord.maximumOutstanding { trapOverflow(old, count: count) }
    if old.bits & BatonWord.passedGuard != 0 { fold() }
    return true
  }

  /// Adds a pass of which the caller knows that the baton is open or abandoned, or wants the trap.
  /// - Returns: Whether it counts; after abandonment it doesn't.
  func passOne() -> Bool {
    let old = add(BatonWord.onePass)
    return old.bits & BatonWord.passTripwires == 0 || checkPassing(old, count: 1)
  }

  /// Adds passes of which the caller knows that the baton is open or abandoned, or wants the trap.
  /// - Returns: Whether they count; after abandonment they don't.
  func pass(_ count: Int) -> Bool {
    checkPassing(add(BatonWord.onePass &* UInt64(count)), count: count)
  }

  @inline(never)
  private func checkPassing(_ old: BatonWord, count: Int) -> Bool {
    if old.isAbandoned { _ = add(0 &- BatonWord.onePass &* UInt64(count)) }
    return checkPassed(old, count: count)
  }

  /// More passes at once than one fold can take: the number outstanding in one atomic operation, and the number ever
  /// passed in the carry, under the lock, so that every tally agrees.
  func passMany(_ count: Int) {
    if count > BatonWord.maximumOutstanding { trapOverflow(current, count: count) }
    let counts = lifecycle.withLock { life in
      let old = add(UInt64(count))
      guard !old.isAbandoned else {
        _ = add(0 &- UInt64(count))
        return false
      }
      if old.isSealed { trapLatePass(old, count: count) }
      if old.outstanding + count > BatonWord.maximumOutstanding { trapOverflow(old, count: count) }
      life.carry += count
      return true
    }
    if counts { observe { .passed(.bare(count: count)) } }
  }

  /// One more pass, unless the baton is complete.
  func tryPass() -> Bool {
    var old = current
    while !old.isSealed {
      if old.outstanding >= BatonWord.maximumOutstanding { trapOverflow(old, count: 1) }
      let (exchanged, original) = exchange(old, for: BatonWord(old.bits &+ BatonWord.onePass))
      if exchanged {
        if old.bits & BatonWord.passedGuard != 0 { fold() }
        return true
      }
      old = original
    }
    return false
  }

  /// Moves passes from the word to the carry once the word's number has reached its guard.
  ///
  /// Under the lock, as `tally` is. Every pass that sees the guard comes here, so it would take another 2²⁸ of them at
  /// the same moment for the number to fall off the end.
  private func fold() {
    lifecycle.withLock { life in
      guard current.bits & BatonWord.passedGuard != 0 else { return }
      _ = add(0 &- BatonWord.passedGuard)
      life.carry += BatonWord.foldedPasses
    }
  }

  // MARK: Settling

  /// A settle whose atomic subtract, which has happened already, was not one of several on an open, unobserved baton.
  @usableFromInline
  func settleUnusually(_ old: UInt64) {
    let old = BatonWord(old)
    if old.isObserved {
      word.wrappingAdd(1, ordering: .relaxed)
      settleBare()
    } else {
      finishSettling(old)?.complete(self)
    }
  }

  /// Hands back one bare pass, and completes the baton if it was the last.
  /// - Parameters:
  ///   - cancels: Whether it cancels, which its caller has done.
  ///   - error: Why.
  func settleBare(cancels: Bool = false, error: (any Error)? = nil) {
    if !current.isAbandoned {
      observe { .settled(.bare(count: 1, error: error ?? (cancels ? CancellationError() : nil))) }
    }
    finishSettling(subtractOne(), cancels: cancels)?.complete(self)
  }

  /// Judges a settle by the value that its subtract found.
  /// - Returns: What is to be completed, when this was the last one and sealed the baton.
  func finishSettling(_ old: BatonWord, cancels: Bool = false) -> Lifecycle.Ending? {
    if old.isAbandoned {
      _ = add(1)
      return nil
    }
    if old.outstanding == 0 { trapTooManySettles(old, cancels: cancels) }
    return old.outstanding == 1 ? sealAtZero() : nil
  }

  // MARK: Traps: out of line, and never returning, so that a client built with -Ounchecked keeps them

  @inline(never)
  private func trapLatePass(_ old: BatonWord, count: Int) -> Never {
    fatalError(
      "\(title) was passed after it completed (\(describe(old))). Hold a pass while you make more, or use tryPass().")
  }

  @inline(never)
  private func trapOverflow(_ old: BatonWord, count: Int) -> Never {
    fatalError(
      """
      \(title) can't be passed \(count) more: \(old.outstanding) of at most \(BatonWord.maximumOutstanding) are out.
      """)
  }

  @inline(never)
  private func trapTooManySettles(_ old: BatonWord, cancels: Bool) -> Never {
    fatalError(
      """
      \(title) was handed back once too often (\(describe(old))).\
      \(cancels ? " Did you mean cancelAll()? cancel() hands a pass back." : "")
      """)
  }

  @inline(never)
  func trapNegative(_ count: Int) -> Never {
    fatalError("\(title) can't be passed \(count) times.")
  }

  /// The counts in a trap's message. A trap may come while the lock is held: then it does without the carry.
  private func describe(_ word: BatonWord) -> String {
    tally(of: word, carry: lifecycle.withLockIfAvailable { $0.carry } ?? 0).description
  }
}
