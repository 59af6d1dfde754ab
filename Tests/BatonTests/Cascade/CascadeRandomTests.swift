// A cascade and a plain reference must agree, on random trees, large ones and a real one.

import Dispatch
import Foundation
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct CascadeRandomTests {
  /// A new one for each run; BATON_SEED=… repeats one that failed.
  static let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap(UInt64.init) ?? .random(in: 0...(.max))

  /// The rounds of which something was wrong.
  private func expectNone(
    _ faults: [(round: Int, [String])], at location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      faults.isEmpty, "BATON_SEED=\(Self.seed), round \(faults.first?.round ?? 0): \(faults.first?.1 ?? [])",
      sourceLocation: location)
  }

  private struct Round {
    var random: Seeded
    let tree: Tree<Int>
    let roots: [Int]
    let limit: Int?

    init(_ round: Int, upTo most: Int = 30) {
      var random = Seeded(CascadeRandomTests.seed &+ UInt64(round) &* 7_919)
      tree = Tree(random: random.next(), upTo: most)
      let count = tree.children.count
      roots = (0..<Int.random(in: 0...6, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) }
      limit = [nil, 1, 2, 3, 5].randomElement(using: &random) ?? nil
      self.random = random
    }

    var limiter: Baton.Limiter? { limit.map { Baton.Limiter($0) } }
  }

  // MARK: Step by step

  /// One run whose loads come back in random order, compared with the model after each; and cancelled, if it is to be.
  private func faultsOfSteps(_ number: Int, cancels: Bool) -> [String] {
    var round = Round(number)
    var model = CascadeModel(round.tree, roots: round.roots, limit: round.limit)
    let loads = HeldLoads(round.tree)
    let limiter = round.limiter
    let run = Reported(loads.cascade(limit: limiter), round.roots)
    var stepsToCancel = cancels ? Int.random(in: 0...20, using: &round.random) : .max
    var faults: [String] = []
    while true {
      // In the same order, so nothing is idle that could start; and nothing exceeds the limit, or starts twice.
      if loads.started != model.started { faults.append("started: \(loads.started), not \(model.started)") }
      if Set(run.complete) != model.complete { faults.append("complete: \(run.complete), not \(model.complete)") }
      if run.complete.count != Set(run.complete).count { faults.append("told twice: \(run.complete)") }
      if (run.reportCount > 0) != model.isDone { faults.append("reported while \(loads.out) are out") }
      if model.isDone || !faults.isEmpty { break }
      if stepsToCancel == 0 {
        run.baton.cancelAll()
        model.cancel()
      } else if let id = loads.out.randomElement(using: &round.random) {
        loads.comeBack(id)
        model.comeBack(id)
      }
      stepsToCancel -= 1
    }
    guard let report = run.report, faults.isEmpty else { return faults + ["\(run.reportCount) reports"] }
    if let limiter, limiter.counts != (0, 0) { faults.append("\(limiter.counts) in the limiter") }
    if !model.isCancelled {
      faults += round.tree.faults(of: report, roots: round.roots, loads: loads.started)
    }
    return faults + model.faults(of: report)
  }

  @Test func `500 random trees are loaded as the model says, step by step`() {
    let faults = (0..<500).map { ($0, faultsOfSteps($0, cancels: false)) }
    expectNone(faults.filter { !$1.isEmpty })
  }

  @Test func `500 random trees are cancelled as the model says, step by step`() {
    let faults = (500..<1_000).map { ($0, faultsOfSteps($0, cancels: true)) }
    expectNone(faults.filter { !$1.isEmpty })
  }

  // MARK: On several threads

  /// One run whose loads come back on other threads, cancelled or abandoned when so many have started, or never.
  private func faultsOfThreads(_ number: Int) async -> [String] {
    var round = Round(number, upTo: 60)
    let tree = round.tree
    let (loads, out, baton) = (Log<Int>(), Counter(), Holder<Baton>(nil))
    let ways = (0..<64).map { _ in Int.random(in: 0..<4, using: &round.random) }
    let endsAfter = Int.random(in: 0...loadsIfAll(tree, round.roots) * 2, using: &round.random)
    let abandons = Int.random(in: 0..<20, using: &round.random) == 0
    let end: @Sendable () -> Void = {
      if abandons { baton.current?.abandon(SomeError(0)) } else { baton.current?.cancelAll(SomeError(0)) }
    }
    let cascade = Tree.Cascade(name: "C", limit: round.limiter, alreadyHave: tree.alreadyHave) { id, pass in
      out.add()
      loads.add(id)
      if loads.count == endsAfter { DispatchQueue.global().async(execute: end) }
      let settle: @Sendable () -> Void = {
        out.add(-1)
        pass.finish(with: tree.result(id))
      }
      if ways[id % 64] == 0 { settle() } else { DispatchQueue.global().async(execute: settle) }
    }
    let reports = Log<(Tree<Int>.Cascade.Report, out: Int)>()
    let branches = Log<Tree<Int>.Cascade.Branch>()
    let run = CascadeRun(cascade, round.roots) { branches.add($0) }
    baton.put(run.baton)
    if endsAfter == 0 { DispatchQueue.global().async(execute: end) }
    run.start { reports.add(($0, out: out.value)) }
    let ending = await run.baton.ending
    // The report of an abandoned run may have to wait for a thread that is telling of a branch.
    await until { reports.count > 0 }
    guard ending != nil, reports.count == 1, let (report, stillOut) = reports.all.first else {
      return ["ended as \(String(describing: ending)), with \(reports.count) reports"]
    }
    var faults: [String] = []
    if !report.outcome.failures.contains(where: { $0.error is Baton.AbandonedError }) {
      faults = faultsOfCancelled(report, tree, round.roots, loads.all)
      if stillOut > 0 { faults.append("\(stillOut) out") }
    }
    if Set(report.branches.keys) != Set(round.roots) { faults.append("reported: \(report.branches.keys)") }
    if branches.all.map(\.root).sorted() != Set(round.roots).sorted() { faults.append("\(branches.all.map(\.root))") }
    if !report.outcome.failures.contains(where: { $0.error as? SomeError == SomeError(0) }) {
      faults += tree.faults(of: report, roots: round.roots, loads: loads.all, name: "C")
    }
    return faults
  }

  private func loadsIfAll(_ tree: Tree<Int>, _ roots: [Int]) -> Int {
    roots.reduce(into: Set()) { $0.formUnion(tree.reached(from: $1)) }.subtracting(tree.atHand).count
  }

  /// What must be true although nobody knows when the cancellation came.
  private func faultsOfCancelled(
    _ report: Tree<Int>.Cascade.Report, _ tree: Tree<Int>, _ roots: [Int], _ loads: [Int]
  ) -> [String] {
    var faults: [String] = []
    func check(_ isTrue: Bool, _ fault: @autoclosure () -> String) { if !isTrue { faults.append(fault()) } }
    check(loads.count == Set(loads).count, "loaded twice: \(loads)")
    let settled = Set(report.resources.keys).union(report.failures.keys)
    check(Set(loads) == settled.subtracting(tree.atHand), "of \(loads) there are \(settled)")
    check(Set(report.failures.keys) == tree.failing.intersection(loads), "failures: \(report.failures)")
    for (root, branch) in report.branches where !branch.outcome.isCancelled {
      check(branch.ids == tree.reached(from: root), "\(root) isn't complete with \(branch.ids)")
      check(branch.ids.allSatisfy { report.resources[$0] == $0 }, "\(root) is complete without its resources")
    }
    for (root, branch) in report.branches where branch.outcome.isCancelled {
      let failed = branch.ids.intersection(tree.failing)
      check(branch.ids.contains { report.resources[$0] == nil }, "\(root) failed with all of \(branch.ids)")
      check(Set(branch.outcome.failures.compactMap(\.label)).isSubset(of: failed.map(String.init)), "\(branch.outcome)")
    }
    return faults
  }

  @Test func `1,000 random trees are loaded and cancelled on several threads`() async {
    var faults: [(Int, [String])] = []
    for round in 1_000..<2_000 { faults.append((round, await faultsOfThreads(round))) }
    expectNone(faults.filter { !$1.isEmpty })
  }

  @Test func `300 random trees are loaded by tasks, with retries`() async {
    var faults: [(Int, [String])] = []
    for number in 2_000..<2_300 {
      let round = Round(number)
      let (tree, loads) = (round.tree, Log<Int>())
      let cascade = Tree.Cascade(
        limit: round.limiter, retry: .attempts(2) { $0 is SomeError }, alreadyHave: tree.alreadyHave
      ) { id in
        await Task.yield()
        // Every other one fails at first.
        if id % 2 == 0, !loads.all.contains(~id) {
          loads.add(~id)
          throw SomeError()
        }
        loads.add(id)
        return try tree.result(id).get()
      }
      let report = await cascade.run(round.roots)
      faults.append((number, tree.faults(of: report, roots: round.roots, loads: loads.all.filter { $0 >= 0 })))
    }
    expectNone(faults.filter { !$1.isEmpty })
  }
}
