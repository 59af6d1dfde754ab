// The library's own batons and passes, driven by one sequence.

import Baton

/// An error that says which step made it.
struct Numbered: Error {
  let number: Int
}

/// What the listeners of one baton heard.
///
/// Unchecked: a sequence runs on one thread.
final class Log: @unchecked Sendable {
  var events: [Event] = []
}

/// Something that every handler holds, to tell whether all are let go in the end.
///
/// Unchecked: a sequence runs on one thread.
final class Canary: @unchecked Sendable {
  final class Count: @unchecked Sendable {
    var alive = 0
  }

  private let count: Count

  init(_ count: Count) {
    self.count = count
    count.alive += 1
  }

  deinit { count.alive -= 1 }
}

/// A pass, in one of the forms in which a sequence can hold it.
enum Held {
  case pass(Baton.Pass)
  case callback(@Sendable (Int) -> Void)
  /// Waits for a permit, or was let go.
  case none
}

/// All batons and passes of one sequence. The indices are the model's.
///
/// Unchecked: a sequence runs on one thread.
final class World: @unchecked Sendable {
  var batons: [Baton?] = []
  /// What an observer was told of each baton; nil for one that nobody observes.
  var seen: [Seen?] = []
  var logs: [Log] = []
  var held: [Held] = []
  let canaries = Canary.Count()

  func add(_ make: (_ completion: @escaping @Sendable (Bool) -> Void) -> Baton) {
    let (log, canary) = (Log(), Canary(canaries))
    seen.append(nil)
    let baton = make { cancelled in
      log.events.append(Event(kind: .completed, id: 0, cancelled: cancelled))
      _ = canary
    }
    logs.append(log)
    batons.append(baton)
  }

  /// An observer of a root that is about to be made, and of all below it.
  func observer() -> any Baton.Observer { Watcher(self) }

  /// A handler that hears the outcome, and may add another while the sequence still holds the baton.
  func addHandler(_ id: Int, adds: Bool, to baton: Baton, _ index: Int) {
    let (log, canary) = (logs[index], Canary(canaries))
    baton.onCompletion { [unowned self] outcome in
      let failures = outcome.failures.map { Self.number($0.error) }
      log.events.append(Event(kind: .handler, id: id, cancelled: outcome.isCancelled, failures: failures))
      if adds, let baton = batons[index] { addHandler(-id, adds: false, to: baton, index) }
      _ = canary
    }
  }

  /// A handler of a cancellation, of the baton's or of a pass's.
  func cancelHandler(_ kind: Event.Kind, _ id: Int, of baton: Int, then: (@Sendable () -> Void)? = nil)
    -> @Sendable () -> Void
  {
    let (log, canary) = (logs[baton], Canary(canaries))
    return {
      log.events.append(Event(kind: kind, id: id))
      then?()
      _ = canary
    }
  }

  static func number(_ error: any Error) -> Int {
    switch error {
    case let error as Numbered: error.number
    case is CancellationError: noise
    case let error as Baton.AbandonedError: -error.outstanding
    default: .min
    }
  }

  static func error(_ number: Int) -> any Error { number == noise ? CancellationError() : Numbered(number: number) }
}

/// What an observer counted of one baton.
struct Seen: Equatable {
  var passed = 0
  var settled = 0
  var cancelled = 0
  var completed = 0
}

/// Counts the events of the batons of a world.
///
/// Unchecked: a sequence runs on one thread.
private final class Watcher: Baton.Observer, @unchecked Sendable {
  private unowned let world: World
  private var indices: [UInt64: Int] = [:]

  init(_ world: World) { self.world = world }

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    if case .made = event {
      indices[identity.id] = world.batons.count
      world.seen[world.batons.count] = Seen()
    }
    guard let index = indices[identity.id] else { fatalError("An event before 'made': \(event)") }
    switch event {
    case .passed(let details): world.seen[index]?.passed += details.count
    case .settled(let details): world.seen[index]?.settled += details.count
    case .cancelled: world.seen[index]?.cancelled += 1
    case .completed: world.seen[index]?.completed += 1
    case .made, .misused: break
    }
  }
}
