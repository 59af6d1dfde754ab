// Several observers in one.

extension Baton {
  /// An observer that tells several, one after the other, in their order.
  ///
  /// ```swift
  /// let roster = Baton.Roster()
  /// let timeline = Baton.Timeline()
  /// let query = Baton(name: "Query", observer: Baton.Observers([roster, timeline])) { _ in }
  /// ```
  public struct Observers: Observer {
    private let observers: [any Observer]

    /// Makes an observer that tells several.
    /// - Parameter observers: Who is told, in this order; one that stands here twice is told twice. May be empty.
    public init(_ observers: [any Observer]) { self.observers = observers }

    /// Tells each observer in turn, on the calling thread.
    ///
    /// - Parameters:
    ///   - identity: Which baton.
    ///   - event: What.
    /// - Complexity: O(number of observers), besides what they do.
    public func baton(_ identity: Identity, _ event: Event) {
      for observer in observers { observer.baton(identity, event) }
    }
  }
}

extension Baton.Observers: HolderNaming {
  /// The first roster's answer: two of them would say the same twice.
  func holders(of identity: Baton.Identity, withDescendants: Bool) -> [Baton.Roster.Holder]? {
    for case let observer as any HolderNaming in observers {
      if let holders = observer.holders(of: identity, withDescendants: withDescendants) { return holders }
    }
    return nil
  }
}

extension Baton.Observers: RunnerWatching {
  func baton(_ identity: Baton.Identity, pass id: UInt64, _ stage: RunnerStage, at instant: ContinuousClock.Instant) {
    for case let observer as any RunnerWatching in observers { observer.baton(identity, pass: id, stage, at: instant) }
  }
}
