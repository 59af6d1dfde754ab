// What a run of a cascade must have done at any moment, worked out the slow and simple way.

@testable import Baton

/// A run whose loads come back one at a time: first in, first out, and every branch looked at anew each time.
struct CascadeModel {
  enum State { case waiting, out, loaded, failed, cancelled }

  let tree: Tree<Int>
  let roots: [Int]
  let limit: Int
  private(set) var states: [Int: State] = [:]
  /// All that has started, in that order.
  private(set) var started: [Int] = []
  private(set) var isCancelled = false
  private var ready: [Int] = []

  init(_ tree: Tree<Int>, roots: [Int], limit: Int?) {
    self.tree = tree
    self.roots = roots
    self.limit = limit ?? .max
    discover(roots)
    startReady()
  }

  var out: [Int] { started.filter { states[$0] == .out } }
  var isDone: Bool { states.values.allSatisfy { $0 != .waiting && $0 != .out } }

  mutating func comeBack(_ id: Int) {
    if tree.failing.contains(id) {
      states[id] = .failed
    } else {
      states[id] = .loaded
      discover(tree.children[id] ?? [])
    }
    startReady()
  }

  mutating func cancel() {
    isCancelled = true
    for id in ready { states[id] = .cancelled }
    ready = []
  }

  private mutating func discover(_ ids: [Int]) {
    var ids = ids
    while !ids.isEmpty {
      let new = ids.filter { id in
        guard states[id] == nil else { return false }
        states[id] = isCancelled ? .cancelled : .waiting
        return !isCancelled
      }
      ids = []
      for id in new {
        if tree.atHand.contains(id) {
          states[id] = .loaded
          ids += tree.children[id] ?? []
        } else {
          ready.append(id)
        }
      }
    }
  }

  private mutating func startReady() {
    while !ready.isEmpty, out.count < limit {
      let id = ready.removeFirst()
      states[id] = .out
      started.append(id)
    }
  }

  /// What a root reaches, as far as is known.
  func reached(from root: Int) -> Set<Int> {
    var (seen, stack): (Set<Int>, [Int]) = ([root], [root])
    while let id = stack.popLast() {
      guard states[id] == .loaded else { continue }
      for child in tree.children[id] ?? [] where seen.insert(child).inserted { stack.append(child) }
    }
    return seen
  }

  /// The roots whose branches must have been reported by now.
  var complete: Set<Int> {
    Set(roots).filter { root in reached(from: root).allSatisfy { states[$0] != .waiting && states[$0] != .out } }
  }

  /// What is wrong with the report of this run; empty if nothing is.
  func faults(of report: Tree<Int>.Cascade.Report) -> [String] {
    var faults: [String] = []
    func check(_ isTrue: Bool, _ fault: @autoclosure () -> String) { if !isTrue { faults.append(fault()) } }
    let all = states.keys
    check(
      report.resources == Dictionary(uniqueKeysWithValues: all.filter { states[$0] == .loaded }.map { ($0, $0) }),
      "resources: \(report.resources)")
    check(Set(report.failures.keys) == all.filter { states[$0] == .failed }.asSet, "failures: \(report.failures)")
    check(report.outcome.isCancelled == (isCancelled || !report.failures.isEmpty), "\(report.outcome)")
    check(
      Set(report.outcome.failures.compactMap(\.label)) == Set(report.failures.keys.map(String.init)),
      "\(report.outcome)")
    check(Set(report.branches.keys) == Set(roots), "branches: \(report.branches.keys)")
    for (root, branch) in report.branches {
      let reached = reached(from: root)
      let failed = reached.filter { states[$0] != .loaded }
      check(branch.ids == reached, "\(root) reaches \(branch.ids), not \(reached)")
      check(branch.outcome.isCancelled == !failed.isEmpty, "\(root): \(branch.outcome)")
      let labels = failed.filter { states[$0] == .failed }.map(String.init)
      check(branch.outcome.failures.compactMap(\.label).sorted() == labels.sorted(), "\(root): \(branch.outcome)")
    }
    return faults
  }
}

extension Sequence where Element: Hashable {
  fileprivate var asSet: Set<Element> { Set(self) }
}
