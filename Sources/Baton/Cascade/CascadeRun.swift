// One run of a cascade.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

/// One run of a cascade: a baton, of which the run holds a pass until every id has settled, and one for each attempt.
///
/// What is decided is decided by `CascadeState`; what was loaded lies in the stock. Discovery puts attempts in the ready
/// queue and asks the limiter for as many permits; who gets a permit takes the first attempt that is ready. So the order is
/// breadth first whoever finds what, and no permit is tied to an id that was settled meanwhile.
///
/// ## Loads that settle at once
/// Such a load settles while the call that began it is still on the stack, and what it discovers begins above it. Where that
/// gets too deep, the settle is deferred, and taken up by the thread that is last to leave such a stack: mostly the same
/// one, as a second would only wait for the first at the run's lock. `CascadeDeferred` says what becomes of it if that
/// thread is held up.
final class CascadeRun<ID: Hashable & Sendable, Resource: Sendable>: Sendable {
  typealias Cascade = Baton.Cascade<ID, Resource>

  let baton: Baton
  let cascade: Cascade
  let book: Mutex<Book>
  /// Whether every id has settled: set under the lock, so that who needn't take it to know that there is no end yet, doesn't.
  let isDone: Atomic<Bool>
  /// How many settles are on stacks, with what they have started in their turn above them.
  private let nested = Atomic<Int>(0)

  /// How many may be: loads that settle at once would otherwise nest as deep as the tree. See `Limiter`.
  private static var deepestNesting: Int { 16 }

  /// Settles that came when there were so many.
  private let deferred = Mutex(CascadeDeferred())

  /// How long after it was set the watch looks whether deferred settles are taken up. What others lose by a thread that is
  /// held up, and so far longer than a stack of loads that are there at once.
  private static var watchInterval: Duration { .milliseconds(1) }

  /// How long a thread that brought but one settle takes up others; then the rest goes elsewhere. It may be the main thread.
  private static var longestStay: Duration { .milliseconds(5) }

  /// All that the run knows, under one lock, so that an id costs few of them.
  struct Book: Sendable {
    var state: CascadeState<ID>
    var stock: CascadeStock<Cascade.Branch, Resource>
    /// How many threads are just now telling of branches that a decision of theirs completed. A run doesn't end before
    /// they are through: a cancelling thread holds no pass, and others may settle all the rest while it tells.
    var telling = 0
    var hasEnded = false
    /// The report of an abandoned run, which the last of those threads makes.
    var whenTold: (@Sendable () -> Void)?

    /// Returns what is to be done now that they have been told of.
    mutating func hasTold() -> (@Sendable () -> Void)? {
      telling -= 1
      return telling == 0 ? whenTold.take() : nil
    }

    /// True once: when every id has settled, and every branch been told of.
    mutating func endsNow() -> Bool {
      guard state.isDone, telling == 0, !hasEnded else { return false }
      hasEnded = true
      return true
    }
  }

  init(_ cascade: Cascade, _ roots: [ID], onBranch: (@Sendable (Cascade.Branch) -> Void)? = nil) {
    self.cascade = cascade
    baton = Baton(name: cascade.name, limit: cascade.limit, observer: cascade.observer)
    let state = CascadeState(roots: roots)
    isDone = Atomic(state.isDone)
    book = Mutex(Book(state: state, stock: CascadeStock(onBranch: onBranch)))
  }

  func start(_ completion: @escaping @Sendable (Cascade.Report) -> Void) {
    // One for the run, and one for this function, since a cancellation can end the run while its roots are looked at.
    baton.pass(count: 2)
    baton.onCompletion { outcome in self.end(outcome, completion) }
    baton.onCancel { self.cancel() }
    let roots = book.withLock { $0.state.ids(in: 0..<$0.state.branchCount) }
    let attempts = discover(roots, from: 0)
    endIfDone()
    baton.finish()
    enqueue(attempts)
  }

