// Trees to load, and a plain reference that says what must come of it.

import Foundation
import Testing

@testable import Baton

/// What there is to load: ids that name ids, shared and in circles, some of which fail and some of which are at hand.
struct Tree<ID: Hashable & Sendable>: Sendable {
  var children: [ID: [ID]]
  var failing: Set<ID> = []
  var atHand: Set<ID> = []

  /// What is loaded is the id itself.
  typealias Cascade = Baton.Cascade<ID, ID>

  /// Why a load failed that is to fail.
  struct NotThere: Error, Hashable, Sendable {
    let id: ID
  }

  func loaded(_ id: ID) -> Cascade.Loaded { .init(id, children: children[id] ?? []) }

  func result(_ id: ID) -> Result<Cascade.Loaded, NotThere> {
    failing.contains(id) ? .failure(NotThere(id: id)) : .success(loaded(id))
  }

  var alreadyHave: @Sendable (ID) -> Cascade.Loaded? {
    { id in atHand.contains(id) ? loaded(id) : nil }
  }

  /// Depth first, without any thought of who shares what.
  func reached(from root: ID) -> Set<ID> {
    var seen: Set<ID> = [root]
    var stack = [root]
    while let id = stack.popLast() {
      if failing.contains(id) { continue }
      for child in children[id] ?? [] where seen.insert(child).inserted { stack.append(child) }
    }
    return seen
  }

  /// What is wrong with a report of a run that nobody cancelled; empty if nothing is. The loads are in any order.
  func faults(
    of report: Cascade.Report, roots: [ID], loads: [ID], name: String? = nil
  ) -> [String] {
    var faults: [String] = []
    func check(_ isTrue: Bool, _ fault: @autoclosure () -> String) { if !isTrue { faults.append(fault()) } }
    var all: Set<ID> = []
    check(Set(report.branches.keys) == Set(roots), "branches of \(report.branches.keys), not of \(roots)")
    for (root, branch) in report.branches {
      let reached = reached(from: root)
      all.formUnion(reached)
      check(branch.root == root, "the branch of \(root) begins at \(branch.root)")
      check(branch.ids == reached, "\(root) reaches \(reached), not \(branch.ids)")
      faults += self.faults(of: branch.outcome, failing: failing.intersection(reached), name: name, "\(root)")
    }
    faults += self.faults(of: report.outcome, failing: failing.intersection(all), name: name, "the run")
    check(Set(report.failures.keys) == failing.intersection(all), "failures: \(report.failures)")
    check(report.failures.allSatisfy { ($1 as? NotThere)?.id == $0 }, "others' failures: \(report.failures)")
    check(Set(report.resources.keys) == all.subtracting(failing), "resources of \(report.resources.keys)")
    check(report.resources.allSatisfy { $0 == $1 }, "others' resources: \(report.resources)")
    check(loads.count == Set(loads).count, "loaded more than once, of \(loads.count) loads")
    check(Set(loads) == all.subtracting(atHand), "loaded: \(loads)")
    return faults
  }

  private func faults(
    of outcome: Baton.Outcome, failing: Set<ID>, name: String?, _ what: String
  ) -> [String] {
    let failures = outcome.failures
    var faults: [String] = []
    if outcome.isCancelled != !failing.isEmpty || failures.count != failing.count
      || Set(failures.compactMap { ($0.error as? NotThere)?.id }) != failing
    {
      faults.append("\(what) failed by \(failures), not by \(failing)")
    }
    for failure in failures {
      guard let error = failure.error as? NotThere else { continue }
      if failure.path != (name.map { [$0] } ?? []) + ["\(error.id)"] { faults.append("\(failure.path) in \(what)") }
    }
    return faults
  }
}

/// The tree of gnome.tsv, with its sizes.
struct Gnome: Sendable {
  let tree: Tree<String>
  let bytes: [String: Int]
  /// The package `gnome`.
  let root = "gnome"
  /// What `gnome` names: the branches of the treefetch program.
  var mainBranches: [String] { tree.children[root] ?? [] }

  static let shared = Result { try Gnome() }

  private init() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../Examples/Sources/TreeFetch/Resources/gnome.tsv")
    let text = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    var (children, bytes): ([String: [String]], [String: Int]) = ([:], [:])
    for line in text.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      try #require(columns.count == 3)
      let name = String(columns[0])
      bytes[name] = Int(columns[1])
      children[name] = columns[2].split(separator: " ").map(String.init)
    }
    self.tree = Tree(children: children)
    self.bytes = bytes
  }
}

/// Random numbers that are the same for the same seed (SplitMix64, Steele et al. 2014).
struct Seeded: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

extension Tree<Int> {
  /// A random one: sometimes sparse, sometimes dense, with circles, self references and ids listed twice.
  init(random seed: UInt64, upTo most: Int) {
    var random = Seeded(seed)
    let count = Int.random(in: 1...most, using: &random)
    let mostChildren = Int.random(in: 1...6, using: &random)
    let (failing, atHand) = (Int.random(in: 0...3, using: &random), Int.random(in: 0...3, using: &random))
    self.init(children: [:])
    for id in 0..<count {
      children[id] = (0..<Int.random(in: 0...mostChildren, using: &random)).map { _ in
        Int.random(in: 0..<count, using: &random)
      }
      switch Int.random(in: 0..<12, using: &random) {
      case ..<failing: self.failing.insert(id)
      case (12 - atHand)...: self.atHand.insert(id)
      default: break
      }
    }
  }
}
