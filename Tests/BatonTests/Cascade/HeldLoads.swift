// Loads that are out until a test has them come back.

import Synchronization

@testable import Baton

/// Holds the passes of all loads that have started, and counts.
final class HeldLoads<ID: Hashable & Sendable>: Sendable {
  typealias Cascade = Baton.Cascade<ID, ID>

  private struct State: Sendable {
    var passes: [(id: ID, pass: Cascade.Pass)] = []
    var started: [ID] = []
    var mostOut = 0

    mutating func take(_ id: ID) -> Cascade.Pass? {
      passes.firstIndex { $0.id == id }.map { passes.remove(at: $0).pass }
    }
  }

  let tree: Tree<ID>
  private let state = Mutex(State())

  init(_ tree: Tree<ID>) { self.tree = tree }

  /// A cascade of these loads.
  func cascade(
    name: String? = nil, limit: Baton.Limiter? = nil, retry: Baton.Retry = .never,
    observer: (any Baton.Observer)? = nil
  ) -> Cascade {
    Cascade(name: name, limit: limit, retry: retry, observer: observer, alreadyHave: tree.alreadyHave) { id, pass in
      self.start(id, pass)
    }
  }

  private func start(_ id: ID, _ pass: Cascade.Pass) {
    state.withLock { state in
      state.passes.append((id, pass))
      state.started.append(id)
      state.mostOut = max(state.mostOut, state.passes.count)
    }
  }

  /// All that have started, in that order.
  var started: [ID] { state.withLock { $0.started } }
  /// All that are out, in the order of their start.
  var out: [ID] { state.withLock { $0.passes.map(\.id) } }
  /// How many were out at the same time, at most.
  var mostOut: Int { state.withLock { $0.mostOut } }

  /// Takes a load's pass, to be settled by the caller.
  func take(_ id: ID) -> Cascade.Pass? { state.withLock { $0.take(id) } }

  /// Has a load come back, with what the tree says of it.
  /// - Returns: False if it isn't out.
  @discardableResult
  func comeBack(_ id: ID) -> Bool {
    guard let pass = take(id) else { return false }
    pass.finish(with: tree.result(id))
    return true
  }

  /// Has loads come back, the first that started first, until none is out.
  func allComeBack() { while let id = out.first { comeBack(id) } }
}

/// The report of a run, and what came before it.
final class Reported<ID: Hashable & Sendable>: Sendable {
  typealias Cascade = Baton.Cascade<ID, ID>

  /// Branches in the order in which they were told of.
  let branches = Log<Cascade.Branch>()
  private let reports = Log<Cascade.Report>()
  let run: CascadeRun<ID, ID>

  /// Starts a run as `branches(from:)` does, and tells of each branch when it has been noted.
  init(_ cascade: Cascade, _ roots: [ID], onBranch: (@Sendable (Cascade.Branch) -> Void)? = nil) {
    run = CascadeRun(cascade, roots) { [branches] branch in
      branches.add(branch)
      onBranch?(branch)
    }
    run.start { [reports] in reports.add($0) }
  }

  var baton: Baton { run.baton }
  /// The roots of the branches that are complete, in that order.
  var complete: [ID] { branches.all.map(\.root) }
  /// The report, if there was one exactly.
  var report: Cascade.Report? { reports.count == 1 ? reports.all.first : nil }
  var reportCount: Int { reports.count }
}
