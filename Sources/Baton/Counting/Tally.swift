// What a baton has counted so far.

extension Baton {
  /// One consistent snapshot of a baton's counts: `outstanding` is always `passed - settled`.
  public struct Tally: Sendable, Hashable {
    /// How often the baton was ever passed.
    public let passed: Int
    /// How many passes are still out.
    public let outstanding: Int
    /// How many passes were handed back, finished or cancelled.
    public var settled: Int { passed - outstanding }

    init(passed: Int, outstanding: Int) {
      self.passed = passed
      self.outstanding = outstanding
    }
  }
}

extension Baton.Tally: CustomStringConvertible {
  /// For example `3 passed, 1 settled, 2 out`.
  public var description: String { "\(passed) passed, \(settled) settled, \(outstanding) out" }
}
