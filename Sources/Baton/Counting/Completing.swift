// The seal, the handing out of what waited for it, and the way up.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton.Core {
  /// Seals a count of zero. This compare-and-swap *is* completion (rule 2): whoever wins it gets the ending.
  ///
  /// Beside it may run: passes and `tryPass` (then the count isn't zero any more, or the swap fails and looks again, and
  /// whoever hands that pass back comes here in turn), other settles that also saw zero (they find the seal), and readers.
  /// Cancellations and added handlers can't: they hold the lock.
  func sealAtZero() -> Lifecycle.Ending? {
    lifecycle.withLock { life in
      var word = current
      while word.outstanding == 0, !word.isSealed {
        let sealed = word.union(.sealed).union(isCancelledFromAbove(word, life) ? .cancelled : BatonWord(0))
        let (exchanged, original) = exchange(word, for: sealed)
        if exchanged { return life.seal(cancelled: sealed.isCancelled) }
        word = original
      }
      return nil
    }
  }

  /// Whether a baton that its parent doesn't know yet would have been told of a cancellation by now.
  ///
  /// A cancellation of the parent that comes after this look, and before the seal, comes beside the last finish: it is too
  /// late for this baton.
  func isCancelledFromAbove(_ word: BatonWord, _ life: borrowing Lifecycle) -> Bool {
    !word.isRegistered && life.parent?.core.current.isCancelled == true
  }

  /// Completes with passes out: the word becomes a tripwire, and the counts are kept as they were.
  /// - Parameter recordsError: Whether the number that was out becomes a failure; those who held them, if an observer
  ///   knows them, become failures in any case.
  /// - Returns: Nil if it was complete already.
  func sealAbandoned(recordsError: Bool = true) -> Lifecycle.Ending? {
    // Asked before the lock is taken (rule 7); who hands back in between is named all the same.
    let holders = current.isSealed ? [] : holders(withDescendants: true).map(Baton.Failure.init(abandoned:))
    return lifecycle.withLock { life in
      var word = current
      while !word.isSealed {
        let sealed = word.union(.sealed).union(.cancelled).union(.abandoned).asTripwire
        let (exchanged, original) = exchange(word, for: sealed)
        if exchanged {
          let tally = tally(of: word, carry: life.carry)
          if tally.outstanding > 0 {
            if recordsError { life.failures.append(abandonment(tally)) }
            for holder in holders { life.failures.append(holder) }
          }
          return life.seal(cancelled: true, frozen: tally)
        }
        word = original
      }
      return nil
    }
  }

  /// Ends a baton to which nobody holds a reference any more (rule 3).
  /// - Returns: Nil if it was complete.
  func sealDropped() -> Lifecycle.Ending? {
    guard !current.isSealed else { return nil }
    let tally = tally
    if tally.passed == 0 { return sealAtZero() }
    // What is out can only be bare passes: a `Pass` and a child hold the handle.
    report(.abandoned, outstanding: tally.outstanding)
    cancel(failure: abandonment(tally))
    return sealAbandoned(recordsError: false)
  }

  private func abandonment(_ tally: Baton.Tally) -> Baton.Failure {
    Baton.Failure(error: Baton.AbandonedError(outstanding: tally.outstanding), lineage: lineage)
  }
}

/// What a completed child still owes its parent: its failures, and the pass.
///
/// Not copyable: whether `parent` is the last reference to it decides how the way up goes on.
struct HandBack: ~Copyable, Sendable {
  let child: Baton.Core
  var parent: Baton?
  let cancelled: Bool
  let remains: [Lifecycle.Remains]

  var failures: Baton.FailureList { remains.isEmpty ? Baton.FailureList() : remains[0].failures }
  var failuresHeard: Int { remains.isEmpty ? 0 : remains[0].failuresHeard }

  /// Pays it, and goes on climbing for as long as the next one up is complete by that.
  ///
  /// A loop, so that depth costs no stack (rule 8).
  consuming func climb() {
    var step: HandBack? = self
    while var owed = step.take(), let core = owed.parent?.core {
      guard let ending = owed.pay(core) else { return }
      step = ending.deliver(core)
    }
  }

  /// Pays it to the parent.
  ///
  /// The parent's handle is let go with the step. If this is the last reference, its deinit would have to climb from
  /// within, so that case is a step of the loop. (A weak reference that is followed at this very moment finds the baton
  /// abandoned, as it would a moment later find none.)
  /// - Returns: What is to be handed out, if the parent is complete by that.
  private mutating func pay(_ core: Baton.Core) -> Lifecycle.Ending? {
    core.welcome(self)
    if let ending = core.finishSettling(core.subtractChild(child)) { return ending }
    guard isKnownUniquelyReferenced(&parent) else { return nil }
    return core.sealDropped()
  }
}

