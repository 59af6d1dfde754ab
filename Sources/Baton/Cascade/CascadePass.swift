// One attempt to load one id.

extension Baton.Cascade {
  /// One attempt to load one id, settled once.
  ///
  /// Settling it a second time does nothing, and is reported as misuse; letting it go without settling it is a failure with
  /// an ``Baton/AbandonedError``, and is reported too.
  public final class Pass: Sendable {
    @usableFromInline let run: CascadeRun<ID, Resource>
    @usableFromInline let attempt: CascadeAttempt

    @inlinable
    init(_ run: CascadeRun<ID, Resource>, _ attempt: CascadeAttempt) {
      self.run = run
      self.attempt = attempt
    }

    deinit { if !attempt.pass.isClaimed { drop() } }

    /// Out of line, as it asks the runtime for types.
    @inline(never)
    private func drop() {
      guard attempt.pass.claim() else { return }
      attempt.pass.reportDrop(label: run.label(at: attempt.index))
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
    @inlinable
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
    @inlinable
    public func finish<E: Error>(with result: Result<Loaded, E>) {
      if !tryFinish(with: result) { reportSecondSettle() }
    }

    /// The id is loaded, or the attempt has failed, unless it is settled already. For honest races.
    /// - Parameter result: Which of the two.
    /// - Returns: False if it was settled already; nothing is changed, and nothing reported.
    @inlinable
    public func tryFinish<E: Error>(with result: Result<Loaded, E>) -> Bool {
      guard attempt.pass.claim() else { return false }
      run.settle(attempt, with: result.mapError { $0 })
      return true
    }

    @usableFromInline
    func reportSecondSettle() { attempt.pass.reportSecondSettle(label: run.label(at: attempt.index)) }

    /// Wraps a callback: when it is called, the handler makes what was loaded of what it gets.
    ///
    /// - Parameter handler: Returns the resource and the ids that it names, or throws.
    /// - Returns: A callback to be called once, on any thread.
    @inlinable
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
@usableFromInline
struct CascadeAttempt: Sendable {
  @usableFromInline let index: Int
  /// Counted from 1.
  @usableFromInline let number: Int
  @usableFromInline let pass: Baton.Pass
  /// Why the attempt before this one failed.
  let lastError: (any Error)?

  @usableFromInline
  init(index: Int, number: Int, pass: Baton.Pass, lastError: (any Error)? = nil) {
    self.index = index
    self.number = number
    self.pass = pass
    self.lastError = lastError
  }
}
