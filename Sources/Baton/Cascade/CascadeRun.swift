// One run of a cascade.

import Synchronization

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
  private let onBranch: (@Sendable (Cascade.Branch) -> Void)?
  private let progress: Mutex<Progress>
  private let stock = Mutex(CascadeStock<Cascade.Branch, Resource>())
  /// How many settles are on stacks, with what they have started in their turn above them.
  private let nested = Atomic<Int>(0)

  /// How many may be: loads that settle at once would otherwise nest as deep as the tree. See `Limiter`.
  private static var deepestNesting: Int { 16 }

  /// The state, and whether the run's own pass has been handed back.
  private struct Progress: Sendable {
    var state: CascadeState<ID>
    var hasEnded = false

    /// True once: when every id has settled.
    mutating func endsNow() -> Bool {
      guard state.isDone, !hasEnded else { return false }
      hasEnded = true
      return true
    }
  }

  init(_ cascade: Cascade, _ roots: [ID], onBranch: (@Sendable (Cascade.Branch) -> Void)? = nil) {
    self.cascade = cascade
    self.onBranch = onBranch
    baton = Baton(name: cascade.name, limit: cascade.limit, observer: cascade.observer)
    progress = Mutex(Progress(state: CascadeState(roots: roots)))
  }

  func start(_ completion: @escaping @Sendable (Cascade.Report) -> Void) {
    baton.pass()
    baton.onCompletion { outcome in completion(self.report(outcome)) }
    baton.onCancel { self.cancel() }
    discover(0..<progress.withLock { $0.state.branchCount })
    endIfDone()
  }

  // MARK: Discovering

  /// Takes in what a decision discovered: what is at hand settles now, and what that discovers, and so on; the rest gets
  /// ready. Only then are permits asked for, so that nothing overtakes its elders.
  private func discover(_ range: Range<Int>) {
    var ranges = Queue<Range<Int>>()
    ranges.append(range)
    var attempts: [CascadeAttempt] = []
    while let range = ranges.popFirst() {
      for (index, id) in zip(range, progress.withLock { progress in range.map { progress.state.id(at: $0) } }) {
        if let loaded = cascade.alreadyHave?(id) {
          if let decision = take(loaded, index) { ranges.append(decision.loads) }
        } else {
          attempts.append(CascadeAttempt(index: index, number: 1, pass: baton.makePass("\(id)")))
        }
      }
    }
    enqueue(attempts)
  }

  private func enqueue(_ attempts: [CascadeAttempt]) {
    guard !attempts.isEmpty else { return }
    stock.withLock { stock in for attempt in attempts { stock.ready.append(attempt) } }
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
    // Relaxed: a number of frames, which publishes nothing.
    guard nested.load(ordering: .relaxed) < Self.deepestNesting else {
      return Baton.Executor.elsewhere { self.settleHere(attempt, with: result) }
    }
    nested.wrappingAdd(1, ordering: .relaxed)
    settleHere(attempt, with: result)
    nested.wrappingSubtract(1, ordering: .relaxed)
  }

  private func settleHere(_ attempt: CascadeAttempt, with result: Result<Cascade.Loaded, any Error>) {
    switch result {
    case .success(let loaded):
      if let decision = take(loaded, attempt.index) { discover(decision.loads) }
    case .failure(let error):
      if !baton.isCancelled, let delay = cascade.retry.delay(afterAttempt: attempt.number, error) {
        tryAgain(attempt, error, after: delay)
      } else {
        fail(attempt.index, error)
      }
    }
    attempt.pass.settleClaimed(error: nil, cancels: false)
    endIfDone()
  }

  private func take(_ loaded: Cascade.Loaded, _ index: Int) -> CascadeDecision? {
    stock.withLock { $0.put(loaded.resource, at: index) }
    let children = CascadeChildren(loaded.children)
    let decision = progress.withLock { $0.state.settled(index, children: children) }
    if let decision { tell(decision.completed) }
    return decision
  }

  private func fail(_ index: Int, _ error: any Error) {
    stock.withLock { $0.put(error, at: index) }
    if let decision = progress.withLock({ $0.state.failed(index) }) { tell(decision.completed) }
  }

  /// The next attempt counts from now on, and waits without a permit.
  private func tryAgain(_ attempt: CascadeAttempt, _ error: any Error, after delay: Duration) {
    let pass = baton.makePass(attempt.pass.label)
    let next = CascadeAttempt(index: attempt.index, number: attempt.number + 1, pass: pass, lastError: error)
    guard delay > .zero else { return enqueue([next]) }
    let task = Task { [clock = cascade.retry.clock] in
      // Cut short by a cancellation, after which the attempt is dropped.
      try? await clock.sleep(for: delay)
      self.enqueue([next])
    }
    pass.onCancel { task.cancel() }
  }

  // MARK: Ending

  private func cancel() {
    let decision = progress.withLock { $0.state.cancel() }
    tell(decision.completed)
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

  /// Tells of branches that are complete.
  private func tell(_ completed: [Int]) {
    for index in completed {
      let (root, failed) = progress.withLock { ($0.state.id(at: index), $0.state.failures(of: index)) }
      let outcome: Baton.Outcome = failed.isEmpty ? .finished : .cancelled(failures(of: failed))
      let branch = Cascade.Branch(root: root, outcome: outcome, run: self, index: index)
      stock.withLock { $0.branches.append(branch) }
      onBranch?(branch)
    }
  }

  /// The failures of ids; what was cancelled before it started has none.
  private func failures(of indices: [Int]) -> [Baton.Failure] {
    let errors = stock.withLock { stock in indices.compactMap { index in stock.errors[index].map { (index, $0) } } }
    let ids = progress.withLock { progress in errors.map { progress.state.id(at: $0.0) } }
    return zip(ids, errors).map { id, error in
      Baton.Failure(error: error.1, label: "\(id)", lineage: baton.core.lineage)
    }
  }

  /// The baton is complete. If it was abandoned, what is out counts as cancelled.
  private func report(_ outcome: Baton.Outcome) -> Cascade.Report {
    let decision = progress.withLock { $0.state.abandon() }
    tell(decision.completed)
    // Moved out: a branch holds the run, for its ids, and so the run must not go on holding branches.
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
    cascade.load(progress.withLock { $0.state.id(at: attempt.index) }, Cascade.Pass(self, attempt))
    return true
  }
}

/// What a run of a cascade has collected, by index.
private struct CascadeStock<Branch: Sendable, Resource: Sendable>: Sendable {
  private(set) var resources: [Resource?] = []
  private(set) var errors: [Int: any Error] = [:]
  /// The keys of `errors`, in the order in which they came.
  private(set) var failed: [Int] = []
  var branches: [Branch] = []
  var ready = Queue<CascadeAttempt>()

  /// An id is loaded once, so nothing is ever replaced, and nothing of the user's freed under the lock.
  mutating func put(_ resource: Resource, at index: Int) {
    while resources.count <= index { resources.append(nil) }
    resources[index] = resource
  }

  mutating func removeAll() -> CascadeStock {
    let all = self
    self = CascadeStock()
    return all
  }

  mutating func put(_ error: any Error, at index: Int) {
    guard errors[index] == nil else { return }
    errors[index] = error
    failed.append(index)
  }
}
