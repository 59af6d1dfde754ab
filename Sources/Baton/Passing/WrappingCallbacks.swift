// Callbacks of any shape, wrapped so that calling them hands a pass back.

extension Baton {
  /// Passes the baton, and wraps a callback: when it is called, the handler runs, then the pass is handed back.
  ///
  /// ```swift
  /// api.query(text, completion: baton.pass("query") { ids, error in
  ///   if let error { throw error }                 // cancels, with the error and the label
  ///   for id in ids {
  ///     api.download(id, completion: baton.pass("\(id)") { … })   // in time: this pass is still out
  ///   }
  /// })
  /// ```
  ///
  /// An error that the handler throws cancels the baton (a `CancellationError` is not recorded if it is cancelled already).
  /// The handler runs also when the baton is cancelled: it has a result to look at. Called a second time, the callback does
  /// nothing, and that is reported; let go without a call, it settles as cancelled with an ``AbandonedError``.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - handler: Gets what the callback gets. May throw, and may pass this baton again.
  /// - Returns: A callback of the same shape, to be called once, on any thread.
  @inlinable
  public func pass<each Argument>(
    _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ handler: @escaping @Sendable (repeat each Argument) throws -> Void
  ) -> @Sendable (repeat each Argument) -> Void {
    makePass(label, fileID: fileID, line: line).callback(handler)
  }

  /// Passes the baton, and wraps a callback whose handler runs on the main actor; then the pass is handed back.
  ///
  /// Like ``pass(_:fileID:line:_:)`` otherwise.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - executor: `.main`.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - handler: Gets what the callback gets, on the main actor. May throw, and may pass this baton again.
  /// - Returns: A callback of the same shape, to be called once, on any thread.
  public func pass<each Argument: Sendable>(
    _ label: String? = nil, on executor: MainExecutor, fileID: StaticString = #fileID, line: UInt = #line,
    _ handler: @escaping @MainActor @Sendable (repeat each Argument) throws -> Void
  ) -> @Sendable (repeat each Argument) -> Void {
    let pass = makePass(label, fileID: fileID, line: line)
    return { (argument: repeat each Argument) in
      guard pass.claim() else { return pass.reportSecondSettle() }
      executor.executor.run {
        MainActor.assumeIsolated {
          do {
            try handler(repeat each argument)
            pass.settleClaimed(error: nil, cancels: false)
          } catch {
            pass.settleClaimed(error: error, cancels: true)
          }
        }
      }
    }
  }
}

// Inlined, so that a client knows the shape: for a shape that is found out when the program runs, Swift makes three more
// closures around these two, and asks for the types of all of them each time.
extension Baton.Pass {
  /// Wraps a callback: when it is called, the handler runs, then this pass is handed back.
  ///
  /// For a runner that has its pass already, so that one pass, one label and one permit do for one request:
  ///
  /// ```swift
  /// baton.start("logo.png") { pass in
  ///   api.download("logo.png", completion: pass.callback { resource, error in
  ///     if let error { throw error }
  ///     store(resource)
  ///   })
  /// }
  /// ```
  ///
  /// Like ``Baton/pass(_:fileID:line:_:)`` otherwise: what the handler throws cancels the baton, and the callback counts once.
  ///
  /// - Parameter handler: Gets what the callback gets. May throw, and may pass the baton again.
  /// - Returns: A callback of the same shape, to be called once, on any thread.
  @inlinable
  public func callback<each Argument>(
    _ handler: @escaping @Sendable (repeat each Argument) throws -> Void
  ) -> @Sendable (repeat each Argument) -> Void {
    { (argument: repeat each Argument) in
      guard self.claim() else { return self.reportSecondSettle() }
      do {
        try handler(repeat each argument)
        self.finishClaimed()
      } catch {
        self.cancelClaimed(error)
      }
    }
  }
}
