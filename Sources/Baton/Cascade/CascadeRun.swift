// One run of a cascade.

#if BATON_EXPLORED
public import Explored
#else
public import Synchronization
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
/// one, as a second would only wait for the first at the run's lock. `CascadeStacks` counts them, and `CascadeDeferred` says
/// what becomes of it if that thread is held up.
///
/// ## What is inlined into clients
/// All that every id passes through, as clients know what ids and resources are. Compiled once for all of them it took
/// twice as long, since the runtime looked for types, and copied by their tables (`ratios 9` of Tests/Benchmarks). What only
/// failures, cancellations and ends need is compiled here.
@usableFromInline
final class CascadeRun<ID: Hashable & Sendable, Resource: Sendable>: Sendable {
  @usableFromInline typealias Cascade = Baton.Cascade<ID, Resource>

  @usableFromInline let baton: Baton
  @usableFromInline let cascade: Cascade
  @usableFromInline let book: Mutex<Book>
  /// Whether every id has settled: set under the lock, so that who needn't take it to know that there is no end yet, doesn't.
  @usableFromInline let isDone: Atomic<Bool>
  @usableFromInline let stacks = CascadeStacks()
  /// What a permit is for: `startNext`, as it was compiled where this run was made. The limiter knows a run by a protocol only,
  /// and what is called by that is compiled for all.
  private let starter: @Sendable (CascadeRun) -> Bool

  /// All that the run knows, under one lock, so that an id costs few of them.
  @usableFromInline
  struct Book: Sendable {
    @usableFromInline var state: CascadeState<ID>
    @usableFromInline var stock: CascadeStock<Cascade.Branch, Resource>
    /// How many threads are just now telling of branches that a decision of theirs completed. A run doesn't end before
    /// they are through: a cancelling thread holds no pass, and others may settle all the rest while it tells.
    @usableFromInline var telling = 0
    var hasEnded = false
    /// The report of an abandoned run, which the last of those threads makes.
    @usableFromInline var whenTold: (@Sendable () -> Void)?

    init(state: CascadeState<ID>, stock: CascadeStock<Cascade.Branch, Resource>) {
      self.state = state
      self.stock = stock
    }

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

  @inlinable
  convenience init(_ cascade: Cascade, _ roots: [ID], onBranch: (@Sendable (Cascade.Branch) -> Void)? = nil) {
    self.init(cascade, roots, onBranch, starter: { run in run.startNext() })
  }

  @usableFromInline
  init(
    _ cascade: Cascade, _ roots: [ID], _ onBranch: (@Sendable (Cascade.Branch) -> Void)?,
    starter: @escaping @Sendable (CascadeRun) -> Bool
  ) {
    self.cascade = cascade
    self.starter = starter
    baton = Baton(name: cascade.name, limit: cascade.limit, observer: cascade.observer)
    let state = CascadeState(roots: roots)
    isDone = Atomic(state.isDone)
    book = Mutex(Book(state: state, stock: CascadeStock(onBranch: onBranch)))
  }

  @inlinable
  func start(_ completion: @escaping @Sendable (Cascade.Report) -> Void) {
    // One for the run, and one for this function, since a cancellation can end the run while its roots are looked at.
    baton.pass(count: 2)
    baton.onCompletion { outcome in self.end(outcome, completion) }
    baton.onCancel { self.cancel() }
    let attempts = discover(book.withLock { 0..<$0.state.branchCount })
    endIfDone()
    baton.finish()
    enqueue(attempts)
  }

  // MARK: Discovering

  /// Takes in what a decision discovered: what is at hand settles now, and what that discovers, and so on. Permits are
  /// asked for afterwards, so that nothing overtakes its elders.
  /// - Parameter indices: What it discovered.
  /// - Returns: The first attempts at the rest.
  @inlinable
  func discover(_ indices: Range<Int>) -> [CascadeAttempt] {
    guard let alreadyHave = cascade.alreadyHave else { return indices.map(firstAttempt) }
    var discovered = Queue<Range<Int>>()
    discovered.append(indices)
    var attempts: [CascadeAttempt] = []
    while let indices = discovered.popFirst() {
      for index in indices {
        if let loaded = alreadyHave(id(at: index)) {
          take(loaded, index) { discovered.append($0) }
        } else {
          attempts.append(firstAttempt(at: index))
        }
      }
    }
    return attempts
  }

  @inlinable
  func id(at index: Int) -> ID { book.withLock { $0.state.id(at: index) } }

  @inlinable
  func firstAttempt(at index: Int) -> CascadeAttempt {
    CascadeAttempt(index: index, number: 1, pass: makePass(at: index))
  }

