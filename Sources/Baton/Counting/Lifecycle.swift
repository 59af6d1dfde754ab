// What a baton holds from its making to its completion, as a pure struct.

/// The state of a baton beside its count: a pure struct, kept by `Baton.Core` behind its lock.
///
/// Its methods decide and return what is to be done; the caller does it after unlocking (rule 7). Whatever they take out
/// they return, so that no deinit of a user's captures runs under the lock.
///
/// A lifecycle is `open` until the baton is sealed, then `delivering` while one thread hands out the completion and the
/// handlers, then `over`. Nothing goes back.
struct Lifecycle: ~Copyable, Sendable {
  enum Stage: Sendable {
    /// Not sealed. Anything may be added.
    case open
    /// Sealed; one thread is handing out. A handler added now joins the end of its line. Followed by `over`.
    case delivering
    /// Sealed, and all that waited has been handed out. A handler added now is run by who adds it.
    case over
  }

  /// One `onCompletion` handler with the place where it runs.
  struct Handler: Sendable {
    let executor: Baton.Executor
    let body: @Sendable (Baton.Outcome) -> Void
  }

  /// The completion with the place where it runs.
  ///
  /// Not copyable: it is moved from the maker to the lifecycle, to who seals, and each copy on the way would be counted.
  struct Completion: ~Copyable, Sendable {
    /// Nil for inline, which is what most are: an executor itself costs more to move.
    let elsewhere: Elsewhere?
    let body: @Sendable (_ cancelled: Bool) -> Void

    init(executor: Baton.Executor, body: @escaping @Sendable (_ cancelled: Bool) -> Void) {
      elsewhere = executor.isInline ? nil : Elsewhere(executor)
      self.body = body
    }

    /// An executor in a box.
    final class Elsewhere: Sendable {
      let executor: Baton.Executor

      init(_ executor: Baton.Executor) { self.executor = executor }
    }
  }

  private(set) var stage = Stage.open
  /// The baton of which this one holds a pass; let go at completion.
  private(set) var parent: Baton?
  private var completion: Completion?
  /// The registered children (`Children.swift` says which are): to be told of a cancellation, and to be shown.
  var children: [Baton.Core] = []
  /// All that most batons never have: none or one, in an array as a box. An empty one costs a pointer, where the fields
  /// themselves would cost more than everything else in making and completing a baton.
  private var rarities: [Rarities] = []

  /// What most batons never have.
  private struct Rarities: Sendable {
    var handlers: [Handler] = []
    var waiters = Line<Waiter>()
    var cancelHandlers = Line<CancelHandler>()
    var deadlines: [Task<Void, Never>] = []
    var failures = Baton.FailureList()
    var failuresHeard = 0
    var carry = 0
    var frozen: Baton.Tally?
  }

  /// For changing them: reading one by `rarities[0]` copies no other.
  private var rare: Rarities {
    get { rarities.first ?? Rarities() }
    _modify {
      if rarities.isEmpty { rarities.append(Rarities()) }
      yield &rarities[0]
    }
  }

  /// What went wrong, in the order in which it was recorded.
  var failures: Baton.FailureList {
    get { rarities.isEmpty ? Baton.FailureList() : rarities[0].failures }
    _modify { yield &rare.failures }
  }

  /// How many of the failures came with the first cancellation, and so were heard by the parent at once: 0 or 1.
  var failuresHeard: Int { rarities.isEmpty ? 0 : rarities[0].failuresHeard }

  /// Passes that were folded out of the word, see `BatonWord`.
  var carry: Int {
    get { rarities.isEmpty ? 0 : rarities[0].carry }
    _modify { yield &rare.carry }
  }

  /// The counts as they were when the baton was abandoned: from then on the word counts nothing.
  var frozen: Baton.Tally? { rarities.isEmpty ? nil : rarities[0].frozen }

  init(parent: consuming Baton?, completion: consuming Completion?) {
    self.parent = parent
    self.completion = completion
  }

  /// Whether anything waits for the end that a debugger would want to hear of.
  var waiting: (handlers: Int, waiters: Int, cancelHandlers: Int) {
    (rare.handlers.count, rare.waiters.count, rare.cancelHandlers.count)
  }

  // MARK: Adding

  /// Takes a handler in, or returns false when whoever adds it has to run it.
  mutating func add(_ handler: Handler) -> Bool {
    guard stage != .over else { return false }
    rare.handlers.append(handler)
    return true
  }

  /// Takes a waiter in and returns its key, or nil when it doesn't have to wait, as all has been handed out.
  ///
  /// One that comes while the completion is running waits for it, as one does that came a moment earlier.
  mutating func add(_ waiter: Waiter) -> UInt64? {
    guard stage != .over else { return nil }
    return rare.waiters.append(waiter)
  }

