// Who still holds the baton, since when, from which line.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// An observer that knows at any moment who holds the batons that it watches.
  ///
  /// ```swift
  /// let roster = Baton.Roster()
  /// let query = Baton(name: "Query", observer: roster) { _ in … }
  /// …
  /// print(roster)                        // it hangs: who has not come back?
  /// ```
  ///
  /// prints
  ///
  /// ```
  /// 3 passes are out, the longest for 12.3 s.
  ///
  /// OUT FOR  HOLDER                            BATON              PASSED AT
  ///  12.3 s  "logo.png"                        Query › Downloads  App/Search.swift:12
  ///  12.1 s  "font.ttf", waiting for a permit  Query › Downloads  App/Search.swift:12
  ///  3.10 s  one bare pass                     Query
  /// ```
  ///
  /// One roster may watch any number of batons; their children are watched with them. A baton that is abandoned names its
  /// holders in its failures, and its `debugDescription` shows its part of the table.
  ///
  /// Only what is out takes memory. Each pass and each settle costs a dictionary access under a lock.
  public final class Roster: Observer, CustomStringConvertible {
    private let state = Mutex(RosterState())

    /// Makes an empty roster, to be set as the `observer` of batons.
    public init() {}

    /// Notes what happens. Called by the batons.
    ///
    /// - Parameters:
    ///   - identity: Which baton.
    ///   - event: What.
    /// - Complexity: O(1) on average.
    public func baton(_ identity: Identity, _ event: Event) {
      state.withLock { state in
        switch event {
        case .made: state.made(identity)
        case .passed(let pass):
          state.passed(identity, .of(pass), label: pass.label, location: pass.location, at: pass.instant)
        case .settled(let pass): state.settled(identity, .of(pass))
        case .completed: state.completed(identity)
        case .cancelled, .misused: break
        }
      }
    }

    /// Who holds any of the watched batons now, the longest first: one consistent snapshot.
    ///
    /// The bare passes of a baton are one entry. A child that is held in its turn is not an entry, its holders are.
    ///
    /// - Complexity: O(*n* log *n*) for *n* holders.
    public var holders: [Holder] {
      // Sorted outside the lock, so that no runner waits for it.
      state.withLock { $0 }.holders
    }

    /// The holders as a table, the longest first, at most 200 of them.
    public var description: String { description(at: .now) }

    func description(at instant: ContinuousClock.Instant) -> String { Self.table(of: holders, at: instant) }

    /// How many batons are noted: for tests.
    var openCount: Int { state.withLock { $0.openCount } }
  }
}

extension RosterState.Holder {
  fileprivate static func of(_ pass: Baton.PassDetails) -> RosterState.Holder {
    if let child = pass.child { return .child(id: child.id) }
    return pass.id.map { .pass(id: $0) } ?? .bare(count: pass.count)
  }
}

extension Baton.Roster: HolderNaming, RunnerWatching {
  func holders(of identity: Baton.Identity, withDescendants: Bool) -> [Holder]? {
    state.withLock { $0 }.holders(of: identity, withDescendants: withDescendants)
  }

  func baton(_ identity: Baton.Identity, pass id: UInt64, _ stage: RunnerStage, at instant: ContinuousClock.Instant) {
    state.withLock { $0.runner(identity, pass: id, stage, at: instant) }
  }
}
