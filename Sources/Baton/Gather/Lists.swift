// Scatter and gather over a list.

extension Baton {
  /// Runs an operation for each item, and returns the values in the order of the items.
  ///
  /// ```swift
  /// let images = try await Baton.gather(urls, limit: 3) { url in try await fetch(url) }
  /// ```
  ///
  /// After the first failure nothing new is started, and tasks are cancelled; what runs is waited for. Cancelling the
  /// calling task cancels all. An empty list returns at once.
  ///
  /// - Parameters:
  ///   - items: What to work on.
  ///   - name: The baton's name.
  ///   - limit: How many operations may run at the same time.
  ///   - operation: Makes a value of an item.
  /// - Returns: As many values as there are items.
  /// - Throws: The first failure that was recorded, `CancellationError` if it was cancelled without one.
  @inlinable
  public static func gather<Items: Sequence, Value: Sendable>(
    _ items: Items, name: String? = nil, limit: Limiter? = nil,
    _ operation: @escaping @Sendable (Items.Element) async throws -> Value
  ) async throws -> [Value] where Items.Element: Sendable {
    try await Gather<Value>(name: name, limit: limit).all(items, operation).values()
  }

  /// Runs an operation for each item, and returns each result in the order of the items: one failure stops nobody else.
  ///
  /// Cancelling the calling task cancels all. An empty list returns at once.
  ///
  /// - Parameters:
  ///   - items: What to work on.
  ///   - name: The baton's name.
  ///   - limit: How many operations may run at the same time.
  ///   - operation: Makes a value of an item.
  /// - Returns: As many results as there are items.
  @inlinable
  public static func gatherResults<Items: Sequence, Value: Sendable>(
    _ items: Items, name: String? = nil, limit: Limiter? = nil,
    _ operation: @escaping @Sendable (Items.Element) async throws -> Value
  ) async -> Gather<Value>.Results where Items.Element: Sendable {
    await Gather<Value>(name: name, limit: limit, onFailure: .continues).all(items, operation)
  }

  /// Starts a runner for each item, and calls a completion with the results in the order of the items.
  ///
  /// ```swift
  /// Baton.gather(urls, of: Image.self, limit: 3) { url, pass in
  ///   fetch(url) { result in pass.finish(with: result) }
  /// } completion: { results in
  ///   show(results)
  /// }
  /// ```
  ///
  /// An empty list completes before this call returns.
  ///
  /// - Parameters:
  ///   - items: What to work on.
  ///   - type: What a runner brings back.
  ///   - name: The baton's name.
  ///   - limit: How many runners may be at work at the same time.
  ///   - policy: What the first failure means for the others.
  ///   - executor: Where the completion runs.
  ///   - body: Gets an item and the pass that it has to see settled.
  ///   - completion: Runs exactly once.
  /// - Returns: The gather, to watch or to cancel.
  @inlinable
  @discardableResult
  public static func gather<Items: Sequence, Value: Sendable>(
    _ items: Items, of type: Value.Type, name: String? = nil, limit: Limiter? = nil,
    onFailure policy: Gather<Value>.FailurePolicy = .cancelsRest, on executor: Executor = .inline,
    _ body: @escaping @Sendable (Items.Element, Gather<Value>.Pass) -> Void,
    completion: @escaping @Sendable (Gather<Value>.Results) -> Void
  ) -> Gather<Value> where Items.Element: Sendable {
    let gather = Gather<Value>(name: name, limit: limit, onFailure: policy)
    gather.onCompletion(on: executor, completion)
    gather.scatter(items, body)
    return gather
  }

