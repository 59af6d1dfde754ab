// What an observer of batons is told.

extension Baton {
  /// Somebody who is told what happens to a baton and its descendants.
  ///
  /// An observer is set when a baton is made, and inherited by its children. It is called on the thread on which the thing
  /// happens, outside any lock: it may take its time, which the runner pays for, and it may use batons, also the observed
  /// one. Calls from several threads may come at the same time. A baton without an observer pays nothing for this.
  public protocol Observer: Sendable {
    /// Something happened to a baton.
    ///
    /// - Parameters:
    ///   - identity: Which baton.
    ///   - event: What.
    func baton(_ identity: Identity, _ event: Event)
  }

  /// Which baton an event is about. It doesn't keep the baton alive.
  public struct Identity: Sendable, Hashable {
    let lineage: Lineage

    /// Unique among the observed batons of this process, in the order of their making.
    public var id: UInt64 { lineage.id }
    /// The baton's name.
    public var name: String? { lineage.name }
    /// The baton of which this one is a child, if an observer is told of that one too.
    public var parent: Identity? {
      // Between two observed batons there may be none that isn't, but above the first there may be.
      lineage.parent.flatMap { $0.id == 0 ? nil : Identity(lineage: $0) }
    }
    /// The names from the root down to this baton.
    public var path: [String] { lineage.names }

    /// Two identities are the same when they are the same baton's.
    public static func == (left: Identity, right: Identity) -> Bool { left.id == right.id }
    /// Hashes the baton's id.
    /// - Parameter hasher: What it is hashed into.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// What can happen to an observed baton.
  public enum Event: Sendable {
    /// It was made.
    case made
    /// It was passed.
    case passed(PassDetails)
    /// A pass is about to be handed back; the count falls after this.
    case settled(PassDetails)
    /// It was cancelled, for the first time: by this failure, its own or a descendant's, if there was one.
    case cancelled(Failure?)
    /// It completed; the completion is about to be handed over.
    case completed(cancelled: Bool)
    /// Something was done that a careful program doesn't do.
    case misused(Misuse)
  }

  /// One pass, as an observer sees it.
  public struct PassDetails: Sendable {
    /// Which pass: the same in its `passed` and in its `settled` event, and no other's in between. Nil for a bare one.
    public let id: UInt64?
    /// The label, or the name of the child that holds the pass.
    public let label: String?
    /// Where the pass was made; nil for a bare one and for a child's.
    public let location: Location?
    /// How many bare passes; 1 for any other.
    public let count: Int
    /// The child that holds the pass, if one does.
    public let child: Identity?
    /// Why it is handed back without success: what it was cancelled with, `CancellationError` if that was nothing or if its
    /// runner never began. Of a gather or a cascade also what doesn't cancel the baton. Nil for a pass that finishes, for a
    /// child's, and in `passed`.
    public let error: (any Error)?
    /// When this happened.
    public let instant: ContinuousClock.Instant

    private init(
      id: UInt64?, label: String?, location: Location?, count: Int, child: Identity?, error: (any Error)? = nil
    ) {
      self.id = id
      self.label = label
      self.location = location
      self.count = count
      self.child = child
      self.error = error
      instant = .now
    }

    static func bare(count: Int, error: (any Error)? = nil) -> PassDetails {
      PassDetails(id: nil, label: nil, location: nil, count: count, child: nil, error: error)
    }

    static func of(_ pass: Pass, error: (any Error)? = nil) -> PassDetails {
      PassDetails(id: id(of: pass), label: pass.label, location: pass.location, count: 1, child: nil, error: error)
    }

    static func id(of pass: Pass) -> UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(pass))) }

    static func child(_ core: Core) -> PassDetails {
      PassDetails(id: core.identity?.id, label: core.name, location: nil, count: 1, child: core.identity)
    }
  }
}

extension Baton.Core {
  /// Who this is, for an observer. Nil for a baton that nobody observes.
  var identity: Baton.Identity? { isObserved ? lineage.map(Baton.Identity.init) : nil }

  /// Tells the observer, if there is one; only then is the event made.
  func observe(_ event: () -> Baton.Event) {
    if watch != nil { tell(event) }
  }

  /// Out of line, so that where nobody observes there is a look at a pointer and nothing more.
  @inline(never)
  private func tell(_ event: () -> Baton.Event) {
    guard let watch, let identity else { return }
    watch.observer.baton(identity, event())
  }
}
