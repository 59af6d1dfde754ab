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
/// What comes with an id is put in the stock before the state hears of it: whoever sees a branch complete finds it there.
final class CascadeRun<ID: Hashable & Sendable, Resource: Sendable>: Sendable {
  typealias Cascade = Baton.Cascade<ID, Resource>

  let baton: Baton
  private let cascade: Cascade
  private let progress: Mutex<Progress>
  private let stock: Mutex<CascadeStock<Cascade.Branch, Resource>>
  /// How many settles are on stacks, with what they have started in their turn above them.
  private let nested = Atomic<Int>(0)

  /// How many may be: loads that settle at once would otherwise nest as deep as the tree. See `Limiter`.
  private static var deepestNesting: Int { 16 }

  /// The state, and whether the run's own pass has been handed back.
  private struct Progress: Sendable {
    var state: CascadeState<ID>
    /// How many threads are just now telling of branches that a decision of theirs completed. A run doesn't end before
    /// they are through: a cancelling thread holds no pass, and others may settle all the rest while it tells.
    var telling = 0
    var hasEnded = false
    /// The report of an abandoned run, which the last of those threads makes.
    var whenTold: (@Sendable () -> Void)?

    /// Notes that the branches of a decision are about to be told of.
    mutating func willTell(_ decision: CascadeDecision?) -> CascadeDecision? {
      if decision?.completed.isEmpty == false { telling += 1 }
      return decision
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

  init(_ cascade: Cascade, _ roots: [ID], onBranch: (@Sendable (Cascade.Branch) -> Void)? = nil) {
    self.cascade = cascade
    stock = Mutex(CascadeStock(onBranch: onBranch))
    baton = Baton(name: cascade.name, limit: cascade.limit, observer: cascade.observer)
    progress = Mutex(Progress(state: CascadeState(roots: roots)))
  }

  func start(_ completion: @escaping @Sendable (Cascade.Report) -> Void) {
    // One for the run, and one for this function, since a cancellation can end the run while its roots are looked at.
    baton.pass(count: 2)
    baton.onCompletion { outcome in self.end(outcome, completion) }
    baton.onCancel { self.cancel() }
    let attempts = discover(0..<progress.withLock { $0.state.branchCount })
    endIfDone()
    baton.finish()
    enqueue(attempts)
  }

  // MARK: Discovering

  /// Takes in what a decision discovered: what is at hand settles now, and what that discovers, and so on; the rest is
  /// returned. Only then are permits asked for, so that nothing overtakes its elders.
  private func discover(_ range: Range<Int>) -> [CascadeAttempt] {
    var ranges = Queue<Range<Int>>()
    ranges.append(range)
    var attempts: [CascadeAttempt] = []
    while let range = ranges.popFirst() {
      for (index, id) in zip(range, progress.withLock { progress in range.map { progress.state.id(at: $0) } }) {
        if let loaded = cascade.alreadyHave?(id) {
          if let decision = take(loaded, index) { ranges.append(decision.loads) }
        } else {
          attempts.append(CascadeAttempt(index: index, number: 1, pass: makePass("\(id)")))
        }
      }
    }
    return attempts
  }

  /// Its place is the cascade's description, which is where the user wrote the load.
  private func makePass(_ label: String?) -> Baton.Pass {
    baton.makePass(label, fileID: cascade.location.fileID, line: cascade.location.line)
  }

  private func enqueue(_ attempts: [CascadeAttempt]) {
    guard !attempts.isEmpty else { return }
    let limiter = baton.core.limiter
    if limiter != nil, baton.core.watchesRunners { for attempt in attempts { attempt.pass.waits(.waitsForPermit) } }
    stock.withLock { stock in for attempt in attempts { stock.ready.append(attempt) } }
    // Either the cancellation finds them in the queue, or they find the cancellation.
    guard !baton.isCancelled else { return dropReady() }
    guard let limiter else {
      for _ in attempts { _ = run() }
      return
    }
    for _ in attempts { limiter.start(self) }
  }

  // MARK: Settling

  /// An attempt, whose pass the caller has claimed, is over.
  func settle(_ attempt: CascadeAttempt, with result: Result<Cascade.Loaded, any Error>) {
    // Relaxed: a number of frames, which publishes nothing.
    guard nested.load(ordering: .relaxed) < Self.deepestNesting else {
      return Baton.Executor.elsewhere { self.settleHere(attempt, with: result) }
    }
    nested.wrappingAdd(1, ordering: .relaxed)
    settleHere(attempt, with: result)
    nested.wrappingSubtract(1, ordering: .relaxed)
  }

  private func settleHere(_ attempt: CascadeAttempt, with result: Result<Cascade.Loaded, any Error>) {
    var told: (any Error)?
    switch result {
    case .success(let loaded):
      if let decision = take(loaded, attempt.index) { enqueue(discover(decision.loads)) }
    case .failure(let error):
      told = error
      if !baton.isCancelled, let delay = cascade.retry.delay(afterAttempt: attempt.number, error) {
        tryAgain(attempt, error, after: delay)
      } else {
        fail(attempt.index, error)
      }
    }
    attempt.pass.settleClaimed(error: nil, cancels: false, told: told)
    endIfDone()
  }

  private func take(_ loaded: Cascade.Loaded, _ index: Int) -> CascadeDecision? {
    stock.withLock { $0.put(loaded.resource, at: index) }
    let children = CascadeChildren(loaded.children)
    let decision = decide { $0.settled(index, children: children) }
    // At hand, but a cancellation was here first: the branches that reach it have failed without it.
    if decision == nil { _ = stock.withLock { $0.removeResource(at: index) } }
    return decision
  }

  private func fail(_ index: Int, _ error: any Error) {
    // Thrown because the run was cancelled, it is noise (rule 5).
    if !(error is CancellationError && baton.isCancelled) { stock.withLock { $0.put(error, at: index) } }
    _ = decide { $0.failed(index) }
  }

  /// The next attempt counts from now on, and waits without a permit.
  private func tryAgain(_ attempt: CascadeAttempt, _ error: any Error, after delay: Duration) {
    let pass = makePass(attempt.pass.label)
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

  // MARK: Ending

  private func cancel() {
    _ = decide { $0.cancel() }
    dropReady()
    endIfDone()
  }

  private func dropReady() {
    while let attempt = stock.withLock({ $0.ready.popFirst() }) { drop(attempt) }
    endIfDone()
  }

  /// An attempt that never starts. A first one was settled by the state's own cancellation, or will be.
  private func drop(_ attempt: CascadeAttempt) {
    if let error = attempt.lastError { fail(attempt.index, error) }
    attempt.pass.settleUnstarted()
  }

  /// Hands the run's own pass back when every id has settled, with the failures, so that the baton's outcome is the run's.
  private func endIfDone() {
    guard progress.withLock({ $0.endsNow() }) else { return }
    for failure in failures(of: stock.withLock { $0.failed }) { baton.core.cancel(failure: failure) }
    baton.finish()
  }

  /// Has the state decide, and tells of the branches that are complete by that. Its caller goes on to `endIfDone`.
  private func decide(_ transition: (inout CascadeState<ID>) -> CascadeDecision?) -> CascadeDecision? {
    let decision = progress.withLock { $0.willTell(transition(&$0.state)) }
    if let decision, !decision.completed.isEmpty {
      tell(decision.completed)
      progress.withLock({ $0.hasTold() })?()
    }
    return decision
  }

  private func tell(_ completed: [Int]) {
    for index in completed {
      let (root, failed) = progress.withLock { ($0.state.id(at: index), $0.state.failures(of: index)) }
      let outcome: Baton.Outcome = failed.isEmpty ? .finished : .cancelled(failures(of: failed))
      let branch = Cascade.Branch(root: root, outcome: outcome, run: self, index: index)
      let onBranch = stock.withLock { stock in
        stock.branches.append(branch)
        return stock.onBranch
      }
      onBranch?(branch)
    }
  }

  /// The failures of ids; what was cancelled before it started has none.
  private func failures(of indices: [Int]) -> [Baton.Failure] {
    let errors = stock.withLock { stock in indices.compactMap { index in stock.errors[index].map { (index, $0) } } }
    let ids = progress.withLock { progress in errors.map { progress.state.id(at: $0.0) } }
    return zip(ids, errors).map { id, error in
      Baton.Failure(error: error.1, label: "\(id)", location: cascade.location, lineage: baton.core.lineage)
    }
  }

  /// The baton is complete. If it was abandoned, what is out counts as cancelled, and others may still be telling.
  private func end(_ outcome: Baton.Outcome, _ completion: @escaping @Sendable (Cascade.Report) -> Void) {
    _ = decide { $0.abandon() }
    let isTold = progress.withLock { progress in
      if progress.telling > 0 { progress.whenTold = { completion(self.report(outcome)) } }
      return progress.telling == 0
    }
    if isTold { completion(report(outcome)) }
  }

  private func report(_ outcome: Baton.Outcome) -> Cascade.Report {
    // Moved out: a branch holds the run, for its ids, and so the run must not go on holding branches, nor a handler that
    // may keep them (rule 9).
    let stock = stock.withLock { $0.removeAll() }
    let ids = progress.withLock { progress in (0..<progress.state.count).map { progress.state.id(at: $0) } }
    return Cascade.Report(
      resources: Dictionary(
        uniqueKeysWithValues: stock.resources.enumerated().compactMap { index, resource in
          resource.map { (ids[index], $0) }
        }),
      failures: Dictionary(uniqueKeysWithValues: stock.errors.map { index, error in (ids[index], error) }),
      branches: Dictionary(uniqueKeysWithValues: stock.branches.map { ($0.root, $0) }),
      outcome: outcome)
  }

  func ids(of branch: Int) -> [ID] { progress.withLock { $0.state.ids(of: branch) } }
}

extension CascadeRun: PermitSeeker {
  /// A request is for the first that is ready by then, if any is.
  var isWithdrawn: Bool { stock.withLock { $0.ready.isEmpty } }

  func run() -> Bool {
    guard let attempt = stock.withLock({ $0.ready.popFirst() }) else { return false }
    guard !baton.isCancelled, attempt.number > 1 || progress.withLock({ $0.state.start(attempt.index) }) else {
      drop(attempt)
      endIfDone()
      return false
    }
    attempt.pass.takePermit()
    attempt.pass.begins()
    cascade.load(progress.withLock { $0.state.id(at: attempt.index) }, Cascade.Pass(self, attempt))
    return true
  }
}
