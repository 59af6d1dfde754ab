// CascadeGraph: the graph that a cascade discovers, by index: who reaches what, and which branches are complete.

/// What is to be done after a transition.
@usableFromInline
struct CascadeDecision: Sendable, Equatable {
  /// The ids to load that the transition discovered, in the order in which they are to start.
  @usableFromInline var loads: Range<Int>
  /// The branches that the transition completed, in the order of the roots.
  @usableFromInline var completed: [Int]
}

/// Where an id is on its way.
@usableFromInline
enum CascadeLoadState: UInt8, Sendable {
  /// Discovered, not started. Then `loading`, or any of the others: `loaded` if it was at hand.
  case waiting
  /// Started, also while it waits for its next attempt. Then `loaded` or `failed`; `cancelled` if the run is abandoned.
  case loading
  /// Settled: its children are known, and its branches reach them. Final.
  case loaded
  /// Settled: it has no children, and every branch that reaches it has failed. Final.
  case failed
  /// Settled by the run's cancellation or abandonment, else as `failed`. Final.
  case cancelled

  @inlinable var isSettled: Bool { self != .waiting && self != .loading }
  var isFailure: Bool { self == .failed || self == .cancelled }
}

/// The part of `CascadeState` that speaks of indices only.
///
/// ## Invariants
/// - **G1** Indices are dense, in the order of discovery, roots first; an id keeps its index.
/// - **G2** States go forwards only, as `CascadeLoadState` says. Only what is loaded has edges, and gets them at once.
/// - **G3** A branch is in an id's reach exactly if a path of edges leads there from its root.
/// - **G4** A branch's `pending` is the number of ids in its reach that haven't settled, its `failing` of those that
///   failed or were cancelled.
/// - **G5** A branch is complete exactly if its `pending` is 0. It was reported then, once, and reaches nothing more.
/// - **G6** `failures` holds each id that failed or was cancelled once, in the order in which they did; those of a
///   complete branch come before its `failuresBefore`.
/// - **G7** An id has a row of bits exactly if two branches or more reach it, and shares it with no other id. With one
///   root there are no rows, and memory is O(ids + edges).
/// - **G8** Nothing waits once the run is cancelled.
///
/// ## How G3 is kept
/// When an id is loaded, all branches in its reach (the wave) go down its edges. An id that the wave gives nothing new
/// stops it: by G3 all that lies below has those branches too. Any other has the whole wave afterwards, so none is
/// entered twice by one wave, circles end, and an id is entered once for each branch at most: O(branches × edges) in
/// the worst order, O(edges) with one root. A list of what is still to be entered replaces recursion.
@usableFromInline
struct CascadeGraph: Sendable {
  @usableFromInline
  struct Node: Sendable {
    var firstEdge: UInt32 = 0
    var edgeCount: UInt32 = 0
    /// 0 or more: the only branch that reaches the id. Below: `~row`, its row of bits. `Int32.min`: not yet reached.
    var reach: Int32 = .min
    @usableFromInline var state: CascadeLoadState = .waiting

    var edges: Range<Int> { Int(firstEdge)..<Int(firstEdge) + Int(edgeCount) }
  }

  struct Branch: Sendable {
    var pending: Int32 = 1
    var failing: Int32 = 0
    /// How many ids had failed when the branch was completed; -1 until then.
    var failuresBefore: Int32 = -1
  }

  /// Branches `word * 64 ..< word * 64 + 64`, a bit each.
  struct Bits: Sendable {
    var word: Int
    var bits: UInt64
  }

  @usableFromInline private(set) var nodes: [Node]
  /// The children of all loaded ids, end to end. What is appended is for the `loaded` that follows.
  @usableFromInline var edges: [Int32] = []
  private(set) var branches: [Branch]
  /// The rows of G7, end to end, `wordsPerRow` words each.
  private(set) var rows: [UInt64] = []
  let wordsPerRow: Int
  private(set) var failures: [Int32] = []
  private(set) var unsettled: Int
  private(set) var isCancelled = false

  /// Empty between transitions; kept for their storage.
  private var wave: [Bits] = []
  private var toEnter: [Int32] = []

  init(branchCount: Int) {
    nodes = (0..<branchCount).map { Node(reach: Int32($0)) }
    branches = Array(repeating: Branch(), count: branchCount)
    wordsPerRow = (branchCount + 63) / 64
    unsettled = branchCount
  }

  // MARK: Transitions

  @usableFromInline
  mutating func start(_ index: Int) -> Bool {
    guard nodes[index].state == .waiting else { return false }
    nodes[index].state = .loading
    return true
  }

