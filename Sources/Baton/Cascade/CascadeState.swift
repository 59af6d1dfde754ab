// CascadeState: what a run of a cascade decides, as a value: which ids to load next, and which branches are complete.

/// The decisions of one run of a cascade. Its owner locks, asks, unlocks, and does what the answer says.
///
/// An id gets an index when it is first heard of, and is spoken of by that index from then on. Indices count up in the
/// order of discovery, the roots first, so that
/// - a branch has its root's index: `0..<branchCount`;
/// - what one decision discovers is a range, in the order in which the children were listed;
/// - what is loaded in the order of the indices is loaded breadth first.
///
/// The logic proper is `CascadeGraph`, which knows indices only and is therefore compiled once, for every `ID`; its
/// numbered invariants cover this type as well.
///
/// ## An id's states
/// `CascadeLoadState` says what each means and what may follow it. Whoever settles an id first settles it: a second
/// settle (it can come honestly, when a cancellation overtakes the supply of what is at hand) changes nothing, and
/// `nil` tells its caller to drop what it brought.
///
/// ## Whose a load is
/// The run's. No branch owns a load, starts one or stops one, so one branch's failure takes nothing from another.
///
/// ## When a branch is complete
/// A branch reaches its root, and every child of a loaded id that it reaches, whenever and through whichever parent it
/// gets there. It is complete once all that it reaches has settled: at once, then, if the last id that it waited for
/// leads only to what is settled already, and in circles too, as what is asked is never whether the children are
/// complete. It failed if one of those ids failed.
///
/// ## What the run does around it
/// Permits and attempts are the limiter's and the run's: to this type, a load that waits for its next attempt is
/// `loading`. What was loaded and why something failed stay outside too.
///
/// ## The user's code
/// An id's `hash(into:)` runs once for each time that it is listed: in `CascadeChildren.init`, outside the lock. No
/// `deinit` of the user's can run inside: nothing in here is ever removed, and what comes in stays its caller's to
/// release (which is why children are an array, and not any sequence). What remains is `==`, asked where hashes agree,
/// that is, mostly of equal ids. An owner that wants not even that under its lock takes the state out of its mutex to
/// ask, and meanwhile queues what else settles.
@usableFromInline
struct CascadeState<ID: Hashable & Sendable>: Sendable {
  @usableFromInline private(set) var ids: CascadeIDs<ID>
  @usableFromInline private(set) var graph: CascadeGraph

  /// A run's state before anything has started. The first loads are the roots': `0..<branchCount`.
  ///
  /// - Parameter roots: what to load, a branch each. One listed again counts once; with none, the run is done.
  init(roots: [ID]) {
    ids = CascadeIDs()
    var indices: [Int32] = []
    ids.add(CascadeChildren(roots), to: &indices)
    graph = CascadeGraph(branchCount: ids.count)
    checkInvariants()
  }

  // MARK: Deciding

  /// Marks an id as loading. False when it isn't waiting any more, so that nothing must be started.
  @inlinable
  mutating func start(_ index: Int) -> Bool {
    defer { checkInvariants() }
    return graph.start(index)
  }

  /// An id's load is in, or was at hand.
  ///
  /// - Parameters:
  ///   - index: The id's.
  ///   - children: The ids that it names, in the order in which they are to start; duplicates do no harm.
  /// - Returns: `nil` when the id had settled before: what came with this call is surplus.
  @inlinable
  mutating func settled(_ index: Int, children: CascadeChildren<ID>) -> CascadeDecision? {
    guard !graph.state(at: index).isSettled else { return nil }
    defer { checkInvariants() }
    ids.add(children, to: &graph.edges)
    return graph.loaded(index, edgeCount: children.ids.count, idCount: ids.count)
  }

  /// An id's load failed, for good. `nil` when the id had settled before.
  @usableFromInline
  mutating func failed(_ index: Int) -> CascadeDecision? {
    guard !graph.state(at: index).isSettled else { return nil }
    defer { checkInvariants() }
    return graph.failed(index)
  }

  /// Settles all that hasn't started as cancelled, and from now on all that is discovered. What is loading goes on.
  @usableFromInline
  mutating func cancel() -> CascadeDecision {
    defer { checkInvariants() }
    return graph.cancel(whileLoading: false)
  }

  /// As `cancel()`, with what is loading as well: the run is done when this returns, and what still comes is surplus.
  @usableFromInline
  mutating func abandon() -> CascadeDecision {
    defer { checkInvariants() }
    return graph.cancel(whileLoading: true)
  }

  // MARK: Looking

  /// How many branches the run has, which is how many different roots it was given.
  @usableFromInline var branchCount: Int { graph.branchCount }

  /// How many ids have been discovered.
  @usableFromInline var count: Int { graph.count }

  /// Whether every id has settled, and so every branch is complete.
  @usableFromInline var isDone: Bool { graph.isDone }

  /// Whether the run was cancelled or abandoned.
  var isCancelled: Bool { graph.isCancelled }

  /// The id that has an index.
  @inlinable func id(at index: Int) -> ID { ids[index] }

  /// The ids that have these indices.
  @inlinable func ids(in range: Range<Int>) -> [ID] { ids[range] }

  /// The index of an id, if it has been discovered.
  func index(of id: ID) -> Int? { ids.index(of: id) }

  /// What has become of an id.
  func state(at index: Int) -> CascadeLoadState { graph.state(at: index) }

  /// Whether all that a branch reaches has settled.
  func isComplete(branch: Int) -> Bool { graph.isComplete(branch: branch) }

  /// The ids that failed or were cancelled and that a branch reaches, in the order in which they did.
  ///
  /// Nothing is stored for this but a count; a branch without failures costs nothing, another one reads backwards
  /// through the failures from before its completion until it has found its own.
  func failures(of branch: Int) -> [Int] { graph.failures(of: branch) }

  /// The ids that a branch reaches, as far as is known, breadth first from its root. O(what it reaches), and a bit for
  /// each id of the run.
  ///
  /// An array, as a set would hash the user's values under the owner's lock: make one of it outside.
  func ids(of branch: Int) -> [ID] { graph.indices(of: branch).map { ids[$0] } }

  /// Traps in debug builds where an invariant doesn't hold.
  @inlinable
  func checkInvariants() {
    #if DEBUG
    checkAll()
    #endif
  }

  #if DEBUG
  @usableFromInline
  func checkAll() {
    graph.checkInvariants()
    precondition(ids.count == graph.count, "G1: \(ids.count) ids have \(graph.count) indices")
    guard graph.isSmall else { return }
    for index in 0..<ids.count {
      precondition(ids.index(of: ids[index]) == index, "G1: the id at \(index) isn't found there")
    }
  }
  #endif
}
