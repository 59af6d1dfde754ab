// What each call does, and what must hold when it returns.

import BatonExplored
import Explored

extension Player {
  func make(_ call: Call) {
    switch call {
    case .pass:
      root.baton?.pass()
      root.passes += 1
      root.account.passes += 1
    case .tryPass: tryPass(&root)
    case .finish: finish(&root)
    case .cancel: cancel(&root)
    case .cancelAll:
      cancelAll(root)
      hasCancelledRoot = true
    case .abandon: abandon(root)
    case .onCompletion: addHandler(root)
    case .onCancel: addCancelHandler(root)
    case .makeChild: makeChild(root)
    case .cancelAllAndLook:
      cancelAll(root)
      if let child = child?.baton, !child.isCancelled, !child.isComplete {
        Explorer.fail("cancelAll has returned, and the child doesn't know")
      }
    case .lookCancelled: lookCancelled()
    case .lookComplete: lookComplete()
    case .work: stage.queue.run()
    case .passFinish, .passCancel, .passOnCancel: makeOnPass(call)
    default:
      guard var child else { return }
      makeOnChild(call, &child)
      self.child = child
    }
  }

  private func makeOnChild(_ call: Call, _ child: inout Hold) {
    switch call {
    case .childTryPass: tryPass(&child)
    case .childFinish: finish(&child)
    case .childCancel: cancel(&child)
    case .childCancelAll: cancelAll(child)
    case .childAbandon: abandon(child)
    case .childOnCompletion: addHandler(child)
    case .childOnCancel: addCancelHandler(child)
    case .childMakeChild: makeChild(child)
    default:
      stage.childReferences.release()
      child.baton = nil
    }
  }

  private func tryPass(_ hold: inout Hold) {
    guard let baton = hold.baton else { return }
    if baton.tryPass() {
      hold.passes += 1
      hold.account.passes += 1
    } else if !baton.isComplete {
      Explorer.fail("tryPass says no, and \(hold.account.name) is open")
    }
  }

  private func cancel(_ hold: inout Hold) {
    let error = error(hold.account)
    settle(&hold)
    hold.baton?.cancel(error)
    if !hold.account.mayBeAbandoned {
      hold.account.mustFail.append(error.number)
      hold.account.isSurelyCancelled = true
    }
  }

  private func cancelAll(_ hold: Hold) {
    guard let baton = hold.baton else { return }
    let error = error(hold.account)
    if stage.scenario.calls.contains(.lookCancelled) { stage.cancelling.write(1) }
    if baton.cancelAll(error) {
      hold.account.cancellers += 1
      hold.account.mustFail.append(error.number)
      hold.account.isSurelyCancelled = true
    } else if !baton.isCancelled, !baton.isComplete {
      Explorer.fail("cancelAll has returned, and \(hold.account.name) is neither cancelled nor complete")
    }
  }

  private func abandon(_ hold: Hold) {
    guard let baton = hold.baton else { return }
    let error = error(hold.account)
    if baton.abandon(error) {
      hold.account.abandoners += 1
      hold.account.mustFail.append(error.number)
      hold.account.isSurelyCancelled = true
    }
    if !baton.isComplete { Explorer.fail("abandon has returned, and \(hold.account.name) is open") }
  }

  private func addHandler(_ hold: Hold) {
    let account = hold.account
    let handler = Account.Handler("what a handler wrote")
    let payload = Payload(account)
    account.handlers.append(handler)
    hold.baton?.onCompletion { outcome in
      withExtendedLifetime(payload) { account.run(handler, outcome) }
    }
  }

  /// The handler looks at its baton, which it doesn't keep; where it matters who drops that, it doesn't look either.
  private func addCancelHandler(_ hold: Hold) {
    let account = hold.account
    let handler = Account.Handler("what a cancel handler wrote")
    let payload = Payload(account)
    let isDropped = stage.scenario.calls.contains(.childDrop) || stage.scenario.options.contains(.unheld)
    account.cancelHandlers.append(handler)
    hold.baton?.onCancel { [weak looked = isDropped ? nil : hold.baton] in
      withExtendedLifetime(payload) { account.runCancelHandler(handler, isCancelled: looked?.isCancelled ?? true) }
    }
  }

  private func makeChild(_ hold: Hold) {
    guard let parent = hold.baton else { return }
    let account = Account("a child of \(hold.account.name)", mayBeAbandoned: hold.account.mayBeAbandoned)
    let baton = stage.makeChild(of: parent, hold.account, account)
    ownChildren.append(Hold(baton, account, passes: 1, tries: 0))
  }

  private func makeOnPass(_ call: Call) {
    guard let pass, let account = stage.passAccount else { return }
    let error = error(stage.rootAccount)
    switch call {
    case .passFinish:
      passSettle.write(1)
      if pass.tryFinish() { account.winners.append(number) }
    case .passCancel:
      passSettle.write(1)
      guard pass.tryCancel(error) else { return }
      account.winners.append(number)
      if !root.account.mayBeAbandoned { root.account.mustFail.append(error.number) }
    default:
      let handler = Account.Handler("what a cancel handler of the pass wrote")
      let payload = Payload(account)
      pass.onCancel { [weak root = root.baton] in
        withExtendedLifetime(payload) { account.runCancelHandler(handler, isCancelled: root?.isCancelled ?? true) }
      }
    }
  }

  /// For scenarios with one canceller: whoever sees the flag sees what was done before it was set.
  private func lookCancelled() {
    if root.baton?.isCancelled == true, stage.cancelling.read() == 0 {
      Explorer.fail("the root is cancelled, and what its canceller wrote is not seen")
    }
  }

  private func lookComplete() {
    guard root.baton?.isComplete == true, !root.account.mayBeAbandoned else { return }
    for settle in root.account.settles { _ = settle.read() }
  }
}
