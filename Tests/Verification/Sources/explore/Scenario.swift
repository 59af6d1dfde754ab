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

  var options: Set<Option> = []
  var threads: [[Call]]

  init(_ threads: [[Call]], _ options: Set<Option> = []) {
    self.threads = threads
    self.options = options
  }

  /// Reads a description: options, a colon, and the threads between hyphens, as in `nc:fF-aA`.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard let last = parts.last, parts.count <= 2 else { return nil }
    if parts.count == 2 {
      for letter in parts[0] {
        guard let option = Option(rawValue: letter) else { return nil }
        options.insert(option)
      }
    }
    threads = []
    for letters in last.split(separator: "-") {
      let calls = letters.compactMap(Call.init(rawValue:))
      guard calls.count == letters.count else { return nil }
      threads.append(calls)
    }
    guard 1...3 ~= threads.count, isWellFormed else { return nil }
  }

  var description: String {
    let letters = Option.allCases.filter(options.contains).map(\.rawValue)
    let calls = threads.map { String($0.map(\.rawValue)) }.joined(separator: "-")
    return letters.isEmpty ? calls : "\(String(letters)):\(calls)"
  }

  var calls: [Call] { threads.flatMap { $0 } }
  var hasChild: Bool { calls.contains(where: \.isOnChild) || calls.contains(.work) }
  var hasPass: Bool { calls.contains(where: \.isOnPass) }

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
  var mayAbandonChild: Bool { calls.contains(.childAbandon) || calls.contains(.childDrop) || mayAbandonRoot }
  /// Whether anything could cancel the root, or the child.
  var mayCancelRoot: Bool {
    mayAbandonRoot || !Set(calls).isDisjoint(with: [.cancel, .cancelAll, .cancelAllAndLook, .passCancel])
      || hasPass || !options.contains(.contained) && mayCancelChildItself
  }
  var mayCancelChild: Bool { mayCancelChildItself || mayCancelRoot }
  private var mayCancelChildItself: Bool {
    !Set(calls).isDisjoint(with: [.childCancel, .childCancelAll, .childAbandon, .childDrop])
  }
}
