// Joining work to a baton without touching the code that starts it.

extension Baton {
  @TaskLocal private static var captured: Baton?

  /// The baton whose capture this code runs in, if any.
  ///
  /// A task-local: it is seen in synchronous code, in `Task {}` and in the children of a task group, and in callbacks that
  /// were wrapped with ``join(_:label:fileID:line:)``; not in `Task.detached`, nor in what is dispatched to a queue.
  public static var current: Baton? { captured }

  /// Makes a baton, or none, the current one while the body runs.
  static func withCurrent<R>(_ baton: Baton?, _ body: () throws -> R) rethrows -> R {
    if baton === captured { return try body() }
    return try $captured.withValue(baton, operation: body)
  }

  /// Makes this baton the current one while the body runs, and holds a pass of it.
  ///
  /// Whatever the body starts through a layer that uses ``join(_:label:fileID:line:)`` becomes part of this baton, and so
  /// does what its callbacks start in their turn. Captures at the same time don't mix.
  ///
  /// Traps if the baton has completed.
  ///
  /// - Parameter body: Runs at once.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func capture<R>(_ body: () throws -> R) rethrows -> R {
    try withPass { try Self.$captured.withValue(self, operation: body) }
  }

  /// Makes this baton the current one while the body runs, and holds a pass of it.
  ///
  /// Like the synchronous form otherwise.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the body runs: the caller's.
  ///   - body: Runs at once.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func capture<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    try await withPass(isolation: isolation) {
      try await Self.$captured.withValue(self, operation: body, isolation: isolation)
    }
  }

  /// Joins a callback to the current baton: for a layer below code that must not change.
  ///
  /// ```swift
  /// func get(_ url: URL, completion: @escaping @Sendable (Data?, (any Error)?) -> Void) {
  ///   let completion = Baton.join(completion, failure: { _, error in error })
  ///   …
  /// }
  /// ```
  ///
  /// Inside a capture, the baton is passed now, and the pass is handed back when the callback has run, with the baton as
  /// the current one again. A second call runs the callback again, as it would without a capture, and is reported.
  ///
  /// Outside any capture, or when the captured baton is complete (a task may outlive it), the callback is returned as it is.
  ///
  /// - Parameters:
  ///   - completion: The caller's callback.
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  /// - Returns: A callback of the same shape.
  public static func join<each Argument>(
    _ completion: @escaping @Sendable (repeat each Argument) -> Void,
    label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) -> @Sendable (repeat each Argument) -> Void {
    guard let pass = current?.tryMakePass(label, fileID: fileID, line: line) else { return completion }
    return { (argument: repeat each Argument) in
      let isFirst = pass.claim()
      withCurrent(pass.baton) { completion(repeat each argument) }
      if isFirst { pass.settleClaimed(error: nil, cancels: false) } else { pass.reportSecondSettle() }
    }
  }

  /// Joins a callback to the current baton, and looks at its arguments for an error to cancel with.
  ///
  /// Like ``join(_:label:fileID:line:)`` otherwise. The callback runs before the pass is handed back.
  ///
  /// - Parameters:
  ///   - completion: The caller's callback.
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  ///   - failure: Gets what the callback gets; returns the error in it, or nil.
  /// - Returns: A callback of the same shape.
  public static func join<each Argument>(
    _ completion: @escaping @Sendable (repeat each Argument) -> Void,
    label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    failure: @escaping @Sendable (repeat each Argument) -> (any Error)?
  ) -> @Sendable (repeat each Argument) -> Void {
    guard let pass = current?.tryMakePass(label, fileID: fileID, line: line) else { return completion }
    return { (argument: repeat each Argument) in
      let isFirst = pass.claim()
      withCurrent(pass.baton) { completion(repeat each argument) }
      guard isFirst else { return pass.reportSecondSettle() }
      let error = failure(repeat each argument)
      pass.settleClaimed(error: error, cancels: error != nil)
    }
  }
}