  /// Settles an unsettled id as loaded. Its edges are the last `edgeCount`; they may lead to ids that are new.
  @usableFromInline
  mutating func loaded(_ index: Int, edgeCount: Int, idCount: Int) -> CascadeDecision {
    precondition(edges.count <= UInt32.max, "Cascade: \(edges.count) edges, more than \(UInt32.max)")
    let discovered = nodes.count..<idCount
    for _ in discovered { nodes.append(Node()) }
    unsettled += discovered.count
    nodes[index].firstEdge = UInt32(edges.count - edgeCount)
    nodes[index].edgeCount = UInt32(edgeCount)
    spread(from: index)

    // Only now, as the id's own pending count kept its branches from being complete before they had its children.
    var decision = CascadeDecision(loads: discovered, completed: [])
    settle(index, as: .loaded, &decision)
    if isCancelled {
      // What these complete they complete together, at the last: all are reached by the same branches.
      for child in discovered { settle(child, as: .cancelled, &decision) }
      decision.loads = discovered.upperBound..<discovered.upperBound
    }
    return decision
  }

  mutating func failed(_ index: Int) -> CascadeDecision {
    var decision = CascadeDecision(loads: nodes.count..<nodes.count, completed: [])
    settle(index, as: .failed, &decision)
    return decision
  }

  mutating func cancel(whileLoading: Bool) -> CascadeDecision {
    isCancelled = true
    var decision = CascadeDecision(loads: nodes.count..<nodes.count, completed: [])
    for index in nodes.indices {
      let state = nodes[index].state
      if state == .waiting || (whileLoading && state == .loading) { settle(index, as: .cancelled, &decision) }
    }
    decision.completed.sort()
    return decision
  }

  private mutating func settle(_ index: Int, as state: CascadeLoadState, _ decision: inout CascadeDecision) {
    nodes[index].state = state
    unsettled -= 1
    let failing: Int32 = state.isFailure ? 1 : 0
    if state.isFailure { failures.append(Int32(index)) }
    takeReach(of: index)
    for entry in wave.indices {
      let word = wave[entry].word
      var bits = wave[entry].bits
      while bits != 0 {
        let branch = word * 64 + bits.trailingZeroBitCount
        bits &= bits - 1
        branches[branch].pending -= 1
        branches[branch].failing += failing
        guard branches[branch].pending == 0 else { continue }
        branches[branch].failuresBefore = Int32(failures.count)
        decision.completed.append(branch)
      }
    }
    wave.removeAll(keepingCapacity: true)
  }

  // MARK: Reach

  /// Sends the branches that reach an id down its edges.
  private mutating func spread(from source: Int) {
    takeReach(of: source)
    let reach = nodes[source].reach
    toEnter.append(Int32(source))
    while let entered = toEnter.popLast() {
      for edge in nodes[Int(entered)].edges {
        let child = Int(edges[edge])
        // The common case, with one root the only one.
        if nodes[child].reach == reach { continue }
        if widenReach(of: child), nodes[child].state == .loaded { toEnter.append(Int32(child)) }
      }
    }
    wave.removeAll(keepingCapacity: true)
  }

  /// Makes a wave of the branches that reach an id.
  private mutating func takeReach(of index: Int) {
    let reach = nodes[index].reach
    if reach >= 0 {
      wave.append(Bits(word: Int(reach) / 64, bits: 1 << UInt64(reach % 64)))
    } else {
      let row = Int(~reach) * wordsPerRow
      for word in 0..<wordsPerRow where rows[row + word] != 0 {
        wave.append(Bits(word: word, bits: rows[row + word]))
      }
    }
  }

  /// Adds the wave to an id's reach, and the id to what its new branches count. False if they all reached it before.
  private mutating func widenReach(of index: Int) -> Bool {
    let reach = nodes[index].reach
    let state = nodes[index].state
    if reach == .min, wave.count == 1, wave[0].bits.nonzeroBitCount == 1 {
      let branch = wave[0].word * 64 + wave[0].bits.trailingZeroBitCount
      nodes[index].reach = Int32(branch)
      count(state, for: branch)
      return true
    }
    if reach >= 0 || reach == .min {
      // No wave that gets here is only the branch that is there already: `spread` compared them.
      nodes[index].reach = ~Int32(rows.count / wordsPerRow)
      for _ in 0..<wordsPerRow { rows.append(0) }
      if reach >= 0 { rows[rows.count - wordsPerRow + Int(reach) / 64] = 1 << UInt64(reach % 64) }
    }
    let row = Int(~nodes[index].reach) * wordsPerRow
    var isWider = false
    for entry in wave.indices {
      let word = wave[entry].word
      var added = wave[entry].bits & ~rows[row + word]
      guard added != 0 else { continue }
      isWider = true
      rows[row + word] |= added
      if state == .loaded { continue }  // Counts for nothing.
      while added != 0 {
        count(state, for: word * 64 + added.trailingZeroBitCount)
        added &= added - 1
      }
    }
    return isWider
  }

  private mutating func count(_ state: CascadeLoadState, for branch: Int) {
    switch state {
    case .waiting, .loading: branches[branch].pending += 1
    case .loaded: break
    case .failed, .cancelled: branches[branch].failing += 1
    }
  }
}
