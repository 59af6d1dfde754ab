// What the ten rules say that a baton does, one call after another, without a lock or an atomic in it.

/// All batons and passes of one sequence. An index stands for each.
struct Model {
  struct Hook {
    let id: Int
    let settles: Bool
  }

  struct Pass {
    let baton: Int
    var isInert = false
    var isSettled = false
    var hooks: [Hook] = []
    var holdsPermit = false
    /// Waits for a permit of its baton's limit.
    var isQueued = false
    /// Somebody holds the object: the sequence, or the line for a permit.
    var isHeld = true
  }

  enum CancelHandler {
    case own(Int)
    case pass(Int)
  }

  struct Handler {
    let id: Int
    var adds = false
  }

  struct Node {
    let parent: Int?
    var contained = false
    let limit: Int?
    var passed = 0
    var out = 0
    var isCancelled = false
    var isCancelledFromStart = false
    var isSealed = false
    var isAbandoned = false
    var failures: [Int] = []
    /// How many of them the parent heard at once, and whether it has heard that this one is cancelled.
    var heard = 0
    var hasSpoken = false
    var handlers: [Handler] = []
    var cancelHandlers: [CancelHandler] = []
    var children: [Int] = []
    var permitsOut = 0
    var line: [Int] = []
    /// Who keeps it: the sequence's own reference, passes, open children.
    var references = 1
    /// One of them is the sequence's own.
    var isHeld = true
    var log: [Event] = []
  }

  var nodes: [Node] = []
  var passes: [Pass] = []
  var misuses = Misuses()

  // MARK: Making

  mutating func make(parent: Int?, contained: Bool, limit: Int? = nil) {
    var parent = parent
    var isCancelled = false
    if let above = parent {
      isCancelled = nodes[above].isCancelled
      if nodes[above].isAbandoned {
        parent = nil  // Rule 4: on its own, cancelled from the start.
        isCancelled = true
      } else {
        nodes[above].passed += 1
        nodes[above].out += 1
        nodes[above].references += 1
        nodes[above].children.append(nodes.count)
      }
    }
    var node = Node(parent: parent, limit: limit)
    (node.contained, node.isCancelled, node.isCancelledFromStart) = (contained, isCancelled, isCancelled)
    nodes.append(node)
  }

  mutating func pass(_ baton: Int, _ count: Int = 1) {
    guard !nodes[baton].isAbandoned else { return }
    nodes[baton].passed += count
    nodes[baton].out += count
  }

  mutating func makePass(_ baton: Int) -> Int {
    passes.append(Pass(baton: baton, isInert: nodes[baton].isAbandoned))
    pass(baton)
    nodes[baton].references += 1
    return passes.count - 1
  }

  // MARK: Settling

  mutating func settleBare(_ baton: Int) {
    guard !nodes[baton].isAbandoned else { return }
    nodes[baton].out -= 1
    if nodes[baton].out == 0 { seal(baton) }
  }

  /// False if it was settled already.
  @discardableResult
  mutating func settle(_ pass: Int, error: Int? = nil, cancels: Bool = false, reportsLate: Bool = true) -> Bool {
    guard !passes[pass].isSettled else { return false }
    passes[pass].isSettled = true
    handBack(pass, error: error, cancels: cancels, reportsLate: reportsLate)
    return true
  }

  /// Hands back a pass that is marked as settled.
  mutating func handBack(_ pass: Int, error: Int? = nil, cancels: Bool = false, reportsLate: Bool = true) {
    let baton = passes[pass].baton
    passes[pass].hooks = []
    guard !passes[pass].isInert else { return }
    if cancels { cancel(baton, error) }
    if nodes[baton].isAbandoned {
      if reportsLate { misuses.late += 1 }
      return releasePermit(pass)
    }
    nodes[baton].out -= 1
    let isLast = nodes[baton].out == 0 && !nodes[baton].isSealed
    if isLast { nodes[baton].isSealed = true }
    releasePermit(pass)
    if isLast { complete(baton) }
  }

  // MARK: Cancelling (rule 5)

  /// True for the call that cancelled it.
  @discardableResult
  mutating func cancel(_ baton: Int, _ error: Int?) -> Bool {
    guard !nodes[baton].isSealed else { return false }
    let isFirst = !nodes[baton].isCancelled
    if let error, isFirst || error != noise { nodes[baton].failures.append(error) }
    guard isFirst else { return false }
    nodes[baton].isCancelled = true
    if error != nil { nodes[baton].heard = 1 }
    // Up, to the first ancestor that is cancelled already; then down.
    var chain = [baton]
    while let child = chain.last, !nodes[child].contained, let parent = nodes[child].parent, hear(parent, child, error)
    {
      chain.append(parent)
    }
    var told = Array(chain.reversed())
    var below = chain.flatMap { nodes[$0].children }
    while let next = below.popLast() {
      guard !nodes[next].isCancelled, !nodes[next].isSealed else { continue }
      nodes[next].isCancelled = true
      told.append(next)
      below += nodes[next].children
    }
    // All are flagged before the first handler runs.
    let handlers = told.map { (baton: $0, handlers: takeCancelHandlers($0)) }
    for (baton, handlers) in handlers {
      for handler in handlers {
        switch handler {
        case .own(let id): nodes[baton].log.append(Event(kind: .cancelHandler, id: id))
        case .pass(let pass): runHooks(pass)
        }
      }
    }
    return true
  }

