// What is heard of a baton in one round.

import Baton
import Synchronization

/// Counts what is heard, in atomics, and keeps what runners wrote and handlers read, as plain data.
///
/// The plain data are ordered by nothing but the baton: that is what rule 6 promises, and what the thread sanitizer looks at.
final class Record: Sendable {
  /// How many are alive: none may be left in the end (rule 9).
  static let alive = Atomic<Int>(0)

  private enum Place {
    static let marks = 0
    static let notes = 8
    static let seen = 16
    static let ended = 24
    static let cancelled = 25
    static let count = 26
  }

  private let completions = Atomic<Int>(0)
  /// Eight bits for each of eight handlers.
  private let heard = Atomic<UInt64>(0)
  private let early = Atomic<Bool>(false)
  private let passes = Atomic<Int>(0)
  private let settles = Atomic<Int>(0)
  private let misuses = Atomic<Int>(0)
  private let open = Atomic<Int>(0)
  private let isRaised = Atomic<Bool>(false)
  private let faults = Mutex<String?>(nil)
  let isObserved: Bool
  /// Deliberately unordered: each place is written by one runner, and read by who the baton says may read.
  nonisolated(unsafe) private let plain: UnsafeMutablePointer<Int>

  init(isObserved: Bool = false) {
    self.isObserved = isObserved
    plain = .allocate(capacity: Place.count)
    plain.initialize(repeating: 0, count: Place.count)
    Self.alive.wrappingAdd(1, ordering: .relaxed)
  }

  /// Every eighth is observed, so that its baton counts in the ledger.
  convenience init(_ random: inout Random) { self.init(isObserved: random.oneIn(8)) }

  deinit {
    plain.deallocate()
    Self.alive.wrappingSubtract(1, ordering: .releasing)
  }

  /// A baton whose completion is heard here.
  func baton(limit: Baton.Limiter? = nil) -> Baton {
    Baton(limit: limit, observer: isObserved ? self : nil) { self.complete(cancelled: $0) }
  }

  // MARK: Runners

  /// A runner does its work, before it hands its pass back.
  func mark(_ runner: Int) { plain[Place.marks + runner] = 1 }
  func isMarked(_ runner: Int) -> Bool { plain[Place.marks + runner] == 1 }

  /// A thread keeps something for the verdict.
  func note(_ thread: Int, _ value: Bool) { plain[Place.notes + thread] = value ? 1 : 2 }
  func noted(_ thread: Int) -> Bool { plain[Place.notes + thread] == 1 }

  /// A call has returned, and another thread may know it: the one thing besides the baton that orders what they do.
  func raise() { isRaised.store(true, ordering: .releasing) }
  var wasRaised: Bool { isRaised.load(ordering: .acquiring) }

  func add(fault: String) { faults.withLock { $0 = $0 ?? fault } }
  var fault: String? {
    early.load(ordering: .relaxed) ? "a handler ran before the completion" : faults.withLock { $0 }
  }

  // MARK: The end

  func complete(cancelled: Bool) {
    completions.wrappingAdd(1, ordering: .relaxed)
    for place in 0..<8 { plain[Place.seen + place] = plain[Place.marks + place] }
    plain[Place.cancelled] = cancelled ? 1 : 0
    plain[Place.ended] = 1
  }

  var completionCount: Int { completions.load(ordering: .relaxed) }
  var saidCancelled: Bool { plain[Place.cancelled] == 1 }
  /// Only for who comes after the completion.
  var hasEnded: Bool { plain[Place.ended] == 1 }
  func completionSaw(_ runner: Int) -> Bool { plain[Place.seen + runner] == 1 }

  /// A completion handler runs: after the completion.
  func hear(_ handler: Int) {
    if !hasEnded { early.store(true, ordering: .relaxed) }
    tell(handler)
  }

  /// A cancel handler, or anything else that is only counted, runs.
  func tell(_ handler: Int) { heard.wrappingAdd(1 << UInt64(8 * handler), ordering: .relaxed) }
  func times(_ handler: Int) -> Int { Int(heard.load(ordering: .relaxed) >> UInt64(8 * handler) & 0xFF) }

  // MARK: An observer

  var isBalanced: Bool { passes.load(ordering: .relaxed) == settles.load(ordering: .relaxed) }
  /// Batons that were made, less ends of batons.
  var openCount: Int { open.load(ordering: .relaxed) }
  var misuseCount: Int { misuses.load(ordering: .relaxed) }
}

extension Record: Baton.Observer {
  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    switch event {
    case .passed(let pass): passes.wrappingAdd(pass.count, ordering: .relaxed)
    case .settled(let pass): settles.wrappingAdd(pass.count, ordering: .relaxed)
    case .misused: misuses.wrappingAdd(1, ordering: .relaxed)
    case .made: open.wrappingAdd(1, ordering: .relaxed)
    case .completed: open.wrappingSubtract(1, ordering: .relaxed)
    case .cancelled: break
    }
  }
}
