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
  struct Completion: Sendable {
    let executor: Baton.Executor
    let body: @Sendable (_ cancelled: Bool) -> Void
  }

  private(set) var stage = Stage.open
  /// The baton of which this one holds a pass; let go at completion.
  private(set) var parent: Baton?
  private var completion: Completion?
  private var handlers: [Handler] = []
  private var waiters = Line<Waiter>()
  private var cancelHandlers = Line<CancelHandler>()
  private var deadlines: [Task<Void, Never>] = []
  /// The registered children (`Children.swift` says which are): to be told of a cancellation, and to be shown.
  var children: [Baton.Core] = []
  var failures = Baton.FailureList()
  /// How many of the failures came with the first cancellation, and so were heard by the parent at once: 0 or 1.
  private(set) var failuresHeard = 0
  /// Passes that were folded out of the word, see `BatonWord`.
  var carry = 0
  /// The counts as they were when the baton was abandoned: from then on the word counts nothing.
  private(set) var frozen: Baton.Tally?

  init(parent: Baton?, completion: Completion?) {
    self.parent = parent
    self.completion = completion
  }

  /// Whether anything waits for the end that a debugger would want to hear of.
  var waiting: (handlers: Int, waiters: Int, cancelHandlers: Int) {
    (handlers.count, waiters.count, cancelHandlers.count)
  }

  // MARK: Adding

  /// Takes a handler in, or returns false when whoever adds it has to run it.
  mutating func add(_ handler: Handler) -> Bool {
    guard stage != .over else { return false }
    handlers.append(handler)
    return true
  }

  /// Takes a waiter in and returns its key, or nil when it doesn't have to wait: a sealed baton has its outcome.
  mutating func add(_ waiter: Waiter) -> UInt64? {
    guard stage == .open else { return nil }
    return waiters.append(waiter)
  }

  /// Takes out a waiter that doesn't want to wait any longer; nil if it has been, or is being, woken.
  mutating func removeWaiter(_ key: UInt64) -> Waiter? { waiters.remove(key) }

  /// Takes a cancel handler in. Only for an open lifecycle that is not cancelled.
  mutating func add(_ handler: CancelHandler) -> UInt64 { cancelHandlers.append(handler) }

  mutating func removeCancelHandler(_ key: UInt64) -> CancelHandler? { cancelHandlers.remove(key) }

  /// Keeps a deadline's task until completion, or returns false when there is nothing left to time.
  mutating func add(_ deadline: Task<Void, Never>) -> Bool {
    guard stage == .open else { return false }
    deadlines.append(deadline)
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
  }

  /// The first cancellation: its handlers are taken out, its children and its parent named.
  mutating func cancel(_ core: Baton.Core, heard failure: Baton.Failure?) -> Alarm {
    failuresHeard = failure == nil ? 0 : 1
    return Alarm(
      core: core, failure: failure, handlers: cancelHandlers.removeAll(), children: children,
      parent: core.policy == .propagates ? parent : nil)
  }

  // MARK: Completing

  /// What a seal took out: to be handed out, or let go, by the thread that sealed, outside the lock.
  ///
  /// Not copyable: whether the parent's handle is the last reference to it decides how the way up goes on.
  struct Ending: ~Copyable, Sendable {
    let cancelled: Bool
    var completion: Completion?
    var parent: Baton?
    let cancelHandlers: [CancelHandler]
    let deadlines: [Task<Void, Never>]
    let children: [Baton.Core]
    let failures: Baton.FailureList
    let failuresHeard: Int
  }

  /// The seal: called once, by the thread that won it.
  mutating func seal(cancelled: Bool, frozen: Baton.Tally? = nil) -> Ending {
    stage = .delivering
    self.frozen = frozen
    defer {
      deadlines = []
      children = []
    }
    return Ending(
      cancelled: cancelled, completion: completion.take(), parent: parent.take(),
      cancelHandlers: cancelHandlers.removeAll(), deadlines: deadlines, children: children, failures: failures,
      failuresHeard: failuresHeard)
  }

  /// The next part of the line, for the thread that delivers.
  enum Delivery: Sendable {
    case handlers([Handler])
    /// The last part; a handler that comes after it is run by who adds it.
    case waiters([Waiter])
  }

  mutating func nextDelivery() -> Delivery {
    guard handlers.isEmpty else {
      defer { handlers = [] }
      return .handlers(handlers)
    }
    stage = .over
    return .waiters(waiters.removeAll())
  }
}
