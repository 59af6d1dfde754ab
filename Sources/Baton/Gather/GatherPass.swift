// The passes of a gather.

extension Baton.Gather {
  /// One outstanding pass that brings a value back, settled once.
  ///
  /// Settling it a second time does nothing, and is reported as misuse; letting it go without settling it fills its slot
  /// with an ``Baton/AbandonedError``, and is reported too.
  public final class Pass: Sendable {
    @usableFromInline let gather: Baton.Gather<Value>
    @usableFromInline let pass: Baton.Pass
    @usableFromInline let index: Int

    @usableFromInline
    init(_ gather: Baton.Gather<Value>, _ pass: Baton.Pass, _ index: Int) {
      self.gather = gather
      self.pass = pass
      self.index = index
    }

    deinit { if !pass.isClaimed { drop() } }

    /// Out of line, as it asks the runtime for types.
    @inline(never)
    private func drop() {
      guard pass.claim() else { return }
      pass.reportDrop()
      gather.settle(pass, index, with: .failure(Baton.AbandonedError(outstanding: 1)), reportsLate: false)
    }

    /// What the pass is called in failures and reports.
    public var label: String? { pass.label }

    /// Whether the baton is cancelled, so that the runner may as well stop.
    public var isCancelled: Bool { pass.isCancelled }

    /// Adds a handler that runs when the baton is cancelled while the pass is out; see ``Baton/Pass/onCancel(_:)``.
    /// - Parameter handler: Runs at most once, on the cancelling thread, without a lock.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) { pass.onCancel(handler) }

    /// Brings a value back.
    /// - Parameter value: What fills the slot.
    @inlinable
    public func finish(_ value: Value) { finish(with: Result<Value, any Error>.success(value)) }

    /// Brings a value or a failure back.
    /// - Parameter result: What fills the slot.
    @inlinable
    public func finish<E: Error>(with result: Result<Value, E>) {
      if !tryFinish(with: result) { pass.reportSecondSettle() }
    }

    /// Brings a failure back.
    /// - Parameter error: What fills the slot; `CancellationError` if nil.
    public func cancel(_ error: (any Error)? = nil) { finish(with: Self.failed(error)) }

    /// Brings a value or a failure back, if the pass is still out. For honest races, such as a result against a timer.
    /// - Parameter result: What fills the slot.
    /// - Returns: False if it was settled already; nothing is changed, and nothing reported.
    @inlinable
    public func tryFinish<E: Error>(with result: Result<Value, E>) -> Bool {
      guard let flags = pass.claimToSettle() else { return false }
      gather.settle(pass, index, with: result.mapError { $0 }, reportsLate: true, flags: flags)
      return true
    }

    /// Brings a failure back, if the pass is still out. For honest races, such as a result against a timer.
    /// - Parameter error: What fills the slot; `CancellationError` if nil.
    /// - Returns: False if it was settled already; nothing is changed, and nothing reported.
    public func tryCancel(_ error: (any Error)? = nil) -> Bool { tryFinish(with: Self.failed(error)) }

    /// Wraps a callback: when it is called, the handler makes a value of what it gets, and brings it back.
    ///
    /// - Parameter handler: Returns what fills the slot, or throws.
    /// - Returns: A callback to be called once, on any thread.
    @inlinable
    public func callback<each Argument>(
      _ handler: @escaping @Sendable (repeat each Argument) throws -> Value
    ) -> @Sendable (repeat each Argument) -> Void {
      { (argument: repeat each Argument) in self.gather.settle(self.pass, self.index, by: handler, repeat each argument)
      }
    }

    private static func failed(_ error: (any Error)?) -> Result<Value, any Error> {
      .failure(error ?? CancellationError())
    }
  }

  // MARK: Passing

  /// Passes, as an object that brings a value back.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  /// - Returns: A pass that must be settled.
  @inlinable
  public func makePass(_ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) -> Pass {
    let pass = baton.makePass(label, fileID: fileID, line: line)
    return Pass(self, pass, open(waiting: false))
  }

  /// Passes, and wraps a callback: when it is called, the handler makes a value of what it gets, and brings it back.
  ///
  /// What the handler throws is the failure. Called a second time, the callback does nothing, and that is reported; let go
  /// without a call, it leaves an ``Baton/AbandonedError``. Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - handler: Gets what the callback gets; returns what fills the slot, or throws.
  /// - Returns: A callback to be called once, on any thread.
  @inlinable
  public func pass<each Argument>(
    _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ handler: @escaping @Sendable (repeat each Argument) throws -> Value
  ) -> @Sendable (repeat each Argument) -> Void {
    let pass = baton.makePass(label, fileID: fileID, line: line)
    let index = open(waiting: false)
    // Let go without a call, the bare pass cancels the baton, and at the end the slot says that it was left. Where that is
    // to cancel nothing, it takes an object that knows the slot.
    guard policy == .cancelsRest else { return Pass(self, pass, index).callback(handler) }
    return { (argument: repeat each Argument) in self.settle(pass, index, by: handler, repeat each argument) }
  }

  /// Starts a runner as soon as the baton's limit permits; see ``Baton/start(_:fileID:line:_:)``.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - body: Gets the pass, which it has to see settled.
  @inlinable
  public func start(
    _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Pass) -> Void
  ) {
    let pass = baton.makePass(label, fileID: fileID, line: line)
    if let pass = begin(pass) { return body(pass) }
    wait(with: pass, body)
  }

  /// Begins with a runner at once, if it may begin at once.
  /// - Returns: Its pass; nil if it is to wait.
  @inlinable
  func begin(_ pass: Baton.Pass) -> Pass? {
    baton.begins(pass) ? Pass(self, pass, open(waiting: false)) : nil
  }

  /// Has a runner wait for its permit. Its object is made when it starts: one that never does has nobody to drop it, and its
  /// slot says so.
  @inlinable
  func wait(with pass: Baton.Pass, _ body: @escaping @Sendable (Pass) -> Void) {
    let index = open(waiting: true)
    baton.wait(with: pass) { pass in
      self.begin(index)
      body(Pass(self, pass, index))
    }
  }

  /// Starts a task as soon as the baton's limit permits; see ``Baton/addTask(_:priority:fileID:line:operation:)``.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - priority: The task's priority; that of the caller if nil.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - operation: Returns what fills the slot, or throws.
  public func addTask(
    _ label: String? = nil, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    operation: @escaping @Sendable () async throws -> Value
  ) {
    let priority = priority ?? (baton.core.limiter == nil ? nil : Task.currentPriority)
    start(label, fileID: fileID, line: line) { pass in
      let task = Task(priority: priority) {
        let result: Result<Value, any Error>
        do { result = .success(try await operation()) } catch { result = .failure(error) }
        if pass.pass.claim() { self.settle(pass.pass, pass.index, with: result, reportsLate: false) }
      }
      pass.onCancel { task.cancel() }
    }
  }
}

extension Baton.Gather.Pass where Value == Void {
  /// Hands the pass back: there is no value to bring.
  public func finish() { finish(()) }
}
