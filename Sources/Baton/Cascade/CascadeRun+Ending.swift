// How a run of a cascade comes to its branches' ends, and to its own.

#if BATON_EXPLORED
public import Explored
#else
public import Synchronization
#endif

extension CascadeRun {
  @usableFromInline
  func cancel() {
    decide { $0.state.cancel() }
    dropReady()
    endIfDone()
  }

  @usableFromInline
  func dropReady() {
    while let attempt = book.withLock({ $0.stock.ready.popFirst() }) { settleUnstarted(attempt) }
    endIfDone()
  }

  @usableFromInline
  func drop(_ attempt: CascadeAttempt) {
    settleUnstarted(attempt)
    endIfDone()
  }

  /// An attempt that never starts. A first one was settled by the state's own cancellation, or will be.
  private func settleUnstarted(_ attempt: CascadeAttempt) {
    if let error = attempt.lastError { fail(attempt.index, error) }
    attempt.pass.settleUnstarted()
  }

  /// Hands the run's own pass back when every id has settled, with the failures, so that the baton's outcome is the run's.
  @inlinable
  func endIfDone() {
    // Relaxed: only whether to take the lock, which says the rest. Who has to see it does: it comes here after its own
    // decision, or after it has told of branches, for which it took the lock after that decision.
    if isDone.load(ordering: .relaxed) { endNow() }
  }

  @usableFromInline
  func endNow() {
    guard let failed = book.withLock({ $0.endsNow() ? $0.stock.failed : nil }) else { return }
    for failure in failures(of: failed) { baton.core.cancel(failure: failure) }
    baton.finish()
  }

  /// Has the state decide, and tells of the branches that are complete by that. Its caller goes on to `endIfDone`.
  @discardableResult
  @inlinable
  func decide(_ transition: (inout Book) -> CascadeDecision?) -> CascadeDecision? {
    let decision = book.withLock { book in
      let decision = transition(&book)
      if let decision, !decision.completed.isEmpty {
        book.telling += 1
        // Relaxed: under the lock, which orders all that matters; see `endIfDone`.
        if book.state.isDone { isDone.store(true, ordering: .relaxed) }
      }
      return decision
    }
    if let decision, !decision.completed.isEmpty { tell(decision.completed) }
    return decision
  }

  @usableFromInline
  func tell(_ completed: [Int]) {
    for index in completed {
      let (root, failed) = book.withLock { ($0.state.id(at: index), $0.state.failures(of: index)) }
      let outcome: Baton.Outcome = failed.isEmpty ? .finished : .cancelled(failures(of: failed))
      let branch = Cascade.Branch(root: root, outcome: outcome, run: self, index: index)
      let onBranch = book.withLock { book in
        book.stock.branches.append(branch)
        return book.stock.onBranch
      }
      onBranch?(branch)
    }
    book.withLock({ $0.hasTold() })?()
  }

  /// The failures of ids; what was cancelled before it started has none.
  private func failures(of indices: [Int]) -> [Baton.Failure] {
    let errors = book.withLock { book in
      indices.compactMap { index in book.stock.errors[index].map { (book.state.id(at: index), $0) } }
    }
    return errors.map { id, error in
      Baton.Failure(error: error, label: "\(id)", location: cascade.location, lineage: baton.core.lineage)
    }
  }

  /// The baton is complete. If it was abandoned, what is out counts as cancelled, and others may still be telling.
  @inlinable
  func end(_ outcome: Baton.Outcome, _ completion: @escaping @Sendable (Cascade.Report) -> Void) {
    decide { $0.state.abandon() }
    let isTold = book.withLock { book in
      if book.telling > 0 { book.whenTold = { completion(self.report(outcome)) } }
      return book.telling == 0
    }
    if isTold { completion(report(outcome)) }
  }

  @inlinable
  func report(_ outcome: Baton.Outcome) -> Cascade.Report {
    // Moved out: a branch holds the run, for its ids, and so the run must not go on holding branches, nor a handler that
    // may keep them (rule 9).
    let (stock, ids) = book.withLock { ($0.stock.removeAll(), $0.state.ids(in: 0..<$0.state.count)) }
    var resources: [ID: Resource] = [:]
    resources.reserveCapacity(stock.resources.count)
    for (index, resource) in stock.resources.enumerated() {
      if let resource { resources[ids[index]] = resource }
    }
    return Cascade.Report(
      resources: resources,
      failures: Dictionary(uniqueKeysWithValues: stock.errors.map { index, error in (ids[index], error) }),
      branches: Dictionary(uniqueKeysWithValues: stock.branches.map { ($0.root, $0) }),
      outcome: outcome)
  }

  func ids(of branch: Int) -> [ID] { book.withLock { $0.state.ids(of: branch) } }
}
