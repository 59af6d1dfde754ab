// What a baton asks of the observers of this module, and tells them, beside the events that every observer gets.

/// An observer that knows who holds a baton.
protocol HolderNaming {
  /// Who holds an open baton, the longest first, perhaps with what its children hold; nil from one who doesn't know it.
  func holders(of identity: Baton.Identity, withDescendants: Bool) -> [Baton.Roster.Holder]?
}

/// An observer that wants to know which runners wait for a permit.
///
/// Not an `Event`: those are a closed list that people switch over, and their meaning is the count, which a permit
/// doesn't change.
protocol RunnerWatching {
  /// A runner began to wait for a permit of its baton's limit, or has it now.
  func baton(_ identity: Baton.Identity, pass id: UInt64, waits: Bool, at instant: ContinuousClock.Instant)
}

extension Baton.Core {
  /// Who holds this baton, if an observer knows. Runs the observer's code: never under a lock.
  func holders(withDescendants: Bool) -> [Baton.Roster.Holder] {
    guard let naming = watch?.observer as? any HolderNaming, let identity else { return [] }
    return naming.holders(of: identity, withDescendants: withDescendants) ?? []
  }

  /// Tells that a pass waits for a permit, or has got it, to whom it concerns.
  func observe(_ pass: Baton.Pass, waits: Bool) {
    guard let watching = watch?.observer as? any RunnerWatching, let identity else { return }
    watching.baton(identity, pass: Baton.PassDetails.id(of: pass), waits: waits, at: .now)
  }
}

extension Baton.PassDetails {
  static func id(of pass: Baton.Pass) -> UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(pass))) }
}

extension Baton.Failure {
  /// What the abandonment of a baton says of one of its holders: its label and its place, and how many passes it has.
  init(abandoned holder: Baton.Roster.Holder) {
    self.init(
      error: Baton.AbandonedError(outstanding: holder.count), label: holder.label, location: holder.location,
      lineage: holder.baton.lineage)
  }
}