  // MARK: Discovering

  /// Takes in what a decision discovered: what is at hand settles now, and what that discovers, and so on. Permits are
  /// asked for afterwards, so that nothing overtakes its elders.
  /// - Parameters:
  ///   - ids: What it discovered.
  ///   - first: The index of the first.
  /// - Returns: The first attempts at the rest.
  private func discover(_ ids: [ID], from first: Int) -> [CascadeAttempt] {
    guard let alreadyHave = cascade.alreadyHave else {
      return ids.indices.map { firstAttempt(at: first + $0, ids[$0]) }
    }
    var discovered = Queue<(ids: [ID], first: Int)>()
    discovered.append((ids, first))
    var attempts: [CascadeAttempt] = []
    while let (ids, first) = discovered.popFirst() {
      for (index, id) in zip(first..., ids) {
        if let loaded = alreadyHave(id) {
          take(loaded, index) { discovered.append(($0, $1)) }
        } else {
          attempts.append(firstAttempt(at: index, id))
        }
      }
    }
    return attempts
  }

  private func firstAttempt(at index: Int, _ id: ID) -> CascadeAttempt {
    CascadeAttempt(index: index, number: 1, pass: makePass(id))
  }

  /// Its place is the cascade's description, which is where the user wrote the load. Its label is made for observers only:
  /// who else wants it asks for `label(of:)`, which few do, and making a text of an id takes longer than all the rest here.
  private func makePass(_ id: @autoclosure () -> ID) -> Baton.Pass {
    baton.makePass(
      baton.core.isObserved ? "\(id())" : nil, fileID: cascade.location.fileID, line: cascade.location.line)
  }

  /// What failures and reports call an attempt.
  func label(of attempt: CascadeAttempt) -> String { "\(book.withLock { $0.state.id(at: attempt.index) })" }

  private func enqueue(_ attempts: [CascadeAttempt]) {
    guard !attempts.isEmpty else { return }
    if baton.core.limiter != nil, baton.core.watchesRunners {
      for attempt in attempts { attempt.pass.waits(.waitsForPermit) }
    }
    book.withLock { book in for attempt in attempts { book.stock.ready.append(attempt) } }
    // Either the cancellation finds them in the queue, or they find the cancellation.
    guard !baton.isCancelled else { return dropReady() }
    guard let limiter = baton.core.limiter else {
      for _ in attempts { _ = run() }
      return
    }
    for _ in attempts { limiter.start(self) }
  }

  // MARK: Settling

  /// An attempt, whose pass the caller has claimed, is over.
  func settle(_ attempt: CascadeAttempt, with result: Result<Cascade.Loaded, any Error>) {
    // Relaxed, here and below: a number of frames, which publishes nothing. The deferred have a lock; one that comes just
    // when the last frame was left has the watch.
    guard nested.load(ordering: .relaxed) < Self.deepestNesting else {
      return postpone { self.settleHere(attempt, with: result) }
    }
    nested.wrappingAdd(1, ordering: .relaxed)
    settleHere(attempt, with: result)
    guard nested.wrappingSubtract(1, ordering: .relaxed).newValue == 0 else { return }
    takeUpDeferred(staying: Self.longestStay)
  }

  private func postpone(_ settle: @escaping @Sendable () -> Void) {
    if deferred.withLock({ $0.append(CascadeDeferred.Settle(body: settle)) }) { watch() }
  }

  /// Takes up what was deferred, until there is none. Each may have as many frames on the stack above it as the first had.
  private func takeUpDeferred(staying limit: Duration?) {
    var since: ContinuousClock.Instant?
    while let settle = deferred.withLock({ $0.takeUp() }) {
      nested.wrappingAdd(1, ordering: .relaxed)
      settle.body()
      nested.wrappingSubtract(1, ordering: .relaxed)
      guard let limit else { continue }
      let now = ContinuousClock.now
      if let since, now - since > limit {
        return Baton.Executor.elsewhere { self.takeUpDeferred(staying: nil) }
      }
      since = since ?? now
    }
  }