  /// Its place is the cascade's description, which is where the user wrote the load. Its label is made for observers only:
  /// who else wants it asks for `label(at:)`, which few do, and making a text of an id takes longer than all the rest here.
  @usableFromInline
  func makePass(at index: Int) -> Baton.Pass {
    baton.makePass(
      baton.core.isObserved ? label(at: index) : nil, fileID: cascade.location.fileID, line: cascade.location.line)
  }

  /// What observers, failures and reports call an attempt at an id.
  @usableFromInline
  func label(at index: Int) -> String { "\(id(at: index))" }

  @inlinable
  func enqueue(_ attempts: [CascadeAttempt]) {
    guard !attempts.isEmpty else { return }
    tellOfWaiting(attempts)
    book.withLock { book in for attempt in attempts { book.stock.ready.append(attempt) } }
    // Either the cancellation finds them in the queue, or they find the cancellation.
    guard !baton.isCancelled else { return dropReady() }
    seekPermits(attempts.count)
  }

  @usableFromInline
  func tellOfWaiting(_ attempts: [CascadeAttempt]) {
    guard baton.core.limiter != nil, baton.core.watchesRunners else { return }
    for attempt in attempts { attempt.pass.waits(.waitsForPermit) }
  }

  @usableFromInline
  func seekPermits(_ count: Int) {
    guard let limiter = baton.core.limiter else {
      for _ in 0..<count { _ = run() }
      return
    }
    for _ in 0..<count { limiter.start(self) }
  }

  // MARK: Settling

  /// An attempt, whose pass the caller has claimed, is over.
  @inlinable
  func settle(_ attempt: CascadeAttempt, with result: Result<Cascade.Loaded, any Error>) {
    guard stacks.enter() else { return stacks.postpone { self.settleHere(attempt, with: result) } }
    settleHere(attempt, with: result)
    stacks.leave()
  }

  @inlinable
  func settleHere(_ attempt: CascadeAttempt, with result: Result<Cascade.Loaded, any Error>) {
    var told: (any Error)?
    switch result {
    case .success(let loaded):
      take(loaded, attempt.index) { enqueue(discover($0)) }
    case .failure(let error):
      told = error
      failed(attempt, error)
    }
    attempt.pass.settleClaimed(told: told) { self.label(at: attempt.index) }
    endIfDone()
  }

  /// What comes with an id is put in the stock as the state hears of it: whoever sees a branch complete finds it there.
  /// - Parameters:
  ///   - loaded: What came.
  ///   - index: The id's.
  ///   - discovered: Gets what is new; not called if nothing is.
  @inlinable
  func take(_ loaded: Cascade.Loaded, _ index: Int, _ discovered: (Range<Int>) -> Void) {
    let children = CascadeChildren(loaded.children)
    let decision = decide { book in
      // Nil: at hand, but a cancellation was here first, and the branches that reach it have failed without it.
      guard let decision = book.state.settled(index, children: children) else { return nil }
      book.stock.put(loaded.resource, at: index)
      return decision
    }
    if let decision, !decision.loads.isEmpty { discovered(decision.loads) }
  }

  @usableFromInline
  func fail(_ index: Int, _ error: any Error) {
    // Thrown because the run was cancelled, it is noise (rule 5).
    let isNoise = error is CancellationError && baton.isCancelled
    decide { book in
      if !isNoise { book.stock.put(error, at: index) }
      return book.state.failed(index)
    }
  }

  @usableFromInline
  func failed(_ attempt: CascadeAttempt, _ error: any Error) {
    if !baton.isCancelled, let delay = cascade.retry.delay(afterAttempt: attempt.number, error) {
      tryAgain(attempt, error, after: delay)
    } else {
      fail(attempt.index, error)
    }
  }

  /// The next attempt counts from now on, and waits without a permit.
  @usableFromInline
  func tryAgain(_ attempt: CascadeAttempt, _ error: any Error, after delay: Duration) {
    let pass = makePass(at: attempt.index)
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

  func run() -> Bool { starter(self) }

  /// Starts the first attempt that is ready, with the permit that the caller got.
  /// - Returns: False if none starts; the permit is the caller's again.
  @inlinable
  func startNext() -> Bool {
    let isCancelled = baton.isCancelled
    let taken = book.withLock { book -> (attempt: CascadeAttempt, id: ID?)? in
      guard let attempt = book.stock.ready.popFirst() else { return nil }
      let starts = !isCancelled && (attempt.number > 1 || book.state.start(attempt.index))
      return (attempt, starts ? book.state.id(at: attempt.index) : nil)
    }
    guard let (attempt, id) = taken else { return false }
    guard let id else {
      drop(attempt)
      return false
    }
    attempt.pass.starts()
    cascade.load(id, Cascade.Pass(self, attempt))
    return true
  }
}
