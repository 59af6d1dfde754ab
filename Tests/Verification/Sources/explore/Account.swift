// What happens to one baton in one execution, kept apart from the library, to be compared with what it says.

import BatonExplored
import Explored

/// An error that a scenario brings, told from all others.
struct Tagged: Error, Equatable { let number: Int }

/// Held by a closure that the library keeps: notices when it lets go, and where.
final class Payload: Sendable {
  private let account: Account

  init(_ account: Account) {
    self.account = account
    account.payloads += 1
  }

  deinit {
    account.payloads -= 1
    Account.checkUserCode("a capture's deinit")
  }
}

/// What one baton did. Threads of an execution take turns, so this may be shared without a lock.
final class Account: @unchecked Sendable {
  /// A handler, and how often it has run.
  final class Handler: @unchecked Sendable {
    let adder: Int
    let ran: Plain<Int>
    var outcome: Baton.Outcome?

    init(_ name: StaticString) {
      adder = Explorer.thread
      ran = Plain(0, name)
    }
  }

  let name: String
  /// Whether it may complete with passes out.
  let mayBeAbandoned: Bool
  /// Who made it holds one of its passes until it is complete.
  var children: [Account] = []
  /// One for each settle, written before it by the runner: all are to be seen by the completion (rule 6).
  var settles: [Plain<Int>] = []
  /// The same for a `Pass` that threads share: one for each thread, as any of them may be the one that settles it.
  var passSettles: [Plain<Int>] = []
  /// Which of those the completion saw.
  var passSettlesSeen: [Bool] = []
  /// Passes that were made for certain.
  var passes = 0
  /// How many runners' work the completion saw.
  var seen = 0
  var completions = 0
  var completedCancelled: Bool?
  let completed: Plain<Int>
  var handlers: [Handler] = []
  var cancelHandlers: [Handler] = []
  var payloads = 0
  /// Errors that must be, and errors that may be, in the outcome.
  var mustFail: [Int] = []
  var mayFail: [Int] = []
  /// What the calls returned.
  var cancellers = 0
  var abandoners = 0
  /// The threads that were told that they settled the `Pass` whose account this is.
  var winners: [Int] = []
  /// A call that returned cancelled it for certain.
  var isSurelyCancelled = false
  /// The outcome and the counts at the end, in words.
  var end = "open"

  init(_ name: String, mayBeAbandoned: Bool) {
    self.name = name
    self.mayBeAbandoned = mayBeAbandoned
    completed = Plain(0, "what a completion wrote")
  }

  /// Rule 7.
  static func checkUserCode(_ what: String) {
    if Explorer.locksHeld > 0 { Explorer.fail("\(what) runs under a lock") }
  }

  /// The completion's body.
  func complete(_ cancelled: Bool) {
    Self.checkUserCode("the completion of \(name)")
    completions += 1
    if completions > 1 { Explorer.fail("\(name) completes twice") }
    completedCancelled = cancelled
    look()
    completed.write(1)
  }

  /// What a completion or a handler sees of the runners (rule 6).
  private func look() {
    passSettlesSeen = passSettles.map { $0.isVisible && $0.peek == 1 }
    if mayBeAbandoned {
      seen = settles.count { $0.isVisible && $0.peek == 1 }
      seen += children.count { $0.completed.isVisible && $0.completed.peek == 1 }
      seen += passSettlesSeen.contains(true) ? 1 : 0
    } else {
      for settle in settles { _ = settle.read() }
      for child in children where child.completed.read() == 0 {
        Explorer.fail("\(name) completes before the completion of \(child.name) has returned")
      }
    }
  }

  /// An `onCompletion` handler's body (rule 2).
  func run(_ handler: Handler, _ outcome: Baton.Outcome) {
    Self.checkUserCode("a handler of \(name)")
    if handler.ran.read() != 0 { Explorer.fail("a handler of \(name) runs twice") }
    if completed.read() == 0 { Explorer.fail("a handler of \(name) runs before the completion") }
    if !mayBeAbandoned { look() }
    for earlier in handlers.prefix(while: { $0 !== handler }) where earlier.adder == handler.adder {
      if earlier.ran.read() == 0 { Explorer.fail("a handler of \(name) overtakes an earlier one") }
    }
    handler.ran.write(1)
    handler.outcome = outcome
  }

  /// An `onCancel` handler's body (rule 5).
  func runCancelHandler(_ handler: Handler, isCancelled: Bool) {
    Self.checkUserCode("a cancel handler of \(name)")
    if handler.ran.read() != 0 { Explorer.fail("a cancel handler of \(name) runs twice") }
    if !isCancelled { Explorer.fail("a cancel handler of \(name) runs before the flag is set") }
    handler.ran.write(1)
  }
}
