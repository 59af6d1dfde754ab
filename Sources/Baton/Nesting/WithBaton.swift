// Structured use: a baton that lasts as long as a body and all that it has set going.

/// Runs a body with a baton of its own, and returns when the body and every runner are done.
///
/// ```swift
/// let pages = try await withBaton(name: "Pages", limit: 4) { baton in
///   for url in urls { baton.addTask { try await fetch(url) } }
///   return urls.count
/// }
/// ```
///
/// A pass is held while the body runs. Cancelling the calling task is `cancelAll`; a body that throws cancels all, and its
/// error is rethrown once the runners are back. `abandon` ends it with runners still out, and throws that.
///
/// - Parameters:
///   - name: The baton's name.
///   - limit: How many runners may be at work at the same time.
///   - observer: Who is told what happens.
///   - isolation: The actor on which the body runs: the caller's.
///   - body: Gets the baton.
/// - Returns: What the body returns.
/// - Throws: What the body throws; or else the first failure of the baton, `CancellationError` if it was cancelled without.
public func withBaton<R>(
  name: String? = nil, limit: Baton.Limiter? = nil, observer: (any Baton.Observer)? = nil,
  isolation: isolated (any Actor)? = #isolation, _ body: (Baton) async throws -> R
) async throws -> R {
  try await Baton(name: name, limit: limit, observer: observer).scope(isolation: isolation, body)
}

extension Baton {
  /// Runs a body with a child of this baton, and returns when the body and every runner of the child are done.
  ///
  /// Like ``withBaton(name:limit:observer:isolation:_:)`` otherwise. Traps if this baton has completed.
  ///
  /// - Parameters:
  ///   - name: The child's name.
  ///   - cancellation: What the child's own cancellation means for this baton.
  ///   - limit: The child's limit instead of this baton's; `.unlimited` for none.
  ///   - isolation: The actor on which the body runs: the caller's.
  ///   - body: Gets the child.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; or else the first failure of the child, `CancellationError` if it was cancelled without.
  public func withChild<R>(
    name: String? = nil, cancellation: CancellationPolicy = .propagates, limit: Limiter? = nil,
    isolation: isolated (any Actor)? = #isolation, _ body: (Baton) async throws -> R
  ) async throws -> R {
    try await makeChild(name: name, cancellation: cancellation, limit: limit).scope(isolation: isolation, body)
  }

  fileprivate func scope<R>(
    isolation: isolated (any Actor)?, _ body: (Baton) async throws -> R
  ) async throws -> R {
    pass()
    return try await withTaskCancellationHandler(
      operation: {
        let result: R
        do {
          result = try await body(self)
        } catch {
          cancel(error)
          _ = await outcome
          throw error
        }
        finish()
        try await outcome.get()
        return result
      },
      onCancel: { cancelAll() },
      isolation: isolation)
  }
}