  /// Holds the run weakly: what is deferred holds it, so without it there is nothing to look for.
  private func watch() {
    Baton.Executor.elsewhere(after: Self.watchInterval) { [weak self] in
      guard let self else { return }
      let look = self.deferred.withLock { $0.look() }
      if look != .ends { self.watch() }
      if look == .takesUp { self.takeUpDeferred(staying: nil) }
    }
  }

  private func settleHere(_ attempt: CascadeAttempt, with result: Result<Cascade.Loaded, any Error>) {
    var told: (any Error)?
    switch result {
    case .success(let loaded):
      take(loaded, attempt.index) { enqueue(discover($0, from: $1)) }
    case .failure(let error):
      told = error
      if !baton.isCancelled, let delay = cascade.retry.delay(afterAttempt: attempt.number, error) {
        tryAgain(attempt, error, after: delay)
      } else {
        fail(attempt.index, error)
      }
    }
    attempt.pass.settleClaimed(told: told) { self.label(of: attempt) }
    endIfDone()
  }

  /// What comes with an id is put in the stock as the state hears of it: whoever sees a branch complete finds it there.
  /// - Parameters:
  ///   - loaded: What came.
  ///   - index: The id's.
  ///   - discovered: Gets the ids that are new, and the index of the first; not called if there are none.
  private func take(_ loaded: Cascade.Loaded, _ index: Int, _ discovered: ([ID], Int) -> Void) {
    let children = CascadeChildren(loaded.children)
    var ids: [ID] = []
    let decision = decide { book in
      // Nil: at hand, but a cancellation was here first, and the branches that reach it have failed without it.
      guard let decision = book.state.settled(index, children: children) else { return nil }
      book.stock.put(loaded.resource, at: index)
      ids = book.state.ids(in: decision.loads)
      return decision
    }
    if let decision, !ids.isEmpty { discovered(ids, decision.loads.lowerBound) }
  }

  func fail(_ index: Int, _ error: any Error) {
    // Thrown because the run was cancelled, it is noise (rule 5).
    let isNoise = error is CancellationError && baton.isCancelled
    decide { book in
      if !isNoise { book.stock.put(error, at: index) }
      return book.state.failed(index)
    }
  }

  /// The next attempt counts from now on, and waits without a permit.
  private func tryAgain(_ attempt: CascadeAttempt, _ error: any Error, after delay: Duration) {
    let pass = makePass(book.withLock { $0.state.id(at: attempt.index) })
    let next = CascadeAttempt(index: attempt.index, number: attempt.number + 1, pass: pass, lastError: error)
    guard delay > .zero else { return enqueue([next]) }
    pass.waits(.waitsForAttempt)
    let task = Task { [clock = cascade.retry.clock] in
      // Cut short by a cancellation, after which the attempt is dropped.
      try? await clock.sleep(for: delay)
      self.enqueue([next])
    }
    pass.onCancel { task.cancel() }
  }
}

extension CascadeRun: PermitSeeker {
  /// A request is for the first that is ready by then: `run` finds out whether any is.
  var isWithdrawn: Bool { false }

  func run() -> Bool {
    let isCancelled = baton.isCancelled
    let taken = book.withLock { book -> (attempt: CascadeAttempt, starts: Bool)? in
      guard let attempt = book.stock.ready.popFirst() else { return nil }
      return (attempt, !isCancelled && (attempt.number > 1 || book.state.start(attempt.index)))
    }
    guard let (attempt, starts) = taken else { return false }
    guard starts else {
      drop(attempt)
      endIfDone()
      return false
    }
    attempt.pass.takePermit()
    attempt.pass.begins()
    cascade.load(book.withLock { $0.state.id(at: attempt.index) }, Cascade.Pass(self, attempt))
    return true
  }
}
