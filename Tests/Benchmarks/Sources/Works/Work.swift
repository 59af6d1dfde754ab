// One piece of work that can be measured, again and again.

/// One piece of work that can be measured.
///
/// What a round needs is made by `prepare`, which is not measured, and what it leaves behind is let go with the closure
/// that it returned, which isn't either.
public struct Work: Sendable {
  /// Who does the work.
  public let name: String
  /// Gets the number of operations; returns the round, to be called once.
  public let prepare: @Sendable (_ count: Int) -> () -> Void

  /// Makes work with something to prepare.
  ///
  /// - Parameters:
  ///   - name: Who does the work.
  ///   - prepare: Gets the number of operations; returns the round, to be called once.
  public init(preparing name: String, prepare: @escaping @Sendable (_ count: Int) -> () -> Void) {
    self.name = name
    self.prepare = prepare
  }

  /// Makes work that needs nothing.
  ///
  /// - Parameters:
  ///   - name: Who does the work.
  ///   - round: Gets the number of operations, and does them.
  public init(_ name: String, round: @escaping @Sendable (_ count: Int) -> Void) {
    self.init(preparing: name, prepare: { count in { round(count) } })
  }
}

/// The works of Baton, and the limits beside them, a namespace a row.
public enum Works {}
