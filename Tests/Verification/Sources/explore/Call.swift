// The calls that scenarios are made of, a letter each.

/// One call of a thread. Small letters are the root's, capitals the child's that all threads share.
enum Call: Character, CaseIterable, Sendable {
  case pass = "p"
  case tryPass = "t"
  case finish = "f"
  case cancel = "c"
  case cancelAll = "a"
  case abandon = "x"
  case onCompletion = "h"
  case onCancel = "n"
  /// Makes a child of its own and passes it; the thread finishes it at its end.
  case makeChild = "m"

  case childTryPass = "T"
  case childFinish = "F"
  case childCancel = "C"
  case childCancelAll = "A"
  case childAbandon = "X"
  case childOnCompletion = "H"
  case childOnCancel = "N"
  /// Makes a child of the child and passes it; the thread finishes it at its end.
  case childMakeChild = "M"
  /// Lets go of the child: the last reference ends it.
  case childDrop = "D"

  /// Cancels the root, and then looks whether the child knows.
  case cancelAllAndLook = "k"
  /// Looks whether the root is cancelled; then what the canceller did before is to be seen.
  case lookCancelled = "i"
  /// Looks whether the root is complete; then what the runners did is to be seen.
  case lookComplete = "o"
  /// Runs what the child's executor was given, as soon as there is something.
  case work = "w"

  /// The calls of one `Pass` that the threads share.
  case passFinish = "q"
  case passCancel = "r"
  case passOnCancel = "s"

  /// The calls of which every scenario is generated; the others appear in the core ones.
  static let generated: [Call] = [
    .pass, .tryPass, .finish, .cancel, .cancelAll, .abandon, .onCompletion, .onCancel, .makeChild,
    .childFinish, .childCancel, .childCancelAll, .childDrop,
  ]

  var isOnChild: Bool { rawValue.isUppercase || self == .cancelAllAndLook }
  var isOnPass: Bool { self == .passFinish || self == .passCancel || self == .passOnCancel }

  /// How many passes of the root, and of the child, the thread must hold for it, and what it does to their number for
  /// certain.
  var balance: (root: (needs: Int, adds: Int), child: (needs: Int, adds: Int)) {
    switch self {
    case .pass: ((1, 1), (0, 0))
    case .makeChild: ((1, 0), (0, 0))
    case .finish, .cancel: ((1, -1), (0, 0))
    case .childFinish, .childCancel: ((0, 0), (1, -1))
    case .childMakeChild: ((0, 0), (1, 0))
    default: ((0, 0), (0, 0))
    }
  }
}
