// Who holds which baton, as a pure struct.

/// Which batons are open, and which passes of them are out.
///
/// Its owner keeps it behind a lock; nothing in it runs a user's code. Only what is out now takes space: a pass that was
/// handed back and a baton that completed leave nothing behind.
///
/// A baton is known from `made` to `completed`; what is said of any other one (a pass that comes late to an abandoned
/// baton, for example) is not noted.
struct RosterState: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// A pass that is out.
  private struct Held: Sendable {
    let label: String?
    let location: Baton.Location?
    let since: Instant
    /// How many were noted before this one: the order of two that came in the same instant.
    let number: UInt64
    /// How far the runner that holds it has come, if it had to wait, and since when.
    var stage: (RunnerStage, since: Instant)?
  }

  /// An open baton.
  private struct Open: Sendable {
    let identity: Baton.Identity
    var passes: [UInt64: Held] = [:]
    /// The passes that children hold, by the child's id.
    var children: [UInt64: Held] = [:]
    /// How many bare passes are out. Nobody can say which is which, so they are counted.
    ///
    /// Below zero for a moment where one thread hands back what another has counted, but not told of yet.
    var bareCount = 0
    /// The first of the bare passes since there was none.
    var bare: Held?
    var wasPassed = false

    var isIdle: Bool { passes.isEmpty && children.isEmpty && bareCount <= 0 }

    init(_ identity: Baton.Identity) { self.identity = identity }

    mutating func pass(_ held: Held, _ holder: Holder) {
      wasPassed = true
      switch holder {
      case .pass(let id): passes[id] = held
      case .child(let id): children[id] = held
      case .bare(let count):
        bareCount += count
        if bareCount > 0, bare == nil { bare = held }
      }
    }

    mutating func settle(_ holder: Holder) {
      switch holder {
      case .pass(let id): RosterState.remove(id, from: &passes)
      case .child(let id): RosterState.remove(id, from: &children)
      case .bare(let count):
        bareCount -= count
        if bareCount <= 0 { bare = nil }
      }
    }
  }

  /// What holds a pass.
  enum Holder: Sendable {
    case pass(id: UInt64)
    case child(id: UInt64)
    case bare(count: Int)
  }

  private var batons: [UInt64: Open] = [:]
  private var lastNumber: UInt64 = 0

  var openCount: Int { batons.count }

  // MARK: Noting

  mutating func made(_ identity: Baton.Identity) { batons[identity.id] = Open(identity) }

  mutating func completed(_ identity: Baton.Identity) { Self.remove(identity.id, from: &batons) }

  mutating func passed(
    _ identity: Baton.Identity, _ holder: Holder, label: String? = nil, location: Baton.Location? = nil,
    at instant: Instant
  ) {
    lastNumber += 1
    let held = Held(label: label, location: location, since: instant, number: lastNumber)
    batons[identity.id]?.pass(held, holder)
  }

  mutating func settled(_ identity: Baton.Identity, _ holder: Holder) { batons[identity.id]?.settle(holder) }

  mutating func runner(_ identity: Baton.Identity, pass id: UInt64, _ stage: RunnerStage, at instant: Instant) {
    batons[identity.id]?.passes[id]?.stage = (stage, instant)
  }

  /// Removes an entry, and with the last of many the space that they took: a dictionary never shrinks of its own accord.
  private static func remove<Value>(_ key: UInt64, from dictionary: inout [UInt64: Value]) {
    dictionary.removeValue(forKey: key)
    if dictionary.isEmpty, dictionary.capacity > 64 { dictionary = [:] }
  }

  // MARK: Asking

  /// Who holds any of the batons, the longest first.
  var holders: [Baton.Roster.Holder] { Self.sorted(batons.values.flatMap(rows)) }

  /// Who holds one baton, and perhaps what its children hold; nil if it isn't open.
  func holders(of identity: Baton.Identity, withDescendants: Bool) -> [Baton.Roster.Holder]? {
    guard batons[identity.id] != nil else { return nil }
    var found: [Row] = []
    // A list, not recursion: trees may be deep (rule 8).
    var pending = [identity.id]
    while let id = pending.popLast() {
      guard let open = batons[id] else { continue }
      found += rows(open)
      if withDescendants { pending += open.children.keys }
    }
    return Self.sorted(found)
  }

  private struct Row {
    let holder: Baton.Roster.Holder
    let number: UInt64
  }

  /// A baton's own part. The pass of a child that is held in its turn is not a row: what the child is held by, is.
  private func rows(_ open: Open) -> [Row] {
    func row(_ held: Held, _ kind: Baton.Roster.Holder.Kind, count: Int = 1) -> Row {
      let holder = Baton.Roster.Holder(
        baton: open.identity, kind: kind, label: held.label, location: held.location, count: count, since: held.since,
        stageSince: held.stage?.since)
      return Row(holder: holder, number: held.number)
    }
    var rows = open.passes.values.map { held in
      switch held.stage?.0 {
      case .waitsForPermit: row(held, .waitingRunner)
      case .waitsForAttempt: row(held, .waitingAttempt)
      case .begins, nil: row(held, .pass)
      }
    }
    if let bare = open.bare { rows.append(row(bare, .barePasses, count: open.bareCount)) }
    for (id, held) in open.children {
      switch batons[id] {
      case nil: rows.append(row(held, .completedChild))
      case let child? where child.isIdle: rows.append(row(held, child.wasPassed ? .completedChild : .unpassedChild))
      default: break
      }
    }
    return rows
  }

  private static func sorted(_ rows: [Row]) -> [Baton.Roster.Holder] {
    rows.sorted { ($0.holder.since, $0.number) < ($1.holder.since, $1.number) }.map(\.holder)
  }
}
