// What a gather brings back.

extension Baton.Gather {
  /// The results of a gather: one for each pass, in pass order.
  public struct Results: Sendable, RandomAccessCollection {
    private let results: [Result<Value, any Error>]
    /// What went wrong, in the order in which it was recorded, each with its path.
    public let failures: [Baton.Failure]
    /// Whether the baton was cancelled.
    public let isCancelled: Bool

    init(_ results: [Result<Value, any Error>], failures: [Baton.Failure], isCancelled: Bool) {
      self.results = results
      self.failures = failures
      self.isCancelled = isCancelled
    }

    /// All values, in pass order.
    ///
    /// - Returns: As many values as there were passes.
    /// - Throws: The first failure's error, or `CancellationError` if the baton was cancelled without one.
    public func values() throws -> [Value] {
      if let failure = failures.first { throw failure.error }
      if isCancelled { throw CancellationError() }
      return try results.map { try $0.get() }
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of passes.
    public var endIndex: Int { results.count }

    /// The result of one pass.
    /// - Parameter position: How many passes were made before it.
    public subscript(position: Int) -> Result<Value, any Error> { results[position] }
  }
}
