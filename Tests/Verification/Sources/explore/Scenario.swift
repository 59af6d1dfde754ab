// What the threads of one program do.

/// A program: what the batons are like, and the calls of each thread.
struct Scenario: Hashable, Sendable, CustomStringConvertible {
  /// How the batons are made.
  enum Option: Character, CaseIterable, Sendable {
    /// The child has a name, and so is known to its parent from the start.
    case named = "n"
    /// The child's cancellation leaves its parent alone.
    case contained = "c"
    /// An observer watches the root, and so all.
    case observed = "v"
    /// The child's completion runs where a thread comes to work.
    case queued = "e"
    /// Nobody but the threads that use the root holds it.
    case unheld = "u"
    /// Main holds a pass of the root to the end, and looks then whether a complete child is still known to it.
    case passed = "p"
  }

  let options: Set<Option>
  let threads: [[Call]]
  /// The calls of all threads.
  let calls: CallSet

  init(_ threads: [[Call]], _ options: Set<Option> = []) {
    self.threads = threads
    self.options = options
    calls = CallSet(threads.joined())
  }

  /// Reads a description: options, a colon, and the threads between hyphens, as in `nc:fF-aA`.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard let last = parts.last, parts.count <= 2 else { return nil }
    var options: Set<Option> = []
    if parts.count == 2 {
      for letter in parts[0] {
        guard let option = Option(rawValue: letter) else { return nil }
        options.insert(option)
      }
    }
    var threads: [[Call]] = []
    for letters in last.split(separator: "-") {
      let calls = letters.compactMap(Call.init(rawValue:))
      guard calls.count == letters.count else { return nil }
      threads.append(calls)
    }
    self.init(threads, options)
    guard 1...3 ~= threads.count, isWellFormed else { return nil }
  }

  var description: String {
    let letters = Option.allCases.filter(options.contains).map(\.rawValue)
    let calls = threads.map { String($0.map(\.rawValue)) }.joined(separator: "-")
    return letters.isEmpty ? calls : "\(String(letters)):\(calls)"
  }

  var hasChild: Bool { !calls.isDisjoint(with: .onChild) || calls.contains(.work) }
  var hasPass: Bool { !calls.isDisjoint(with: .onPass) }

  /// Who has let go of the child can't call it, and what would wait for the end of nobody's work isn't generated.
  var isWellFormed: Bool {
    threads.allSatisfy { calls in
      guard let drop = calls.firstIndex(of: .childDrop) else { return true }
      return !calls[(drop + 1)...].contains(where: \.isOnChild)
    }
  }

  /// How many passes of the root and of the child a thread holds when it begins: as many as make its calls right,
  /// whatever the others do.
  static func held(_ calls: [Call]) -> (root: Int, child: Int) {
    var (root, child) = ((held: 0, needed: 0), (held: 0, needed: 0))
    for call in calls {
      let balance = call.balance
      root.needed = max(root.needed, balance.root.needs - root.held)
      root.held += balance.root.adds
      child.needed = max(child.needed, balance.child.needs - child.held)
      child.held += balance.child.adds
    }
    return (root.needed, child.needed)
  }

  /// Whether the root, or the child, may be complete although passes of it are out.
  var mayAbandonRoot: Bool { calls.contains(.abandon) || options.contains(.unheld) }
  var mayAbandonChild: Bool { !calls.isDisjoint(with: .abandonsChild) || mayAbandonRoot }
  /// Whether anything could cancel the root, or the child.
  var mayCancelRoot: Bool {
    mayAbandonRoot || hasPass || !calls.isDisjoint(with: .cancelsRoot)
      || !options.contains(.contained) && !calls.isDisjoint(with: .cancelsChild)
  }
  var mayCancelChild: Bool { !calls.isDisjoint(with: .cancelsChild) || mayCancelRoot }
}

/// A set of calls, in one word: it is asked many times in each schedule.
struct CallSet: Hashable, Sendable {
  private let bits: UInt64

  init(_ calls: some Sequence<Call>) {
    bits = calls.reduce(0) { $0 | 1 << (UInt64($1.rawValue.asciiValue ?? 0) - 64) }
  }

  func contains(_ call: Call) -> Bool { !isDisjoint(with: CallSet(CollectionOfOne(call))) }
  func isDisjoint(with other: CallSet) -> Bool { bits & other.bits == 0 }
  /// Whether there is no call in it but those.
  func isSubset(of other: CallSet) -> Bool { bits & ~other.bits == 0 }

  static let onChild = CallSet(Call.allCases.filter(\.isOnChild))
  static let onPass = CallSet(Call.allCases.filter(\.isOnPass))
  static let abandonsChild = CallSet([.childAbandon, .childDrop])
  static let cancelsChild = CallSet([.childCancel, .childCancelAll, .childAbandon, .childDrop])
  static let cancelsRoot = CallSet([.cancel, .cancelAll, .cancelAllAndLook, .passCancel])
  /// Those beside `cancelAll` that may cancel the root.
  static let cancelsOtherwise = CallSet([
    .cancel, .abandon, .childCancel, .childCancelAll, .childAbandon, .childDrop, .cancelAllAndLook,
  ])
}
