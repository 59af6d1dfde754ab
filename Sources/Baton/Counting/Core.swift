// The part of a baton that its parent can reach without keeping the baton alive.

#if BATON_EXPLORED
public import Explored
#else
public import Synchronization
#endif

extension Baton {
  /// All of a baton but the handle that its users hold.
  ///
  /// Two objects, because there are two kinds of reference. Users, passes and children hold the handle: when the last of
  /// them is gone, nobody can hand anything back any more, and its deinit ends the baton (rule 3). A parent holds the core
  /// of its registered children, to tell them of a cancellation; it must not keep the handle alive. (The alternative, a
  /// weak reference, costs more than the second object, and it would be formed for each child.)
  ///
  /// Who may change what:
  /// - `word`, `ledger`: any thread, by read-modify-write. `sealed` and `cancelled` are set under the lock only, so that
  ///   nobody who holds it sees either of them change.
  /// - `lifecycle`: under its lock, which is never held over user code, nor together with another baton's (rule 7).
  /// - `slot`, `hasSpoken`: guarded by the *parent's* lock.
  @usableFromInline
  final class Core: Sendable {
    /// What the inlined calls count in. For an observed baton a tripwire; see `BatonWord`.
    @usableFromInline let word: Atomic<UInt64>
    /// What an observed baton counts in, so that 'settled' can be told before the count falls.
    let ledger: Atomic<UInt64>
    /// The index in the parent's children, -1 while not linked. Guarded by the parent's lock, hence relaxed.
    let slot = Atomic<Int>(-1)
    /// Whether the parent has heard of this child's cancellation. Guarded by the parent's lock, hence relaxed.
    let hasSpoken = Atomic<Bool>(false)
    /// Whether a cancellation has reached all below this baton.
    let hasTold = Atomic<Bool>(false)
    let name: String?
    let lineage: Lineage?
    /// The limit that runners take their permits from; nil where there is none.
    let limiter: Limiter?
    /// In a box, so that a baton without one carries and copies a nil pointer only.
    let watch: Watch?
    let policy: CancellationPolicy
    let lifecycle: Mutex<Lifecycle>

    /// The new baton's parent, if it has one, has been passed for it already. A child inherits, unless it brings its own:
    /// `inheriting` is named beside `parent`, since what is born after its parent's abandonment inherits without a parent.
    init(
      name: consuming String?, parent: consuming Baton?, policy: CancellationPolicy = .propagates,
      flags: BatonWord = BatonWord(0), limit: consuming Limiter?, inheriting: Core? = nil,
      watch: consuming Watch? = nil, completion: consuming Lifecycle.Completion?
    ) {
      let watch = watch ?? inheriting?.watch
      // A root has nobody to register with.
      let word = parent == nil ? flags.union(.registered) : flags
      ledger = Atomic(word.bits)
      self.word = Atomic(watch == nil ? word.bits : word.union(.observed).asTripwire.bits)
      self.name = name
      lineage = Lineage.make(name: name, parent: inheriting?.lineage, observed: watch != nil)
      limiter = (limit ?? inheriting?.limiter).flatMap { $0.isUnlimited ? nil : $0 }
      self.watch = watch
      self.policy = policy
      lifecycle = Mutex(Lifecycle(parent: parent, completion: completion))
      observe { .made }
    }
  }
}

/// An observer in a box.
final class Watch: Sendable {
  let observer: any Baton.Observer
  /// The same, if it wants to know which runners wait: asked once, since asking takes its time.
  let runners: (any RunnerWatching)?

  private init(_ observer: any Baton.Observer) {
    self.observer = observer
    runners = observer as? any RunnerWatching
  }

  static func make(_ observer: consuming (any Baton.Observer)?) -> Watch? {
    guard let observer else { return nil }
    return Watch(observer)
  }
}

// MARK: The word that counts: `word`, or the ledger of an observed baton

extension Baton.Core {
  @usableFromInline var isObserved: Bool { watch != nil }

  /// The counting word. Acquiring: whoever sees `sealed` or `cancelled` sees what was done before it was set.
  var current: BatonWord {
    BatonWord(isObserved ? ledger.load(ordering: .acquiring) : word.load(ordering: .acquiring))
  }

  /// Adds, and returns the value before. Relaxed: a pass publishes nothing; being a read-modify-write it continues the
  /// release sequences of the settles before it, so that the seal still synchronises with them.
  func add(_ amount: UInt64) -> BatonWord {
    BatonWord(
      isObserved
        ? ledger.wrappingAdd(amount, ordering: .relaxed).oldValue
        : word.wrappingAdd(amount, ordering: .relaxed).oldValue)
  }

  /// Hands one pass back, and returns the value before. Releasing: pairs with the seal, whose thread runs the completion
  /// (rule 6). Acquiring: the thread that sees the last one come back goes on to seal what the others released.
  func subtractOne() -> BatonWord {
    BatonWord(
      isObserved
        ? ledger.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
        : word.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Sets flags, and returns the value before. Releasing: pairs with `current`, whose caller then looks at what was
  /// recorded. Acquiring: pairs with the seal, when it comes too late.
  func insert(_ flag: BatonWord) -> BatonWord {
    BatonWord(
      isObserved
        ? ledger.bitwiseOr(flag.bits, ordering: .acquiringAndReleasing).oldValue
        : word.bitwiseOr(flag.bits, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Compare-and-swap. Both directions, in success and in failure: the seal takes over what every settle released, and
  /// releases it to who finds the baton sealed.
  func exchange(_ expected: BatonWord, for desired: BatonWord) -> (exchanged: Bool, original: BatonWord) {
    let result =
      isObserved
      ? ledger.compareExchange(
        expected: expected.bits, desired: desired.bits, ordering: .acquiringAndReleasing)
      : word.compareExchange(
        expected: expected.bits, desired: desired.bits, ordering: .acquiringAndReleasing)
    return (result.exchanged, BatonWord(result.original))
  }
}

// MARK: Looking

extension Baton.Core {
  var tally: Baton.Tally {
    // Under the lock, since a fold moves passes from the word to the carry under it.
    lifecycle.withLock { life in life.frozen ?? tally(of: current, carry: life.carry) }
  }

  func tally(of word: BatonWord, carry: Int) -> Baton.Tally {
    Baton.Tally(passed: carry + word.passed, outstanding: word.outstanding)
  }

  /// The outcome; only for a sealed baton.
  var outcome: Baton.Outcome {
    guard current.isCancelled else { return .finished }
    return .cancelled(lifecycle.withLock { $0.failures }.array)
  }

  var title: String { name.map { "Baton \"\($0)\"" } ?? "Baton" }
}

extension Baton.Core {
  /// The failures that were recorded by now.
  var failuresSoFar: [Baton.Failure] { lifecycle.withLock { $0.failures }.array }
  /// How many of them the parent heard at once.
  var failuresHeard: Int { lifecycle.withLock { $0.failuresHeard } }
}
