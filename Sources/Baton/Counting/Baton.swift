// The baton: its specification, its making, and the calls that count.

#if BATON_EXPLORED
public import Explored
#else
public import Synchronization
#endif

/// Counts asynchronous work that is still out, and completes once when the last of it is back.
///
/// ```swift
/// let query = Baton(name: "Query") { cancelled in print(cancelled ? "incomplete" : "all there") }
/// api.query(text, completion: query.pass("query") { ids, error in
///   if let error { throw error }
///   for id in ids {
///     api.download(id, completion: query.pass("\(id)") { resource, error in
///       if let error { throw error }
///       store(resource)
///     })
///   }
/// })
/// ```
///
/// Use a `TaskGroup` where all the work is `async` and known to one function; a `DispatchGroup` where no error, no
/// cancellation and no nesting is wanted; a baton where work is started by callbacks, or finds more work while it runs, or
/// has to say who has not come back. (It is not folly's `Baton`, which is one post and one wait.)
///
/// ## The rules
/// Code, documentation and tests cite them by number.
/// 1. **Balance.** What is out is what was passed less what was handed back, and never negative: a settle too many traps,
///    with the name and the counts.
/// 2. **Exactly once.** Completion is one compare-and-swap on a count of zero; the thread that wins it completes, and no
///    other. It hands out the completion, then the handlers in the order in which they were added, then wakes who waits. A
///    handler that is added meanwhile joins the end of the line; a later one runs at once.
/// 3. **Always.** Every baton completes: at zero; by ``abandon(_:)``; or when the last reference to it goes, as cancelled
///    with ``AbandonedError`` if bare passes were out, as finished if it was never passed. A `Pass` or wrapped callback
///    that is let go counts as cancelled. Nothing hangs silently.
/// 4. **No late entry.** After completion at zero, passing traps, and ``tryPass()`` says no. After abandonment everything
///    that comes late is absorbed: nothing counts, wrapped handlers still run, bodies of runners don't.
/// 5. **Sticky cancel.** What was cancelled stays cancelled. First the error is recorded and the flag set, then the handlers
///    run and the descendants are told, then the pass is handed back. A `CancellationError` that is thrown after that is
///    noise, and not recorded.
/// 6. **Happens-before.** What a runner did before it handed its pass back is visible to every handler and every waiter.
/// 7. **No user code under a lock**, not even the deinit of a capture; and never two batons' locks at once.
/// 8. **Depth is free.** A million nested batons complete, are cancelled and are released on a stack of 512 KiB, and a
///    limiter starts a million runners that settle at once.
/// 9. **Nothing is kept.** A complete baton holds no handler, no child and no parent; a settled pass holds no captures.
/// 10. **Idle costs nothing.** A bare pass is one atomic operation and no allocation; so is a finish that is not the last.
///
/// ## Passing
/// ``pass()`` hands the baton to one more runner; whoever holds a pass may pass it on. ``makePass(_:fileID:line:)`` gives an
/// object that can't be settled twice or be forgotten, ``pass(_:fileID:line:_:)`` wraps a callback, ``start(_:fileID:line:_:)``
/// and ``addTask(_:priority:fileID:line:operation:)`` start runners as the limit permits. A baton that is waited for and
/// never passed waits until somebody does; ``withPass(_:)`` around a loop that starts work makes sure that an empty loop ends.
///
/// ## Finishing
/// ``finish()`` hands one pass back. The count may touch zero only when nothing is left to pass: a runner that finds more
/// work passes first and finishes after.
///
/// ## Cancelling
/// ``cancel()`` is a runner's word: it marks the outcome and hands its pass back. ``cancelAll(_:)`` is a button's: it only
/// marks, and everybody hands back as they notice. ``abandon(_:)`` doesn't wait for them.
///
/// ## Nesting
/// A child holds one pass of its parent until its own completion has returned. Cancellation goes down to every descendant
/// at once, and up as each child's ``CancellationPolicy`` says. Failures climb with their paths.
///
/// ## Monitoring
/// ``tally`` is one consistent snapshot; an ``Observer`` hears of every pass; `description` says name, counts and state.
///
/// ## Memory effects
/// A settle releases, the seal acquires (rule 6). Passing publishes nothing: use what you like to give a runner its input.
public final class Baton: Sendable {
  @usableFromInline let core: Core

  init(core: Core) { self.core = core }

  /// Makes a baton with a completion.
  ///
  /// - Parameters:
  ///   - name: What it is called in failures, reports and descriptions.
  ///   - executor: Where the completion runs.
  ///   - limit: How many runners may be at work at the same time.
  ///   - observer: Who is told what happens to this baton and its descendants.
  ///   - completion: Runs exactly once, with whether anybody cancelled.
  public convenience init(
    name: consuming String? = nil, on executor: consuming Executor = .inline, limit: consuming Limiter? = nil,
    observer: consuming (any Observer)? = nil, completion: consuming @escaping @Sendable (_ cancelled: Bool) -> Void
  ) {
    // Consuming, here and below: the parameters are moved into the core, where copies of them would be retained.
    let completion = Lifecycle.Completion(executor: executor, body: completion)
    self.init(core: Core(name: name, parent: nil, limit: limit, watch: Watch.make(observer), completion: completion))
  }

