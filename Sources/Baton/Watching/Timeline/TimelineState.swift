// What happened when, as a pure struct.

/// The recording of a timeline: lanes, bars and marks, at most as many as were asked for.
///
/// Its owner keeps it behind a lock; nothing in it runs a user's code.
///
/// What is recorded has two events, or will have: a baton is made and completes, a pass is passed and settles. Room for the
/// second is kept when the first is recorded, so that a full recording never shows something as running that is over.
struct TimelineState: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// A baton.
  struct Lane: Sendable {
    let id: UInt64
    let parent: UInt64?
    let name: String?
    let made: Instant
    var completed: Instant?
    var isCancelled = false
    /// The bare passes that are out, as indices of `bars`. Nobody can say which of them comes back: the oldest.
    fileprivate var oldestBare: Int?
    fileprivate var laterBare = Queue<Int>()
  }

  /// A pass, or several bare ones that were passed in one call.
  struct Bar: Sendable {
    let lane: Int
    let label: String?
    let location: Baton.Location?
    let count: Int
    let start: Instant
    /// Whether the runner didn't begin at once.
    var waited = false
    /// When the runner began, if it had to wait.
    var begun: Instant?
    var end: Instant?
    /// Of several bare passes, the worst of their results.
    var result = Result.finished
    /// Bare passes of it that are still out.
    fileprivate var left: Int
  }

  /// Something that happened to a baton at a moment.
  struct Mark: Sendable {
    enum Kind: Sendable { case cancelled, misused }
    let lane: Int
    let kind: Kind
    let instant: Instant
    let text: String
  }

  /// What came of a pass.
  enum Result: Sendable, Equatable {
    case finished
    /// It came back without an error of its own.
    case cancelled
    /// It brought an error.
    case failed(String)
  }

  /// The events that are kept at most.
  let limit: Int
  private(set) var lanes: [Lane] = []
  private(set) var bars: [Bar] = []
  private(set) var marks: [Mark] = []
  /// The events for which there was no room.
  private(set) var leftOut = 0
  /// The events that are kept, or will be: the room that is taken.
  private(set) var reserved = 0
  private var laneOf: [UInt64: Int] = [:]
  private var barOf: [UInt64: Int] = [:]

  init(limit: Int) { self.limit = limit }

  private mutating func reserve(_ events: Int) -> Bool {
    guard reserved + events <= limit else {
      leftOut += 1
      return false
    }
    reserved += events
    return true
  }

  /// The lane of a baton that is recorded; else its event is left out.
  private mutating func recordedLane(_ id: UInt64) -> Int? {
    if let lane = laneOf[id] { return lane }
    leftOut += 1
    return nil
  }

  // MARK: Recording

  mutating func made(_ id: UInt64, parent: UInt64?, name: String?, at instant: Instant) {
    guard reserve(2) else { return }
    laneOf[id] = lanes.count
    lanes.append(Lane(id: id, parent: parent, name: name, made: instant))
  }

  mutating func completed(_ id: UInt64, cancelled: Bool, at instant: Instant) {
    guard let lane = recordedLane(id) else { return }
    lanes[lane].completed = instant
    lanes[lane].isCancelled = cancelled
  }

  /// A pass; of a child's there is no record, since its lane says the same.
  mutating func passed(
    _ id: UInt64, pass: UInt64?, label: String?, location: Baton.Location?, count: Int, at instant: Instant
  ) {
    // An abandoned baton still hears of passes, which count for nothing and are never handed back.
    guard let lane = recordedLane(id), lanes[lane].completed == nil else { return }
    guard reserve(2) else { return }
    if let pass {
      barOf[pass] = bars.count
    } else if lanes[lane].oldestBare == nil {
      lanes[lane].oldestBare = bars.count
    } else {
      lanes[lane].laterBare.append(bars.count)
    }
    bars.append(Bar(lane: lane, label: label, location: location, count: count, start: instant, left: count))
  }

  mutating func settled(
    _ id: UInt64, pass: UInt64?, count: Int, _ result: Result = .finished, at instant: Instant
  ) {
    guard let lane = recordedLane(id) else { return }
    guard let pass else { return settledBare(lane, count, result, at: instant) }
    guard let bar = barOf.removeValue(forKey: pass) else {
      leftOut += 1
      return
    }
    bars[bar].end = instant
    bars[bar].result = result
  }

  private mutating func settledBare(_ lane: Int, _ count: Int, _ result: Result, at instant: Instant) {
    var count = count
    while count > 0, let bar = lanes[lane].oldestBare {
      let taken = min(count, bars[bar].left)
      bars[bar].left -= taken
      count -= taken
      switch (bars[bar].result, result) {
      case (.failed, _), (.cancelled, .finished): break
      default: bars[bar].result = result
      }
      guard bars[bar].left == 0 else { return }
      bars[bar].end = instant
      lanes[lane].oldestBare = lanes[lane].laterBare.popFirst()
    }
    // More than are recorded.
    if count > 0 { leftOut += 1 }
  }

  mutating func runner(pass: UInt64, _ stage: RunnerStage, at instant: Instant) {
    guard let bar = barOf[pass] else { return }
    switch stage {
    case .waitsForAttempt, .waitsForPermit: bars[bar].waited = true
    case .begins: bars[bar].begun = instant
    }
  }

  /// The failure is the one that cancelled it, with what the pass that brought it is called.
  mutating func cancelled(_ id: UInt64, failure: String?, at instant: Instant) {
    guard let lane = recordedLane(id) else { return }
    lanes[lane].isCancelled = true
    mark(lane, .cancelled, failure ?? "cancelled", at: instant)
  }

  mutating func misused(_ id: UInt64, _ text: String, at instant: Instant) {
    guard let lane = recordedLane(id) else { return }
    mark(lane, .misused, text, at: instant)
  }

  private mutating func mark(_ lane: Int, _ kind: Mark.Kind, _ text: String, at instant: Instant) {
    guard reserve(1) else { return }
    marks.append(Mark(lane: lane, kind: kind, instant: instant, text: text))
  }
}