  /// Starts a runner for each item, and calls a completion on the main actor with the results in the order of the items.
  ///
  /// - Parameters:
  ///   - items: What to work on.
  ///   - type: What a runner brings back.
  ///   - name: The baton's name.
  ///   - limit: How many runners may be at work at the same time.
  ///   - policy: What the first failure means for the others.
  ///   - executor: `.main`.
  ///   - body: Gets an item and the pass that it has to see settled.
  ///   - completion: Runs exactly once, on the main actor.
  /// - Returns: The gather, to watch or to cancel.
  @inlinable
  @discardableResult
  public static func gather<Items: Sequence, Value: Sendable>(
    _ items: Items, of type: Value.Type, name: String? = nil, limit: Limiter? = nil,
    onFailure policy: Gather<Value>.FailurePolicy = .cancelsRest, on executor: MainExecutor,
    _ body: @escaping @Sendable (Items.Element, Gather<Value>.Pass) -> Void,
    completion: @escaping @MainActor @Sendable (Gather<Value>.Results) -> Void
  ) -> Gather<Value> where Items.Element: Sendable {
    gather(items, of: type, name: name, limit: limit, onFailure: policy, on: executor.executor, body) { results in
      MainActor.assumeIsolated { completion(results) }
    }
  }

  /// A function that takes a completion, and calls it when it is done.
  public typealias Step = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

  /// Runs a list of functions that each take a completion: with limit 1 one after another, with none all at once.
  ///
  /// An empty list completes before this call returns.
  ///
  /// - Parameters:
  ///   - steps: What to run.
  ///   - name: The baton's name.
  ///   - limit: How many may run at the same time.
  ///   - executor: Where the completion runs.
  ///   - completion: Runs exactly once, when all are done.
  /// - Returns: The baton, to watch or to cancel.
  @discardableResult
  public static func scatter<Steps: Sequence>(
    _ steps: Steps, name: String? = nil, limit: Limiter? = nil, on executor: Executor = .inline,
    completion: @escaping @Sendable (Outcome) -> Void
  ) -> Baton where Steps.Element == Step {
    let baton = Baton(name: name, limit: limit)
    baton.onCompletion(on: executor, completion)
    baton.withPass {
      for step in steps {
        baton.start { pass in step { pass.finish() } }
      }
    }
    return baton
  }

  /// Runs a list of functions that each take a completion, and completes on the main actor.
  ///
  /// - Parameters:
  ///   - steps: What to run.
  ///   - name: The baton's name.
  ///   - limit: How many may run at the same time.
  ///   - executor: `.main`.
  ///   - completion: Runs exactly once, on the main actor, when all are done.
  /// - Returns: The baton, to watch or to cancel.
  @discardableResult
  public static func scatter<Steps: Sequence>(
    _ steps: Steps, name: String? = nil, limit: Limiter? = nil, on executor: MainExecutor,
    completion: @escaping @MainActor @Sendable (Outcome) -> Void
  ) -> Baton where Steps.Element == Step {
    scatter(steps, name: name, limit: limit, on: executor.executor) { outcome in
      MainActor.assumeIsolated { completion(outcome) }
    }
  }
}

extension Baton.Gather {
  /// Starts a runner for each item, holding a pass until all are started, so that an empty list is an end as well.
  @inlinable
  func scatter<Items: Sequence>(
    _ items: Items, _ body: @escaping @Sendable (Items.Element, Pass) -> Void
  ) where Items.Element: Sendable {
    reserve(items.underestimatedCount)
    baton.withPass {
      for item in items {
        // Without a closure, where it begins at once.
        let pass = baton.makePass()
        if let pass = begin(pass) { body(item, pass) } else { wait(with: pass) { pass in body(item, pass) } }
      }
    }
  }

  /// Runs a task for each item; the calling task's cancellation cancels all.
  @inlinable
  func all<Items: Sequence>(
    _ items: Items, _ operation: @escaping @Sendable (Items.Element) async throws -> Value
  ) async -> Results where Items.Element: Sendable {
    await withTaskCancellationHandler {
      reserve(items.underestimatedCount)
      baton.withPass {
        for item in items { addTask { try await operation(item) } }
      }
      return await results
    } onCancel: {
      baton.cancelAll()
    }
  }
}
