// One attempt to load one id.

extension Baton.Cascade {
  /// One attempt to load one id, settled once.
  ///
  /// Settling it a second time does nothing, and is reported as misuse; letting it go without settling it is a failure with
  /// an ``Baton/AbandonedError``, and is reported too.
  public final class Pass: Sendable {
    private let run: CascadeRun<ID, Resource>
    private let attempt: CascadeAttempt

    init(_ run: CascadeRun<ID, Resource>, _ attempt: CascadeAttempt) {
      self.run = run
      self.attempt = attempt
    }

    deinit { if !attempt.pass.isClaimed { drop() } }

    /// Out of line, as it asks the runtime for types.
    @inline(never)
    private func drop() {
      guard attempt.pass.claim() else { return }
      attempt.pass.reportDrop(label: run.label(of: attempt))
      run.settle(attempt, with: .failure(Baton.AbandonedError(outstanding: 1)))
    }

    /// How many attempts to load this id there were, with this one.
    public var attemptCount: Int { attempt.number }

    /// Whether the run is cancelled, so that the load may as well stop.
    public var isCancelled: Bool { attempt.pass.isCancelled }

    /// Adds a handler that runs when the run is cancelled while the load is out; see ``Baton/Pass/onCancel(_:)``.
    /// - Parameter handler: Runs at most once, on the cancelling thread, without a lock.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) { attempt.pass.onCancel(handler) }

    /// The id is loaded.
    /// - Parameter loaded: The resource, and the ids that it names.
    public func finish(_ loaded: Loaded) {
      guard attempt.pass.claim() else { return reportSecondSettle() }
      run.settle(attempt, with: .success(loaded))
    }

    /// The attempt has failed; whether there is another is the cascade's to decide.
    /// - Parameter error: Why; `CancellationError` if nil.
    public func cancel(_ error: (any Error)? = nil) {
      finish(with: Result<Loaded, any Error>.failure(error ?? CancellationError()))
    }

    /// The id is loaded, or the attempt has failed.
    /// - Parameter result: Which of the two.
    public func finish<E: Error>(with result: Result<Loaded, E>) {
      if !tryFinish(with: result) { reportSecondSettle() }
    }

    /// The id is loaded, or the attempt has failed, unless it is settled already. For honest races.
    /// - Parameter result: Which of the two.
    /// - Returns: False if it was settled already; nothing is changed, and nothing reported.
    public func tryFinish<E: Error>(with result: Result<Loaded, E>) -> Bool {
      guard attempt.pass.claim() else { return false }
      run.settle(attempt, with: result.mapError { $0 })
      return true
    }

    private func reportSecondSettle() { attempt.pass.reportSecondSettle(label: run.label(of: attempt)) }

    /// Wraps a callback: when it is called, the handler makes what was loaded of what it gets.
    ///
    /// - Parameter handler: Returns the resource and the ids that it names, or throws.
    /// - Returns: A callback to be called once, on any thread.
    public func callback<each Argument>(
      _ handler: @escaping @Sendable (repeat each Argument) throws -> Loaded
    ) -> @Sendable (repeat each Argument) -> Void {
      { (argument: repeat each Argument) in
        guard self.attempt.pass.claim() else { return self.reportSecondSettle() }
        let result: Result<Loaded, any Error>
        do { result = .success(try handler(repeat each argument)) } catch { result = .failure(error) }
        self.run.settle(self.attempt, with: result)
      }
    }
  }
}

/// One attempt to load one id, waiting for its permit or under way.
struct CascadeAttempt: Sendable {
  let index: Int
  /// Counted from 1.
  let number: Int
  let pass: Baton.Pass
  /// Why the attempt before this one failed.
  var lastError: (any Error)?
}
