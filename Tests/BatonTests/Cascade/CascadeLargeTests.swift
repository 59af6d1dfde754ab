// A cascade and a plain reference must agree on large trees, of every awkward shape, and on a real one.

import Foundation
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct CascadeLargeTests {
  /// What is wrong with a run of this tree whose loads settle at once; empty if nothing is.
  private func faults<ID: Hashable & Sendable>(
    _ tree: Tree<ID>, roots: [ID], limit: Baton.Limiter? = 8
  ) async -> [String] {
    let loads = Log<ID>()
    let cascade = Tree.Cascade(name: "C", limit: limit, alreadyHave: tree.alreadyHave) { id, pass in
      loads.add(id)
      pass.finish(with: tree.result(id))
    }
    return tree.faults(of: await cascade.run(roots), roots: roots, loads: loads.all, name: "C")
  }

  @Test func `a long chain`() async {
    let length = 100_000
    var tree = Tree(children: Dictionary(uniqueKeysWithValues: (0..<length).map { ($0, [$0 + 1]) }))
    #expect(await faults(tree, roots: [0]) == [])
    let end = length - 10_000
    tree.failing = [length - 1]
    #expect(await faults(tree, roots: [end, end + 100, length]) == [])
  }

  @Test func `a wide fan`() async {
    let width = 100_000
    let tree = Tree(children: [0: Array(1...width)], failing: [17, width])
    #expect(await faults(tree, roots: [0, 5, 17], limit: nil) == [])
  }

  @Test func `large circles that cross each other`() async {
    let length = 3_000
    var tree = Tree<Int>(children: [:])
    for id in 0..<length {
      tree.children[id] = [(id + 1) % length, (id * 7 + 3) % length, (id + length / 2) % length, id]
    }
    let roots = (0..<20).map { $0 * 150 }
    #expect(await faults(tree, roots: roots) == [])
    tree.failing = [1, 2_999]
    #expect(await faults(tree, roots: roots) == [])
  }

  @Test func `fifty roots that share everything`() async {
    var (tree, random) = (Tree<Int>(children: [:]), Seeded(1))
    for id in 0..<1_000 { tree.children[id] = (0..<6).map { _ in Int.random(in: 50..<1_000, using: &random) } }
    for id in 50..<1_000 { tree.children[id, default: []].append(id == 999 ? 50 : id + 1) }
    #expect(await faults(tree, roots: Array(0..<50)) == [])
    tree.failing = Set((0..<3).map { _ in Int.random(in: 50..<1_000, using: &random) })
    #expect(await faults(tree, roots: Array(0..<50)) == [])
  }

  // MARK: gnome.tsv

  @Test func `the packages of gnome`() async throws {
    let gnome = try Gnome.shared.get()
    #expect(gnome.tree.children.count == 1_139 && gnome.tree.children.values.reduce(0) { $0 + $1.count } == 6_012)
    #expect(await faults(gnome.tree, roots: [gnome.root]) == [])
    #expect(await faults(gnome.tree, roots: gnome.mainBranches) == [])
  }

  @Test func `the packages of gnome, of which some are not there and some at hand`() async throws {
    let gnome = try Gnome.shared.get()
    let names = gnome.tree.children.keys.sorted()
    for round in 0..<20 {
      let seed = CascadeRandomTests.seed &+ UInt64(round)
      var (random, tree) = (Seeded(seed), gnome.tree)
      tree.failing = Set((0..<round).compactMap { _ in names.randomElement(using: &random) })
      tree.atHand = Set((0..<round * 10).compactMap { _ in names.randomElement(using: &random) })
        .subtracting(tree.failing)
      let faults = await faults(tree, roots: gnome.mainBranches)
      #expect(faults == [], "BATON_SEED=\(CascadeRandomTests.seed), round \(round)")
    }
  }

  // MARK: Size

  #if DEBUG
  static let (ids, edges, roots) = (3_000, 13_000, 100)
  #else
  static let (ids, edges, roots) = (60_000, 260_000, 100)
  #endif

  /// Kilobytes of memory that this process has, or had at most.
  private static func memory(_ field: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }

  /// The largest tree that the design speaks of, in a process of its own, as the other tests take memory as well.
  @Test func `a large tree with a hundred roots takes seconds and hundreds of megabytes at most`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      await Self.loadLargeTree()
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }

  /// The figures are for who reads them, the bounds for a broken cascade.
  private static func loadLargeTree() async {
    var (children, random) = ([[Int]](repeating: [], count: ids), Seeded(2))
    // Each has a parent before it, so that all is reached; the rest of the edges lead anywhere.
    for id in roots..<ids { children[Int.random(in: 0..<id, using: &random)].append(id) }
    for _ in ids - roots..<edges {
      children[Int.random(in: 0..<ids, using: &random)].append(Int.random(in: 0..<ids, using: &random))
    }
    let tree = children
    let cascade = Baton.Cascade<Int, Int>(limit: 64) { id, pass in pass.finish(.init(id, children: tree[id])) }
    let before = memory("VmRSS")
    let start = ContinuousClock.now
    let report = await cascade.run(0..<roots)
    let time = ContinuousClock.now - start
    let growth = (memory("VmHWM") - before) / 1_024
    print("Cascade: \(ids) ids, \(edges) edges, \(roots) roots: \(time), peak growth \(growth) MB")
    precondition(report.resources.count == ids && report.branches.count == roots && !report.outcome.isCancelled)
    precondition(time < .seconds(60) && growth < 500)
  }
}