  /// Takes out a waiter that doesn't want to wait any longer; nil if it has been, or is being, woken.
  mutating func removeWaiter(_ key: UInt64) -> Waiter? {
    rarities.isEmpty ? nil : rarities[0].waiters.remove(key)
  }

  /// Takes a cancel handler in. Only for an open lifecycle that is not cancelled.
  mutating func add(_ handler: CancelHandler) -> UInt64 { rare.cancelHandlers.append(handler) }

  mutating func removeCancelHandler(_ key: UInt64) -> CancelHandler? {
    rarities.isEmpty ? nil : rarities[0].cancelHandlers.remove(key)
  }

  /// Keeps a deadline's task until completion, or returns false when there is nothing left to time.
  mutating func add(_ deadline: Task<Void, Never>) -> Bool {
    guard stage == .open else { return false }
    rare.deadlines.append(deadline)
    return true
  }

  // MARK: Cancelling

  /// What is to be told of a first cancellation.
  struct Alarm: Sendable {
    let core: Baton.Core
    let failure: Baton.Failure?
    let handlers: [CancelHandler]
    let children: [Baton.Core]
    /// The baton that hears of it in turn.
    let parent: Baton?
    /// Not the first: only the children are still to be told.
    var isRepeated = false
  }

  /// The first cancellation: its handlers are taken out, its children and its parent named.
  mutating func cancel(_ core: Baton.Core, heard failure: Baton.Failure?) -> Alarm {
    if failure != nil { rare.failuresHeard = 1 }
    let parent = core.policy == .propagates ? parent : nil
    let handlers = rarities.isEmpty ? [] : rarities[0].cancelHandlers.removeAll()
    return Alarm(core: core, failure: failure, handlers: handlers, children: children, parent: parent)
  }

  // MARK: Completing

  /// What a seal took out: to be handed out, or let go, by the thread that sealed, outside the lock.
  ///
  /// Not copyable: whether the parent's handle is the last reference to it decides how the way up goes on.
  struct Ending: ~Copyable, Sendable {
    let cancelled: Bool
    var completion: Completion?
    var parent: Baton?
    /// Not to be told any more: just to be let go outside the lock.
    let children: [Baton.Core]
    /// What most batons never have, boxed as in the lifecycle, since this is moved around a good deal.
    let remains: [Remains]

    var failures: Baton.FailureList { remains.isEmpty ? Baton.FailureList() : remains[0].failures }
  }

  /// What a seal took out of the rarities.
  struct Remains: Sendable {
    let failures: Baton.FailureList
    let failuresHeard: Int
    let deadlines: [Task<Void, Never>]
    /// Not to be told any more: just to be let go outside the lock.
    let cancelHandlers: [CancelHandler]

    /// What the parent is owed, which may have to wait: a completion on an executor comes first.
    var failuresOnly: Remains {
      Remains(failures: failures, failuresHeard: failuresHeard, deadlines: [], cancelHandlers: [])
    }
  }

  /// The seal: called once, by the thread that won it.
  mutating func seal(cancelled: Bool, frozen: Baton.Tally? = nil) -> Ending {
    stage = .delivering
    if let frozen { rare.frozen = frozen }
    // Swapped, not copied: a copy would be counted.
    var children: [Baton.Core] = []
    swap(&children, &self.children)
    return Ending(
      cancelled: cancelled, completion: completion.take(), parent: parent.take(), children: children,
      remains: rarities.isEmpty ? [] : takeRemains())
  }

  private mutating func takeRemains() -> [Remains] {
    let deadlines = rarities[0].deadlines
    rarities[0].deadlines = []
    return [
      Remains(
        failures: rarities[0].failures, failuresHeard: rarities[0].failuresHeard, deadlines: deadlines,
        cancelHandlers: rarities[0].cancelHandlers.removeAll())
    ]
  }

  /// The next part of the line, for the thread that delivers.
  enum Delivery: Sendable {
    case handlers([Handler])
    /// The last part; a handler that comes after it is run by who adds it.
    case waiters([Waiter])
  }

  /// Ends the line if nobody ever stood in it, which is what most batons have.
  /// - Returns: Whether it ended, so that there is nothing to deliver.
  mutating func endsEmpty() -> Bool {
    guard rarities.isEmpty else { return false }
    stage = .over
    return true
  }

  mutating func nextDelivery() -> Delivery {
    if endsEmpty() { return .waiters([]) }
    let handlers = rarities[0].handlers
    guard handlers.isEmpty else {
      rarities[0].handlers = []
      return .handlers(handlers)
    }
    stage = .over
    return .waiters(rarities[0].waiters.removeAll())
  }
}
