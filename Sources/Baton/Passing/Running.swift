// Runners that a baton starts itself, as its limit permits.

extension Baton {
  /// Starts a runner as soon as the baton's limit permits: at once where there is none.
  ///
  /// ```swift
  /// baton.start("logo.png") { pass in
  ///   loader.load(url) { error in
  ///     if let error { pass.cancel(error) } else { pass.finish() }
  ///   }
  /// }
  /// ```
  ///
  /// The runner counts from this call on, not from its start. It runs on this thread, if there is a permit now, or else on
  /// the thread that hands one back; it should start its work and return, not block. It holds its permit until its pass
  /// settles. If the baton is cancelled before there is a permit, the body never runs and its pass settles as cancelled.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - body: Gets the pass, which it has to see settled.
  public func start(
    _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Pass) -> Void
  ) {
    start(makePass(label, fileID: fileID, line: line), body)
  }

  /// Starts a task as soon as the baton's limit permits; its end hands the pass back.
  ///
  /// An error that the task throws cancels the baton (a `CancellationError` is not recorded if it is cancelled already). The
  /// task is made only when its permit is there, and is cancelled with the baton. If the baton is cancelled before, there
  /// will be no task. It inherits ``current`` from this call; other task-locals only if there is a permit at once.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - priority: The task's priority; that of the caller if nil.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - operation: The work.
  public func addTask(
    _ label: String? = nil, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    operation: @escaping @Sendable () async throws -> Void
  ) {
    // Of who calls now, not of who will hand a permit back.
    let priority = priority ?? (core.limiter == nil ? nil : Task.currentPriority)
    start(label, fileID: fileID, line: line) { pass in
      let task = Task(priority: priority) {
        var failure: (any Error)?
        do { try await operation() } catch { failure = error }
        // Nobody else has this pass. A task that ends after abandonment is nothing to complain of.
        if pass.claim() { pass.settleClaimed(error: failure, cancels: failure != nil, reportsLate: false) }
      }
      pass.onCancel { task.cancel() }
    }
  }

  /// Starts a runner whose pass is made already.
  func start(_ pass: Pass, _ body: @escaping @Sendable (Pass) -> Void) {
    if begins(pass) { body(pass) } else { wait(with: pass, body) }
  }

  /// Whether a runner may begin at once; then it has a permit, and its caller runs it. With a permit at once there is nothing
  /// to wait for, and nothing that a cancellation could withdraw.
  @usableFromInline
  func begins(_ pass: Pass) -> Bool {
    if pass.isCancelled { return false }
    guard let limiter = core.limiter else { return true }
    guard limiter.takesPermit() else { return false }
    pass.takePermit()
    return true
  }

  /// Has a runner wait for its permit, or settles its pass if the baton is cancelled.
  @usableFromInline
  func wait(with pass: Pass, _ body: @escaping @Sendable (Pass) -> Void) {
    if pass.isCancelled { return pass.settleUnstarted() }
    // Told before it is in the line: afterwards another thread may have told already that it begins.
    pass.waits(.waitsForPermit)
    let runner = Runner(pass, body)
    runner.listen()
    core.limiter?.start(runner)
  }

  /// Holds a pass while the body runs: the way to have work end that may turn out to be empty.
  ///
  /// The same as `pass()`, `defer { finish() }` and the body; an error that the body throws is the caller's to deal with.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameter body: Runs at once.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func withPass<R>(_ body: () throws -> R) rethrows -> R {
    pass()
    defer { finish() }
    return try body()
  }

  /// Holds a pass while the body runs: the way to have work end that may turn out to be empty.
  ///
  /// The same as `pass()`, `defer { finish() }` and the body; an error that the body throws is the caller's to deal with.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the body runs: the caller's.
  ///   - body: Runs at once.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func withPass<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    pass()
    defer { finish() }
    return try await body()
  }
}
