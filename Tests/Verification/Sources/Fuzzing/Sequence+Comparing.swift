// What can be seen of the library, and what the model says.

import Baton

extension Sequence {
  mutating func compare(_ when: @autoclosure () -> String) throws(Difference) {
    while compared.count < model.nodes.count { compared.append(0) }
    for index in model.nodes.indices {
      let node = model.nodes[index]
      let heard = world.logs[index].events
      // What was the same before is.
      guard heard.count == node.log.count, heard[compared[index]...] == node.log[compared[index]...] else {
        throw Difference(description: "\(when()): baton \(index) heard \(heard), not \(node.log)")
      }
      compared[index] = heard.count
      if let seen = world.seen[index] { try compare(seen, node, "\(when()): an observer of baton \(index) saw") }
      guard let baton = world.batons[index] else { continue }
      let tally = baton.tally
      guard tally.passed == node.passed, tally.outstanding == node.out, baton.isComplete == node.isSealed else {
        throw Difference(
          description: """
            \(when()): baton \(index) has \(tally), complete: \(baton.isComplete), not \(node.passed) passed, \
            \(node.out) out, complete: \(node.isSealed)
            """)
      }
    }
    try expect(reported.count, model.misuses, "\(when()): misuses")
  }

  private func compare(_ seen: Seen, _ node: Model.Node, _ what: @autoclosure () -> String) throws(Difference) {
    var expected = Seen(
      passed: node.passed, settled: node.passed - node.out, cancelled: node.isCancelled ? 1 : 0,
      completed: node.isSealed ? 1 : 0)
    // What comes back late, to an abandoned baton, is seen or not as the runner has an object to name or not. One that is
    // cancelled from its making was never told so.
    if node.isAbandoned { expected.settled = seen.settled }
    if node.isCancelledFromStart { expected.cancelled = seen.cancelled }
    try expect(seen, expected, what())
  }

  /// All is let go: every baton completes (rule 3), and nothing is kept (rule 9).
  mutating func end() throws(Difference) {
    for id in world.held.indices { forget(id) }
    try compare("when the passes were let go")
    for index in world.batons.indices { nest(.letGo, index, 0) }
    try compare("when all was let go")
    for index in model.nodes.indices {
      try expect(world.logs[index].events.count { $0.kind == .completed }, 1, "completions of baton \(index)")
    }
    try expect(world.canaries.alive, 0, "captures that are kept")
  }
}
