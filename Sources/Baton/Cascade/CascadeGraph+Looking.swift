// CascadeGraph+Looking: what can be asked of a cascade's graph, and the check of its invariants.

extension CascadeGraph {
  var count: Int { nodes.count }
  var branchCount: Int { branches.count }
  var isDone: Bool { unsettled == 0 }

  @inlinable func state(at index: Int) -> CascadeLoadState { nodes[index].state }

  func isComplete(branch: Int) -> Bool { branches[branch].pending == 0 }

  func reaches(_ index: Int, from branch: Int) -> Bool {
    let reach = nodes[index].reach
    if reach >= 0 { return reach == branch }
    return rows[Int(~reach) * wordsPerRow + branch / 64] & 1 << UInt64(branch % 64) != 0
  }

  func failures(of branch: Int) -> [Int] {
    var found: [Int] = []
    var missing = branches[branch].failing
    // From the end, since what completes a branch that has failed is often its failure.
    var position = isComplete(branch: branch) ? Int(branches[branch].failuresBefore) : failures.count
    while missing > 0 {
      position -= 1
      guard reaches(Int(failures[position]), from: branch) else { continue }
      found.append(Int(failures[position]))
      missing -= 1
    }
    found.reverse()
    return found
  }

  /// By the edges and not by reach, so that small branches of a large run cost little.
  func indices(of branch: Int) -> [Int] {
    var found = [branch]
    var seen = [UInt64](repeating: 0, count: (nodes.count + 63) / 64)
    seen[branch / 64] = 1 << UInt64(branch % 64)
    var next = 0
    while next < found.count {
      for edge in nodes[found[next]].edges {
        let child = Int(edges[edge])
        let bit: UInt64 = 1 << UInt64(child % 64)
        guard seen[child / 64] & bit == 0 else { continue }
        seen[child / 64] |= bit
        found.append(child)
      }
      next += 1
    }
    return found
  }

  #if DEBUG
  /// Whether the whole check is affordable at every transition.
  var isSmall: Bool { nodes.count <= 64 && edges.count <= 256 && branches.count <= 100 }

  /// Traps where an invariant doesn't hold. The graph is checked in full only while it is small, so that tests with
  /// large ones don't become quadratic.
  func checkInvariants() {
    precondition(unsettled >= 0 && unsettled <= nodes.count, "G4: \(unsettled) unsettled of \(nodes.count)")
    precondition(rows.isEmpty || branches.count > 1, "G7: rows for one branch")
    guard isSmall else { return }
    checkNodes()
    for branch in branches.indices { check(branch: branch) }
  }

  private func checkNodes() {
    precondition(unsettled == nodes.count { !$0.state.isSettled }, "G4: \(unsettled) aren't the unsettled")
    let failed = nodes.indices.filter { nodes[$0].state.isFailure }
    precondition(failures.map(Int.init).sorted() == failed, "G6: \(failures) aren't the failed \(failed)")
    var rowsSeen: Set<Int32> = []
    for (index, node) in nodes.enumerated() {
      precondition(node.state == .loaded || node.edgeCount == 0, "G2: \(index) has edges and is \(node.state)")
      precondition(node.reach != .min, "G3: nothing reaches \(index)")
      precondition(!isCancelled || node.state != .waiting, "G8: \(index) waits in a cancelled run")
      guard node.reach < 0 else { continue }
      let reachedBy = branches.indices.count { reaches(index, from: $0) }
      precondition(reachedBy > 1, "G7: \(index) has a row for \(reachedBy)")
      precondition(rowsSeen.insert(node.reach).inserted, "G7: \(index) shares row \(~node.reach)")
    }
    precondition(rows.count == rowsSeen.count * wordsPerRow, "G7: rows of no id")
  }

  private func check(branch: Int) {
    let reached = Set(indices(of: branch))
    for index in nodes.indices {
      precondition(reaches(index, from: branch) == reached.contains(index), "G3: \(branch) and \(index)")
    }
    let record = branches[branch]
    let pending = reached.count { !nodes[$0].state.isSettled }
    let failing = reached.count { nodes[$0].state.isFailure }
    precondition(record.pending == pending, "G4: \(branch) waits for \(pending), not \(record.pending)")
    precondition(record.failing == failing, "G4: \(branch) has \(failing) failures, not \(record.failing)")
    precondition((record.failuresBefore >= 0) == (pending == 0), "G5: \(branch), with \(pending) pending")
    let before = failures.prefix(max(0, Int(record.failuresBefore)))
    precondition(
      pending > 0 || before.count { reached.contains(Int($0)) } == failing, "G6: \(branch), before \(before.count)")
  }
  #endif
}
