// The search through all schedules: depth first, by running the program again for each.

/// What is to be searched.
public struct Options: Sendable {
  /// How often a thread may be interrupted although it could go on; nil for any number.
  public var preemptions: Int?
  /// How many loads may return an older store, as C11 lets all; nil for any number.
  public var staleReads: Int?
  /// Whether states that were met before are left out. Off only to test that this loses nothing.
  public var reduces = true
  /// How many schedules to take at random instead of searching, and from which seed.
  public var random: (count: Int, seed: UInt64)?

  /// Makes options.
  /// - Parameter preemptions: How often a thread may be interrupted; nil for any number.
  public init(preemptions: Int? = nil) { self.preemptions = preemptions }
}

/// What a search found.
public struct Findings: Sendable {
  /// How many schedules were run.
  public var schedules = 0
  /// How many different states they went through, where states are told apart.
  public var states = 0
  /// How many operations they did.
  public var steps = 0
  /// What went wrong in the last schedule, and its choices.
  public var failure: (message: String, schedule: Schedule)?
}

/// The choices of one execution, each the thread that goes on, and how old a store it reads.
public struct Schedule: Sendable, Equatable, CustomStringConvertible {
  var choices: [UInt8]

  /// Two characters for a choice that reads an old store, else one.
  public var description: String {
    choices.map { "abc".map(String.init)[Int($0 & 3)] + ($0 >> 2 == 0 ? "" : String($0 >> 2)) }.joined()
  }

  init(choices: [UInt8]) { self.choices = choices }

  /// Reads a description.
  public init?(_ description: String) {
    choices = []
    for character in description.utf8 {
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "c"): choices.append(character - UInt8(ascii: "a"))
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard let last = choices.popLast() else { return nil }
        choices.append(last & 3 | ((last >> 2) * 10 + character - UInt8(ascii: "0")) << 2)
      default: return nil
      }
    }
  }
}

/// Where the search is: the choices of this execution, and those that are left to try.
struct SearchState {
  var options = Options()
  var findings = Findings()
  /// How old a store the thread reads that was chosen last.
  var chosenBack = 0

  /// The choices of this execution up to now; those at first that are to be repeated.
  var path: [UInt8] = []
  var position = 0
  /// What is left to try at each place of the path, one after another, and where each place's part begins.
  var open: [UInt8] = []
  var places: [Int] = []
  /// Nothing new is left on this way: the threads are only brought to their end.
  var isDraining = false

  var last = World.main
  var preemptions = 0
  var staleReads = 0
  var visited = VisitedStates()
  var random: SplitMix?
  var candidates: [UInt8] = []
}

extension World {
  /// Chooses which thread goes on; main when none can.
  func choose() -> Int {
    let choice: UInt8
    if search.position < search.path.count {
      choice = search.path[search.position]
      guard fits(choice) else {
        failure = "the schedule doesn't fit the program"
        return Self.main
      }
    } else {
      findCandidates()
      guard !search.candidates.isEmpty else {
        failure = "deadlock: " + waiting
        return Self.main
      }
      guard steps < 20_000 else {
        failure = "no end after \(steps) operations"
        return Self.main
      }
      choice = extend()
      search.path.append(choice)
    }
    search.position += 1
    let thread = Int(choice & 3)
    if isPreemption(thread) { search.preemptions += 1 }
    search.last = thread
    search.chosenBack = Int(choice >> 2)
    if search.chosenBack > 0 { search.staleReads += 1 }
    return thread
  }

  private var waiting: String {
    (0..<threadCount).filter { !threads[$0].isFinished }
      .map { "thread \($0) at \(threads[$0].pending?.site.description ?? "?")" }.joined(separator: ", ")
  }

  private func canGoOn(_ thread: Int) -> Bool {
    !threads[thread].isFinished && threads[thread].pending?.isEnabled == true
  }

  /// Whether a choice that somebody wrote down can be made here.
  private func fits(_ choice: UInt8) -> Bool {
    let thread = Int(choice & 3)
    guard thread < threadCount, canGoOn(thread), let operation = threads[thread].pending else { return false }
    return Int(choice >> 2) < choices(of: operation, by: thread)
  }

  private func isPreemption(_ next: Int) -> Bool {
    search.last != next && search.last != Self.main && canGoOn(search.last)
  }

  /// All that could be next; first what the running thread would do next by itself.
  private func findCandidates() {
    search.candidates.removeAll(keepingCapacity: true)
    let first = search.last == Self.main ? 0 : search.last
    for offset in 0..<threadCount {
      let thread = (first + offset) % threadCount
      guard canGoOn(thread), let operation = threads[thread].pending else { continue }
      for back in 0..<choices(of: operation, by: thread) where allows(operation, back: back) {
        search.candidates.append(UInt8(back << 2 | thread))
      }
    }
  }

  /// Goes on beyond the path: takes the first candidate that leads to something new, and leaves the others for later.
  private func extend() -> UInt8 {
    if var random = search.random {
      defer { search.random = random }
      return search.candidates[Int(random.next() % UInt64(search.candidates.count))]
    }
    if search.isDraining || trace != nil { return search.candidates[0] }
    let begin = search.open.count
    // Backwards, since what is left is taken from the end.
    for choice in search.candidates.reversed() where isNew(choice) { search.open.append(choice) }
    guard search.open.count > begin else {
      search.isDraining = true
      return search.candidates[0]
    }
    search.places.append(begin)
    return search.open.removeLast()
  }

  /// Whether a choice leads to a state that no other schedule has been in, with as many preemptions left.
  private func isNew(_ choice: UInt8) -> Bool {
    let thread = Int(choice & 3)
    let used = search.preemptions + (isPreemption(thread) ? 1 : 0)
    let left = search.options.preemptions.map { $0 - used } ?? 0
    let stale = search.staleReads + (choice >> 2 == 0 ? 0 : 1)
    guard left >= 0, stale <= search.options.staleReads ?? .max else { return false }
    guard search.options.reduces, let operation = threads[thread].pending else { return true }
    // What is left of a bound is a part of the state: with less of it, less can follow.
    var state: UInt64 = search.options.preemptions == nil ? 0 : UInt64(thread)
    if search.options.staleReads != nil { state |= UInt64(stale) << 8 }
    for index in 0..<threadCount {
      let done =
        index == thread ? hash(of: operation, by: thread, back: Int(choice >> 2)) : threads[index].hash
      state = mixed(state, done, UInt64(index))
    }
    return search.visited.insert(state, left: UInt8(left))
  }

  /// Turns to the next schedule; false when there is none.
  func backtrack() -> Bool {
    search.path.removeLast(search.path.count - search.places.count)
    while let begin = search.places.last {
      if search.open.count > begin {
        search.path[search.places.count - 1] = search.open.removeLast()
        return true
      }
      search.places.removeLast()
      search.path.removeLast()
    }
    return false
  }

  /// Before each execution.
  func rewind() {
    search.position = 0
    search.isDraining = false
    search.last = Self.main
    search.preemptions = 0
    search.staleReads = 0
  }
}
