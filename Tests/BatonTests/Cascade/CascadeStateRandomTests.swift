// CascadeStateRandomTests: a cascade's decisions on random and on large graphs, against a reference that recomputes.

import Testing

@testable import Baton

@Suite struct CascadeStateRandomTests {
  /// A failure names its seed; to see it again, put that here.
  static let replay: UInt64? = nil

  @Test(arguments: CascadeGraphKind.allCases)
  func `agrees with the reference after every step`(kind: CascadeGraphKind) {
    for _ in 0..<(kind == .manyRoots ? 4 : 200) {
      let seed = Self.replay ?? .random(in: .min ... .max)
      var random = Seeded(seed)
      var script = CascadeScript(kind: kind, random: &random)
      guard script.run(&random) else {
        Issue.record("\(kind), seed \(seed): \(script.complaint)")
        return
      }
    }
  }

  @Test func `a chain of 100,000 that a second branch joins`() {
    let count = 100_000
    var state = CascadeState<Int>(roots: [0, -1])
    for id in 0..<count - 1 { _ = state.load(id, [id + 1]) }
    #expect(state.load(-1, [0])?.completed == [])
    #expect(state.fail(count - 1)?.completed == [0, 1])
    #expect(state.failures(of: 1) == state.failures(of: 0))
    #expect(state.ids(of: 1).count == count + 1)
  }

  @Test func `a circle of 20,000 with roots all around it`() {
    let count = 20_000
    let roots = (0..<50).map { $0 * 400 }
    var state = CascadeState<Int>(roots: roots)
    var completed: [Int] = []
    var index = 0
    while index < state.count {
      completed += state.load(state.id(at: index), [(state.id(at: index) + 1) % count])?.completed ?? []
      index += 1
    }
    #expect(completed == Array(0..<50))
    #expect(state.count == count)
    #expect(state.ids(of: 49).count == count)
  }

  @Test func `50 roots that share everything, loaded in any order`() {
    let seed = Self.replay ?? .random(in: .min ... .max)
    var random = Seeded(seed)
    let count = 3_000
    var children = (0..<count).map { _ in
      (0..<random.next(below: 8)).map { _ in random.next(below: count) }
    }
    for root in 0..<50 { children[root] += Array(50..<60) }
    let failing = Set((0..<20).map { _ in 60 + random.next(below: count - 60) })
    var state = CascadeState<Int>(roots: Array(0..<50))
    var out = Array(0..<50)
    var completed: [Int] = []
    while !out.isEmpty {
      out.swapAt(random.next(below: out.count), out.count - 1)
      let index = out.removeLast()
      let id = state.id(at: index)
      let decision = failing.contains(id) ? state.fail(id) : state.load(id, children[id])
      out += decision?.loads ?? 0..<0
      completed += decision?.completed ?? []
    }
    #expect(completed.sorted() == Array(0..<50), "seed \(seed)")
    for root in 0..<50 {
      let reached = CascadeReference.reach(from: root) { failing.contains($0) ? [] : children[$0] }
      #expect(Set(state.ids(of: root)) == reached, "seed \(seed)")
      #expect(Set(state.failures(of: root).map(state.id)) == reached.intersection(failing), "seed \(seed)")
    }
  }
}

/// The shapes of the graphs.
enum CascadeGraphKind: CaseIterable {
  case random, chain, fan, circle, shared, rootsOfEachOther, manyRoots

  /// Children by id; the roots are the first ids.
  func make(_ random: inout Seeded) -> (roots: [Int], children: [[Int]]) {
    let count = 1 + random.next(below: self == .manyRoots ? 250 : 40)
    let rootCount = self == .manyRoots ? count * 2 / 3 : min(count, random.next(below: 6))
    var children = [[Int]](repeating: [], count: count)
    func some(_ most: Int) -> [Int] { (0..<random.next(below: most + 1)).map { _ in random.next(below: count) } }
    for id in 0..<count {
      switch self {
      case .random, .manyRoots: children[id] = some(4)
      case .chain: children[id] = id + 1 < count ? [id + 1] : []
      case .fan: children[id] = id < rootCount ? Array(rootCount..<count).filter { _ in random.next(below: 4) > 0 } : []
      case .circle: children[id] = [(id + 1) % count] + (random.next(below: 8) == 0 ? some(1) : [])
      case .shared: children[id] = (id < rootCount ? Array(rootCount..<count).prefix(3) : []) + some(3)
      case .rootsOfEachOther: children[id] = (id < rootCount ? [(id + 1) % rootCount] : []) + some(2)
      }
    }
    let roots = (0..<rootCount).flatMap { Array(repeating: $0, count: random.next(below: 5) == 0 ? 2 : 1) }
    return (roots, children)
  }
}