  /// Makes a baton whose completion runs on the main actor.
  ///
  /// - Parameters:
  ///   - name: What it is called in failures, reports and descriptions.
  ///   - executor: `.main`.
  ///   - limit: How many runners may be at work at the same time.
  ///   - observer: Who is told what happens to this baton and its descendants.
  ///   - completion: Runs exactly once, on the main actor, with whether anybody cancelled.
  public convenience init(
    name: String? = nil, on executor: MainExecutor, limit: Limiter? = nil, observer: (any Observer)? = nil,
    completion: @escaping @MainActor @Sendable (_ cancelled: Bool) -> Void
  ) {
    let completion = Lifecycle.Completion.onMain(executor, completion)
    self.init(core: Core(name: name, parent: nil, limit: limit, watch: Watch.make(observer), completion: completion))
  }

  /// Makes a baton without a completion: for waiting, or for handlers that are added later.
  ///
  /// - Parameters:
  ///   - name: What it is called in failures, reports and descriptions.
  ///   - limit: How many runners may be at work at the same time.
  ///   - observer: Who is told what happens to this baton and its descendants.
  public convenience init(
    name: consuming String? = nil, limit: consuming Limiter? = nil, observer: consuming (any Observer)? = nil
  ) {
    self.init(core: Core(name: name, parent: nil, limit: limit, watch: Watch.make(observer), completion: nil))
  }

  /// Nobody can hand anything back any more, so the baton ends (rule 3).
  deinit { if !core.current.isSealed { core.sealDropped()?.complete(core) } }

  /// What the baton is called in failures, reports and descriptions.
  public var name: String? { core.name }

  /// The counts: one consistent snapshot.
  public var tally: Tally { core.tally }

  // MARK: Passing

  /// Hands the baton to one more runner.
  ///
  /// One atomic operation, no allocation (rule 10). Traps if the baton has completed; see ``tryPass()``.
  @inlinable
  public func pass() {
    // Relaxed: nothing is published. It may run beside anything; if the seal came first, or the word is a tripwire, the
    // old value says so.
    let old = core.word.wrappingAdd(BatonWord.onePass, ordering: .relaxed).oldValue
    if old & BatonWord.passTripwires != 0 { core.passUnusually(old, count: 1) }
  }

  /// Hands the baton to several more runners, in one atomic operation.
  ///
  /// - Parameter count: How many; 0 changes nothing. Traps if it is negative, if more than 536,870,912 would be out, or if
  ///   the baton has completed.
  public func pass(count: Int) {
    // What is above can't be told from a fold's guard by its old value alone.
    guard 1...1 << 20 ~= count else {
      if count < 0 { core.trapNegative(count) }
      return count == 0 ? () : core.passMany(count)
    }
    let old = core.word.wrappingAdd(BatonWord.onePass &* UInt64(count), ordering: .relaxed).oldValue
    if old & BatonWord.passTripwires != 0 || BatonWord(old).outstanding + count > BatonWord.maximumOutstanding {
      core.passUnusually(old, count: count)
    }
  }

  /// Hands the baton to one more runner, unless it is complete.
  /// - Returns: False if it is complete; then nothing has changed.
  public func tryPass() -> Bool {
    guard core.tryPass() else { return false }
    core.observe { .passed(.bare(count: 1)) }
    return true
  }

  // MARK: Settling

  /// Hands one pass back: this runner is done.
  ///
  /// One atomic operation, unless it is the last (rule 10). Traps if no pass is out.
  @inlinable
  public func finish() {
    // Releasing: pairs with the seal's compare-and-swap, so that the completion sees what this runner did (rule 6).
    // Acquiring: whoever brings the count to zero has to see what the others released before it seals. Nothing is
    // touched afterwards unless the old value asks for it.
    let old = core.word.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
    if BatonWord(old).makesSettleUnusual { core.settleUnusually(old) }
  }

  /// Cancels the baton, and hands one pass back: a runner's word, not a button's (that is ``cancelAll(_:)``).
  ///
  /// Traps if no pass is out.
  public func cancel() {
    core.cancel(failure: nil)
    core.settleBare(cancels: true)
  }

  /// Cancels the baton, and hands one pass back: a runner's word, not a button's (that is ``cancelAll(_:)``).
  ///
  /// Traps if no pass is out.
  /// - Parameter error: Why.
  public func cancel(_ error: any Error) {
    core.cancel(failure: Failure(error: error, lineage: core.lineage))
    core.settleBare(cancels: true, error: error)
  }
}

extension Lifecycle.Completion {
  static func onMain(
    _ executor: Baton.MainExecutor, _ completion: @escaping @MainActor @Sendable (_ cancelled: Bool) -> Void
  ) -> Lifecycle.Completion {
    Lifecycle.Completion(executor: executor.executor) { cancelled in
      MainActor.assumeIsolated { completion(cancelled) }
    }
  }
}
