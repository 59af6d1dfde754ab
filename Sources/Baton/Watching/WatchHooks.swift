// What a baton asks of the observers of this module, and tells them, beside the events that every observer gets.

/// An observer that knows who holds a baton.
protocol HolderNaming {
  /// Who holds an open baton, the longest first, perhaps with what its children hold; nil from one who doesn't know it.
  func holders(of identity: Baton.Identity, withDescendants: Bool) -> [Baton.Roster.Holder]?
}

/// How far a runner has come that didn't begin when its pass was made.
enum RunnerStage: Sendable {
  /// The attempt before it failed, and the time of this one has not come.
  case waitsForAttempt
  /// It waits for a permit of its baton's limit; or its baton was cancelled before it could begin.
  case waitsForPermit
  /// It has waited, and begins now.
  case begins
}

/// An observer that wants to know which runners wait.
///
/// Not an `Event`: those are a closed list that people switch over, and their meaning is the count, which a permit
/// doesn't change.
protocol RunnerWatching: Sendable {
  /// A runner that didn't begin at once has come to a stage. Of one that did, nothing is told.
  func baton(_ identity: Baton.Identity, pass id: UInt64, _ stage: RunnerStage, at instant: ContinuousClock.Instant)
}

extension Baton.Core {
  /// Who holds this baton, if an observer knows. Runs the observer's code: never under a lock.
  func holders(withDescendants: Bool) -> [Baton.Roster.Holder] {
    guard let naming = watch?.observer as? any HolderNaming, let identity else { return [] }
    return naming.holders(of: identity, withDescendants: withDescendants) ?? []
  }

  /// Whether anybody wants to know which runners wait.
  var watchesRunners: Bool { watch?.runners != nil }

  /// Tells how far a runner has come, to whom it concerns.
  func observe(_ pass: Baton.Pass, _ stage: RunnerStage) {
    guard let watching = watch?.runners, let identity else { return }
    watching.baton(identity, pass: Baton.PassDetails.id(of: pass), stage, at: .now)
  }
}

extension Baton.Failure {
  /// What the abandonment of a baton says of one of its holders: its label and its place, and how many passes it has.
  init(abandoned holder: Baton.Roster.Holder) {
    self.init(
      error: Baton.AbandonedError(outstanding: holder.count), label: holder.label, location: holder.location,
      lineage: holder.baton.lineage)
  }
}
