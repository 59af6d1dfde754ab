// A clock whose time is advanced by the test.

import Synchronization
import Testing

/// Time that stands still until a test advances it.
///
/// A test awaits `sleepers(_:)` before it advances the clock, so that nothing depends on who is faster.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var sinceStart: Duration = .zero
    func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
    func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
    static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
  }

  private enum Sleeper {
    case asleep(until: Instant, CheckedContinuation<Void, any Error>)
    /// Cancelled before it fell asleep.
    case cancelled
  }

  private struct State {
    var now = Instant()
    var sleeps = 0
    var sleepers: [Int: Sleeper] = [:]
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  /// How many sleep at this moment.
  var asleep: Int {
    state.withLock { $0.sleepers.values.count { if case .asleep = $0 { true } else { false } } }
  }
  /// How often somebody wanted to sleep.
  var sleeps: Int { state.withLock { $0.sleeps } }

  /// Returns as soon as exactly so many sleep.
  func sleepers(_ count: Int) async { await until { asleep == count } }

  /// Sets the time forward, and wakes whoever is due by then, the earliest first.
  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      var due: [(Instant, CheckedContinuation<Void, any Error>)] = []
      for (id, sleeper) in state.sleepers {
        guard case .asleep(let deadline, let continuation) = sleeper, deadline <= state.now else { continue }
        due.append((deadline, continuation))
        state.sleepers[id] = nil
      }
      return due.sorted { $0.0 < $1.0 }
    }
    for (_, continuation) in due { continuation.resume() }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.sleeps += 1
      return state.sleeps
    }
    defer { state.withLock { _ = $0.sleepers.removeValue(forKey: id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in fallAsleep(id, until: deadline, continuation) }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.updateValue(.cancelled, forKey: id) }
      if case .asleep(_, let continuation) = sleeper { continuation.resume(throwing: CancellationError()) }
    }
  }

  private func fallAsleep(_ id: Int, until deadline: Instant, _ continuation: CheckedContinuation<Void, any Error>) {
    let result = state.withLock { state -> Result<Void, any Error>? in
      if case .cancelled = state.sleepers[id] { return .failure(CancellationError()) }
      if deadline <= state.now { return .success(()) }
      state.sleepers[id] = .asleep(until: deadline, continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }
}