/// What should have happened: recomputed from what has settled, by a search from each root. Nothing else is kept.
struct CascadeReference {
  struct Branch {
    var reached: Set<Int>
    var isComplete: Bool
    var failures: [Int]
  }

  var children: [[Int]]
  var roots: [Int]
  var loaded: Set<Int> = []
  /// In the order in which they failed.
  var failed: [Int] = []

  func branches() -> [Branch] {
    let settled = loaded.union(failed)
    return roots.map { root in
      let reached = Self.reach(from: root) { loaded.contains($0) ? children[$0] : [] }
      return Branch(
        reached: reached, isComplete: reached.isSubset(of: settled), failures: failed.filter(reached.contains))
    }
  }

  static func reach(from root: Int, _ children: (Int) -> [Int]) -> Set<Int> {
    var reached: Set = [root]
    var stack = [root]
    while let id = stack.popLast() {
      for child in children(id) where reached.insert(child).inserted { stack.append(child) }
    }
    return reached
  }
}

/// A run over a random graph: random starts, settles, failures and cancellations, each compared with the reference.
struct CascadeScript {
  var reference: CascadeReference
  var state: CascadeState<Int>
  var discovered: [Int]
  var branches: [CascadeReference.Branch]
  var cancelled = false
  var complaint = ""

  init(kind: CascadeGraphKind, random: inout Seeded) {
    let graph = kind.make(&random)
    discovered = (0..<graph.children.count).filter(graph.roots.contains)
    reference = CascadeReference(children: graph.children, roots: discovered)
    branches = reference.branches()
    state = CascadeState(roots: graph.roots)
  }

  mutating func run(_ random: inout Seeded) -> Bool {
    let failEvery = 2 + random.next(below: 20)
    let cancelAt = random.next(below: 4) == 0 ? random.next(below: 40) : .max
    let isAbandoned = random.next(below: 2) == 0
    var steps = 0
    while let index = unsettled.randomElement(using: &random) {
      steps += 1
      let known = discovered.count
      var decision: CascadeDecision?
      if steps == cancelAt {
        let ended = unsettled.filter { isAbandoned || state.state(at: $0) == .waiting }
        decision = isAbandoned ? state.abandon() : state.cancel()
        reference.failed += ended.map { discovered[$0] }
        cancelled = true
      } else if random.next(below: 3) == 0 {
        start(index)
        continue
      } else if random.next(below: failEvery) == 0 {
        decision = state.failed(index)
        reference.failed.append(discovered[index])
      } else {
        decision = load(index)
      }
      guard check(decision, known: known) else { return false }
    }
    return expect(state.isDone, "everything has settled, and the run isn't done")
  }

  var unsettled: [Int] { discovered.indices.filter { !state.state(at: $0).isSettled } }

  mutating func start(_ index: Int) {
    let waits = state.state(at: index) == .waiting
    expect(state.start(index) == waits, "start(_:) started what didn't wait")
  }

  mutating func load(_ index: Int) -> CascadeDecision? {
    let children = reference.children[discovered[index]]
    let decision = state.settled(index, children: CascadeChildren(children))
    reference.loaded.insert(discovered[index])
    for child in children where !discovered.contains(child) {
      discovered.append(child)
      if cancelled { reference.failed.append(child) }
    }
    expect(state.settled(index, children: CascadeChildren([9_999])) == nil, "an id settled twice")
    return decision
  }

  mutating func check(_ decision: CascadeDecision?, known: Int) -> Bool {
    let before = branches
    branches = reference.branches()
    let loads = cancelled ? discovered.count..<discovered.count : known..<discovered.count
    expect(decision?.loads == loads, "what is to be loaded isn't what was discovered")
    let completed = branches.indices.filter { branches[$0].isComplete && !before[$0].isComplete }
    expect(decision?.completed == completed, "other branches are complete")
    expect((0..<state.count).map(state.id) == discovered, "other ids were discovered")
    for (index, branch) in branches.enumerated() {
      expect(state.isComplete(branch: index) == branch.isComplete, "a branch is complete too early or too late")
      expect(state.failures(of: index).map(state.id) == branch.failures, "a branch has other failures")
      let ids = state.ids(of: index)
      expect(ids.count == branch.reached.count && Set(ids) == branch.reached, "a branch reaches other ids")
    }
    return complaint.isEmpty
  }

  @discardableResult
  mutating func expect(_ condition: Bool, _ text: String) -> Bool {
    if !condition, complaint.isEmpty { complaint = text }
    return complaint.isEmpty
  }
}

extension Seeded {
  fileprivate mutating func next(below bound: Int) -> Int { .random(in: 0..<bound, using: &self) }
}
