// What must be true when all threads have ended.

import BatonExplored
import Explored

extension Stage {
  /// While main still holds the batons: who is complete, with what outcome, and what is kept (rules 1, 3, 5, 9).
  func checkOpen() {
    checkUnlinked()
    if let root { rootAccount.checkOpen(root, mayBeCancelled: scenario.mayCancelRoot) }
    if let child, let childAccount { childAccount.checkOpen(child, mayBeCancelled: scenario.mayCancelChild) }
    checkClimbing()
    let hasOtherCancels = !scenario.calls.isDisjoint(with: .cancelsOtherwise)
    if rootAccount.completedCancelled == true, rootAccount.cancellers != 1, !hasOtherCancels, passAccount == nil,
      root?.isComplete == true, !scenario.options.contains(.unheld)
    {
      Explorer.fail("the root is cancelled, and \(rootAccount.cancellers) calls of cancelAll say that they did it")
    }
  }

  /// A complete child is not known to its parent any more, though that is open, and a settled pass keeps nothing (rule 9).
  private func checkUnlinked() {
    guard scenario.options.contains(.passed), let root else { return }
    let isKnown = root.debugDescription.contains("\n  Baton")
    if isKnown, childAccount?.completions == 1 { Explorer.fail("the child is complete, and its parent knows it still") }
    if let passAccount, !passAccount.winners.isEmpty, passAccount.payloads > 0 {
      Explorer.fail("the pass is settled, and \(passAccount.payloads) of its captures are kept")
    }
    root.finish()
  }

  /// What a child's cancellation means for its parent, by its policy.
  private func checkClimbing() {
    guard let childAccount, let root, root.isComplete, !scenario.mayAbandonRoot,
      !scenario.options.contains(.contained)
    else { return }
    if childAccount.completedCancelled == true, rootAccount.completedCancelled != true {
      Explorer.fail("the child was cancelled, and its parent doesn't know")
    }
    let failures = root.outcomeIfComplete?.failures.compactMap { ($0.error as? Tagged)?.number } ?? []
    for number in childAccount.mustFail where !failures.contains(number) {
      Explorer.fail("error \(number) of the child is not among its parent's \(failures)")
    }
  }
}

extension Account {
  fileprivate func checkOpen(_ baton: Baton, mayBeCancelled: Bool) {
    let isExpected = abandoners > 0 || passes + children.count > 0 && children.allSatisfy { $0.completions > 0 }
    if baton.isComplete != isExpected {
      Explorer.fail("\(name) is \(isExpected ? "open, and all is back" : "complete, and something is out")")
    }
    guard let outcome = baton.outcomeIfComplete else { return }
    end = "\(outcome), \(baton.tally)"
    checkCompleted(outcome, baton.tally)
    if outcome.isCancelled, !mayBeCancelled { Explorer.fail("\(name) is cancelled, and nobody cancelled") }
    if !outcome.isCancelled, isSurelyCancelled { Explorer.fail("\(name) was cancelled, and finished") }
    if cancellers > 1 { Explorer.fail("\(cancellers) calls of cancelAll say that they cancelled \(name)") }
    if abandoners > 1 { Explorer.fail("\(abandoners) calls of abandon say that they ended \(name)") }
    if payloads > 0 { Explorer.fail("\(name) is complete, and keeps \(payloads) captures") }
  }

  private func checkCompleted(_ outcome: Baton.Outcome, _ tally: Baton.Tally) {
    if completions != 1 { Explorer.fail("\(name) is complete, and its completion ran \(completions) times") }
    if completedCancelled != outcome.isCancelled { Explorer.fail("\(name)'s completion was told another outcome") }
    if !mayBeAbandoned, tally.passed != passes + children.count || tally.outstanding != 0 {
      Explorer.fail("\(name) says \(tally), not \(passes + children.count) passed and all settled")
    }
    if mayBeAbandoned, seen < tally.settled {
      Explorer.fail("\(name) says that \(tally.settled) are settled, and its completion saw the work of \(seen)")
    }
    checkFailures(outcome.failures, abandoned: tally.outstanding)
    for handler in handlers {
      guard let told = handler.outcome else { continue }
      if told.isCancelled != outcome.isCancelled || told.failures.count > outcome.failures.count {
        Explorer.fail("a handler of \(name) was told another outcome")
      }
    }
  }

  /// No error is lost, doubled or made up; those of one thread are in its order.
  private func checkFailures(_ failures: [Baton.Failure], abandoned: Int) {
    let numbers = failures.compactMap { ($0.error as? Tagged)?.number }
    let climbed = children.flatMap(\.mayFail)
    let known = Set(mayFail).union(climbed)
    if Set(numbers).count != numbers.count || !known.isSuperset(of: numbers) {
      Explorer.fail("\(name)'s errors are \(numbers)")
    }
    for number in mustFail where !numbers.contains(number) {
      Explorer.fail("error \(number) is not among \(name)'s \(numbers)")
    }
    let own = numbers.filter(mayFail.contains)
    for (earlier, later) in zip(own, own.dropFirst()) where earlier / 10 == later / 10 && earlier > later {
      Explorer.fail("\(name)'s errors are out of order: \(numbers)")
    }
    let ofAbandoned = failures.compactMap { ($0.error as? Baton.AbandonedError)?.outstanding }
    if abandoned > 0, ofAbandoned.filter({ $0 == abandoned }).isEmpty {
      Explorer.fail("\(name) was abandoned with \(abandoned) out, and says \(ofAbandoned)")
    }
    if !mayBeAbandoned, ofAbandoned.count > children.count + 1 { Explorer.fail("\(name) says \(ofAbandoned)") }
  }

  /// When nobody holds the baton any more (rules 2, 3, 9).
  func checkEnd() {
    if completions != 1 { Explorer.fail("\(name) is gone, and completed \(completions) times") }
    for handler in handlers where handler.ran.peek != 1 { Explorer.fail("a handler of \(name) was lost") }
    for handler in cancelHandlers where (handler.ran.peek == 1) != (completedCancelled == true) {
      let what = handler.ran.peek == 1 ? "ran, and it was not cancelled" : "was lost"
      Explorer.fail("a cancel handler of \(name) \(what)")
    }
    if payloads != 0 { Explorer.fail("\(name) is gone, and \(payloads) of its captures are not") }
  }

  /// The same for a `Pass` that threads shared.
  func checkPass(of root: Account) {
    if winners.count > 1 { Explorer.fail("\(winners.count) calls say that they settled the pass") }
    if let winner = winners.first, !root.mayBeAbandoned, !root.passSettlesSeen[winner] {
      Explorer.fail("the root's completion didn't see what thread \(winner) did before it settled the pass")
    }
    if payloads != 0 { Explorer.fail("the pass is settled, and keeps \(payloads) captures") }
  }

  /// What became of it, in words.
  var summary: String {
    """
    \(name): \(end), told \(completedCancelled.map { "\($0)" } ?? "nothing"), \(passes) passed, \(cancellers) cancelled, \
    \(abandoners) abandoned, settled by \(winners), \(cancelHandlers.map(\.ran.peek)), \
    \(handlers.map { "\($0.outcome.map { "\($0)" } ?? "lost")" })
    """
  }
}
