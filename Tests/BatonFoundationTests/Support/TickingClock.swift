// A clock whose time a test moves.

import Synchronization

/// Sleepers wake when the test says so; the test waits until there is one.
final class TickingClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    let time: Duration
    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private struct State {
    var now = Instant(time: .zero)
    var sleeper: CheckedContinuation<Void, any Error>?
    var waiting: CheckedContinuation<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }
  /// Whether a sleeper was cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isCancelled, waiting) = state.withLock { state in
          if !state.isCancelled { state.sleeper = continuation }
          return (state.isCancelled, state.waiting.take())
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        waiting?.resume()
      }
    } onCancel: {
      let (sleeper, waiting) = state.withLock { state in
        state.isCancelled = true
        return (state.sleeper.take(), state.waiting.take())
      }
      sleeper?.resume(throwing: CancellationError())
      waiting?.resume()
    }
  }

  /// Returns when somebody sleeps, or was cancelled.
  func untilAsleep() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleeper == nil, !state.isCancelled { state.waiting = continuation }
        return state.waiting == nil
      }
      if isThere { continuation.resume() }
    }
  }

  /// Wakes the sleeper, and returns when it sleeps again.
  func tick() async {
    await untilAsleep()
    let sleeper = state.withLock { state in
      state.now = state.now.advanced(by: .milliseconds(100))
      return state.sleeper.take()
    }
    sleeper?.resume()
    await untilAsleep()
  }
}
