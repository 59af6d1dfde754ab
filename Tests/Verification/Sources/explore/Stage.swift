// One execution of a scenario: makes the batons and the threads, and has the accounts compared at the end.

import BatonExplored
import Explored

/// What the threads of one execution share.
final class Stage: Subject {
  let scenario: Scenario
  let rootAccount: Account
  let childAccount: Account?
  /// Of the `Pass` that threads share.
  let passAccount: Account?
  /// What a canceller wrote before it cancelled.
  let cancelling = Canceller()
  let queue = WorkQueue()
  /// In these the order matters in which threads let go: whoever is the last ends the baton, or settles the pass.
  let childReferences = ReferenceCount()
  let rootReferences = ReferenceCount()
  let passReferences = ReferenceCount()
  private(set) var root: Baton?
  private(set) var child: Baton?
  private var players: [Player] = []
  /// Gets what the execution came to, in words.
  var atEnd: ((String) -> Void)?

  init(_ scenario: Scenario) {
    self.scenario = scenario
    let account = Account("root", mayBeAbandoned: scenario.mayAbandonRoot)
    rootAccount = account
    childAccount = scenario.hasChild ? Account("child", mayBeAbandoned: scenario.mayAbandonChild) : nil
    passAccount = scenario.hasPass ? Account("pass", mayBeAbandoned: true) : nil
    let payload = Payload(account)
    let root = Baton(name: "root", observer: scenario.options.contains(.observed) ? Listener() : nil) { cancelled in
      withExtendedLifetime(payload) { account.complete(cancelled) }
    }
    self.root = root
    if let childAccount {
      child = makeChild(of: root, account, childAccount, queued: scenario.options.contains(.queued))
    }
    let pass = passAccount.map { _ in root.makePass("pass") }
    if pass != nil { account.passes += 1 }
    for (number, calls) in scenario.threads.enumerated() {
      players.append(Player(self, number, calls, root: root, child: child, pass: pass))
    }
    if scenario.options.contains(.passed) {
      account.passes += 1
      root.pass()
    }
    // What only the threads are to hold, main doesn't.
    if scenario.calls.contains(.childDrop) { child = nil }
    if scenario.options.contains(.unheld) { self.root = nil }
  }

  func makeChild(of parent: Baton, _ parentAccount: Account, _ account: Account, queued: Bool = false) -> Baton {
    parentAccount.children.append(account)
    let payload = Payload(account)
    let queue = queue
    return parent.makeChild(
      name: scenario.options.contains(.named) ? account.name : nil,
      cancellation: scenario.options.contains(.contained) ? .contained : .propagates,
      on: queued ? Baton.Executor { queue.add($0) } : .inline
    ) { cancelled in
      withExtendedLifetime(payload) { account.complete(cancelled) }
    }
  }

  var threads: [() -> Void] { players.map { player in { player.play() } } }

  func end() {
    checkOpen()
    let accounts = [rootAccount] + [childAccount].compactMap { $0 } + players.flatMap(\.ownChildren).map(\.account)
    players = []
    child = nil
    root = nil
    for account in accounts { account.checkEnd() }
    if let passAccount { passAccount.checkPass(of: rootAccount) }
    atEnd?((accounts + [passAccount].compactMap { $0 }).map(\.summary).joined(separator: "; "))
  }
}

/// Where an executor puts its work, until a thread comes for it.
final class WorkQueue: @unchecked Sendable {
  private let gate = Gate()
  // Of one execution, whose threads take turns.
  private var works: [@Sendable () -> Void] = []

  func add(_ work: @escaping @Sendable () -> Void) {
    works.append(work)
    gate.signal()
  }

  func run() {
    gate.wait()
    works.removeFirst()()
  }
}

/// Hears of all events, outside any lock.
final class Listener: Baton.Observer {
  func baton(_ identity: Baton.Identity, _ event: Baton.Event) { Account.checkUserCode("an observer") }
}

/// What a canceller writes before it cancels, in scenarios that have only one.
final class Canceller: @unchecked Sendable {
  private let written = Plain(0, "what a canceller wrote")

  func write(_ value: Int) { written.write(value) }
  func read() -> Int { written.read() }
}