extension Lifecycle.Ending {
  /// Hands out all that waited, then hands back the parent's pass, and so on up.
  consuming func complete(_ core: Baton.Core) { deliver(core)?.climb() }

  /// Hands out the completion, the handlers and the waiters, each to its executor, in this order (rule 2).
  ///
  /// Runs on the thread that won the seal, without a lock. Handlers that are added meanwhile join the end of the line.
  /// - Returns: What is owed to the parent. Nil without a parent, or if the completion is still running elsewhere: then
  ///   whoever runs it goes on climbing.
  consuming func deliver(_ core: Baton.Core) -> HandBack? {
    if !remains.isEmpty { for deadline in remains[0].deadlines { deadline.cancel() } }
    core.observe { .completed(cancelled: cancelled) }
    if let completion = completion.take() {
      if let elsewhere = completion.elsewhere { return deliver(core, on: elsewhere.executor, completion.body) }
      completion.body(cancelled)
    }
    deliverHandlers(core)
    return parent == nil ? nil : handBack(core)
  }

  /// The same with a completion that runs on an executor, and whose return has to be waited for if there is a parent.
  private consuming func deliver(
    _ core: Baton.Core, on executor: Baton.Executor, _ body: @escaping @Sendable (Bool) -> Void
  ) -> HandBack? {
    let (cancelled, failures) = (cancelled, failures)
    guard let owed = handBack(core) else {
      executor.run { body(cancelled) }
      Self.deliverHandlers(core, cancelled, failures)
      return nil
    }
    var landing: Landing? = Landing(owed)
    executor.run { [landing] in
      body(cancelled)
      landing?.arrive()?.climb()
    }
    Self.deliverHandlers(core, cancelled, failures)
    if let owed = landing?.arrive() { return owed }
    // Either the completion has yet to return, or its executor has let it go.
    return isKnownUniquelyReferenced(&landing) ? landing?.giveUp() : nil
  }

  private mutating func handBack(_ core: Baton.Core) -> HandBack? {
    guard let parent = parent.take() else { return nil }
    let failures = remains.isEmpty ? [] : [remains[0].failuresOnly]
    return HandBack(child: core, parent: parent, cancelled: cancelled, remains: failures)
  }

  private func deliverHandlers(_ core: Baton.Core) {
    if core.lifecycle.withLock({ $0.endsEmpty() }) { return }
    Self.deliverHandlers(core, cancelled, failures)
  }

  @inline(never)
  private static func deliverHandlers(_ core: Baton.Core, _ cancelled: Bool, _ failures: Baton.FailureList) {
    var outcome: Baton.Outcome?
    func knownOutcome() -> Baton.Outcome {
      let known = outcome ?? (cancelled ? .cancelled(failures.array) : .finished)
      outcome = known
      return known
    }
    while true {
      switch core.lifecycle.withLock({ $0.nextDelivery() }) {
      case .handlers(let handlers):
        for handler in handlers { handler.run(knownOutcome()) }
      case .waiters(let waiters):
        for waiter in waiters { waiter.wake(knownOutcome()) }
        return
      }
    }
  }
}

/// Where the return of a completion that runs on an executor meets the thread that handed it over.
///
/// Whichever comes second goes on climbing. Were it always the completion's return, an executor that happens to run at
/// once would recurse, once for each level of the tree.
private final class Landing: Sendable {
  private let owed: Mutex<HandBack?>
  private let arrivals = Atomic<Int>(0)

  init(_ owed: consuming HandBack) { self.owed = Mutex(owed) }

  /// Returns what is owed to the second one that comes; nil to the first.
  ///
  /// Acquiring and releasing: what the completion did is visible to whoever climbs (rule 6).
  func arrive() -> HandBack? {
    guard arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 2 else { return nil }
    return owed.withLock { $0.take() }
  }

  /// An executor that lets the work go without running it doesn't hang the tree: the pass goes back all the same.
  func giveUp() -> HandBack? { owed.withLock { $0.take() } }

  deinit { giveUp()?.climb() }
}

extension Lifecycle.Handler {
  func run(_ outcome: Baton.Outcome) {
    if executor.isInline {
      body(outcome)
    } else {
      executor.run { [body] in body(outcome) }
    }
  }
}
