// What a gather brings back.

extension Baton.Gather {
  /// The results of a gather: one for each pass, in pass order.
  public struct Results: Sendable, RandomAccessCollection {
    /// As they were filled, and not as results: there may be millions, which need not be copied.
    @usableFromInline let slots: [GatherState<Value>.Slot]
    /// What went wrong, in the order in which it was recorded, each with its path.
    public let failures: [Baton.Failure]
    /// Whether the baton was cancelled.
    public let isCancelled: Bool

    @usableFromInline
    init(_ slots: [GatherState<Value>.Slot], failures: [Baton.Failure], isCancelled: Bool) {
      self.slots = slots
      self.failures = failures
      self.isCancelled = isCancelled
    }

    /// All values, in pass order.
    ///
    /// - Returns: As many values as there were passes.
    /// - Throws: The first failure's error, or `CancellationError` if the baton was cancelled without one.
    @inlinable
    public func values() throws -> [Value] {
      if let failure = failures.first { throw failure.error }
      if isCancelled { throw CancellationError() }
      return try slots.map { try $0.result.get() }
    }

    /// Always 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of passes.
    @inlinable public var endIndex: Int { slots.count }

    /// The result of one pass.
    /// - Parameter position: How many passes were made before it.
    @inlinable public subscript(position: Int) -> Result<Value, any Error> { slots[position].result }
  }
}
