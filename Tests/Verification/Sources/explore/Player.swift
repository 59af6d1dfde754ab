// One thread of a scenario.

import BatonExplored
import Explored

/// Makes a thread's calls, and hands back at its end what it still holds.
final class Player {
  /// A baton as one thread uses it: its own reference, the passes that it holds, and what it writes before each settle.
  struct Hold {
    var baton: Baton?
    let account: Account
    var passes: Int
    var settles: ArraySlice<Plain<Int>>

    init(_ baton: Baton?, _ account: Account, passes: Int, tries: Int) {
      self.baton = baton
      self.account = account
      self.passes = passes
      settles = (0..<passes + tries).map { _ in Plain(0, "what a runner wrote before its settle") }[...]
      account.settles += settles
      account.passes += passes
      baton?.pass(count: passes)
    }
  }

  unowned let stage: Stage
  let number: Int
  private let calls: [Call]
  private var errors = 0
  var root: Hold
  var child: Hold?
  var pass: Baton.Pass?
  /// Whether this thread has cancelled the root: from then on a child that it holds a pass of is cancelled.
  var hasCancelledRoot = false
  /// What this thread writes before it settles the pass, or lets go of it.
  let passSettle: Plain<Int>
  var ownChildren: [Hold] = []

  init(_ stage: Stage, _ number: Int, _ calls: [Call], root: Baton, child: Baton?, pass: Baton.Pass?) {
    self.stage = stage
    self.number = number
    self.calls = calls
    let held = Scenario.held(calls)
    self.root = Hold(
      root, stage.rootAccount, passes: held.root, tries: calls.count { $0 == .pass || $0 == .tryPass })
    if calls.allSatisfy({ $0.isOnChild || $0 == .work }), stage.scenario.options.contains(.unheld) {
      self.root.baton = nil
    }
    if let account = stage.childAccount {
      self.child = Hold(
        child, account, passes: held.child, tries: calls.count { $0 == .childTryPass })
      if !calls.contains(where: \.isOnChild) { self.child?.baton = nil }
    }
    passSettle = Plain(0, "what a thread wrote before it settled the pass")
    stage.rootAccount.passSettles.append(passSettle)
    if calls.contains(where: \.isOnPass) { self.pass = pass }
  }

  func play() {
    for call in calls { make(call) }
    for index in ownChildren.indices { finish(&ownChildren[index]) }
    while child?.baton != nil, (child?.passes ?? 0) > 0 { child.map { _ in finishChild() } }
    while root.passes > 0 { finish(&root) }
    letGo()
  }

  func finishChild() {
    guard var hold = child else { return }
    finish(&hold)
    child = hold
  }

  /// Hands one pass back, after having written something that the completion must see (rule 6).
  func finish(_ hold: inout Hold) {
    settle(&hold)
    hold.baton?.finish()
  }

  func settle(_ hold: inout Hold) {
    if hasCancelledRoot, hold.account === stage.childAccount, !hold.account.mayBeAbandoned {
      hold.account.isSurelyCancelled = true
    }
    hold.passes -= 1
    hold.settles.popFirst()?.write(1)
  }

  /// An error that no other call brings.
  func error(_ account: Account) -> Tagged {
    errors += 1
    let error = Tagged(number: number * 10 + errors)
    account.mayFail.append(error.number)
    return error
  }

  /// Drops a thread's references, each drop a step where it matters who is the last.
  private func letGo() {
    let scenario = stage.scenario
    if pass != nil {
      if passSettle.peek == 0 { passSettle.write(1) }
      stage.passReferences.release()
      pass = nil
    }
    if scenario.calls.contains(.childDrop), child?.baton != nil {
      stage.childReferences.release()
      child?.baton = nil
    }
    if scenario.options.contains(.unheld), root.baton != nil {
      stage.rootReferences.release()
      root.baton = nil
    }
  }
}