  /// True if the ancestor is cancelled by this.
  mutating func hear(_ parent: Int, _ child: Int, _ error: Int?) -> Bool {
    guard !nodes[parent].isSealed, !nodes[child].hasSpoken else { return false }
    nodes[child].hasSpoken = true
    let isFirst = !nodes[parent].isCancelled
    if let error, isFirst || error != noise { nodes[parent].failures.append(error) }
    guard isFirst else { return false }
    nodes[parent].isCancelled = true
    if error != nil { nodes[parent].heard = 1 }
    return true
  }

  private mutating func takeCancelHandlers(_ baton: Int) -> [CancelHandler] {
    let taken = nodes[baton].cancelHandlers
    nodes[baton].cancelHandlers = []
    return taken
  }

  private mutating func runHooks(_ pass: Int) {
    if passes[pass].isQueued { withdraw(pass) }
    while !passes[pass].hooks.isEmpty {
      let hook = passes[pass].hooks.removeFirst()
      nodes[passes[pass].baton].log.append(Event(kind: .passCancelHandler, id: hook.id))
      if hook.settles { settle(pass) }
    }
  }

  mutating func onCancel(_ baton: Int, _ id: Int) {
    if nodes[baton].isCancelled {
      nodes[baton].log.append(Event(kind: .cancelHandler, id: id))
    } else if !nodes[baton].isSealed {
      nodes[baton].cancelHandlers.append(.own(id))
    }
  }

  mutating func onCancel(ofPass pass: Int, _ hook: Hook) {
    let baton = passes[pass].baton
    guard !passes[pass].isSettled else { return }
    guard nodes[baton].isCancelled || !nodes[baton].isSealed else { return }
    passes[pass].hooks.append(hook)
    if nodes[baton].isCancelled { runHooks(pass) } else { nodes[baton].cancelHandlers.append(.pass(pass)) }
  }

  /// True for the call that ended it.
  mutating func abandon(_ baton: Int, _ error: Int?) -> Bool {
    let didCancel = cancel(baton, error)
    guard !nodes[baton].isSealed else { return didCancel && !nodes[baton].isAbandoned }
    if nodes[baton].out > 0 { nodes[baton].failures.append(-nodes[baton].out) }
    sealAbandoned(baton)
    return true
  }

  mutating func sealAbandoned(_ baton: Int) {
    nodes[baton].isSealed = true
    nodes[baton].isAbandoned = true
    nodes[baton].isCancelled = true
    complete(baton)
  }

  // MARK: Completing (rules 2 and 3)

  mutating func seal(_ baton: Int) {
    guard nodes[baton].out == 0, !nodes[baton].isSealed else { return }
    nodes[baton].isSealed = true
    complete(baton)
  }

  private mutating func complete(_ baton: Int) {
    let (isCancelled, failures) = (nodes[baton].isCancelled, nodes[baton].isCancelled ? nodes[baton].failures : [])
    nodes[baton].log.append(Event(kind: .completed, id: 0, cancelled: isCancelled))
    var index = 0
    while index < nodes[baton].handlers.count {
      run(nodes[baton].handlers[index], of: baton)
      index += 1
    }
    nodes[baton].handlers = []
    nodes[baton].cancelHandlers = []
    nodes[baton].children = []
    guard let parent = nodes[baton].parent else { return }
    if isCancelled, !nodes[baton].contained {
      let heard = nodes[baton].heard
      if hear(parent, baton, heard == 0 ? nil : failures.first) {
        fatalError("A child was cancelled, and nobody heard.")
      }
      if !nodes[parent].isSealed { nodes[parent].failures += failures.dropFirst(heard) }
    }
    nodes[parent].children.removeAll { $0 == baton }
    settleBare(parent)
    release(parent)
  }

  func outcome(_ baton: Int) -> [Int] { nodes[baton].isCancelled ? nodes[baton].failures : [] }

  mutating func run(_ handler: Handler, of baton: Int) {
    let event = Event(
      kind: .handler, id: handler.id, cancelled: nodes[baton].isCancelled, failures: outcome(baton))
    nodes[baton].log.append(event)
    guard handler.adds, nodes[baton].isHeld else { return }
    // Joins the end of the line while the rest is being handed out; runs at once after that.
    nodes[baton].handlers.append(Handler(id: -handler.id))
  }

  mutating func onCompletion(_ baton: Int, _ handler: Handler) {
    guard nodes[baton].isSealed else { return nodes[baton].handlers.append(handler) }
    run(handler, of: baton)
    while !nodes[baton].handlers.isEmpty { run(nodes[baton].handlers.removeFirst(), of: baton) }
  }
}
