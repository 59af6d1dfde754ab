// What a sequence of bytes means.

/// One call, on something that exists by then. Two bytes each: what to do, and to which.
public enum Step: UInt8, CaseIterable, Sendable {
  // Counting.
  case pass, passSeveral, tryPass, finish, cancel, cancelWithError
  // From outside.
  case cancelAll, cancelAllWithError, cancelAllWithNoise, abandon, abandonWithError
  // Looking and hearing.
  case isCancelled, look, onCompletion, onCancel, onCompletionThatAdds
  // Passes.
  case makePass, tryMakePass, passFinish, passCancel, passTry, passOnCancel, passOnCancelThatSettles, settleAgain,
    forget
  // Callbacks.
  case wrap, wrapThatThrows, wrapThatPasses, call, callTwice, start
  // Nesting.
  case makeChild, makeContained, makeWithHandler, makeRoot, letGo
}

/// A step and its operand, as decoded from two bytes.
public struct Command: Sendable, CustomStringConvertible {
  /// What to do.
  public let step: Step
  /// To which baton or pass, and how.
  public let operand: Int

  /// For example `pass(3)`.
  public var description: String { "\(step)(\(operand))" }

  /// Reads commands off bytes; an odd last byte is left out.
  public static func decode(_ bytes: [UInt8]) -> [Command] {
    stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { index in
      Command(step: Step.allCases[Int(bytes[index]) % Step.allCases.count], operand: Int(bytes[index + 1]))
    }
  }
}

/// What somebody who listens heard. Both the library's world and the model write these, a list for each baton.
struct Event: Equatable, CustomStringConvertible {
  enum Kind { case completed, handler, cancelHandler, passCancelHandler, called, started }
  let kind: Kind
  let id: Int
  /// Of a completion and a handler: whether it was cancelled, and which failures it had.
  var cancelled = false
  var failures: [Int] = []

  var description: String { "\(kind) \(id)\(cancelled ? " cancelled" : "")\(failures.isEmpty ? "" : " \(failures)")" }
}

/// How often each misuse was reported.
struct Misuses: Equatable {
  var twice = 0
  var late = 0
  var dropped = 0
  var abandoned = 0
}

/// Errors as numbers: 0 is a `CancellationError`, -n an `AbandonedError` with n passes out, any other the number of the
/// step that made it.
let noise = 0
