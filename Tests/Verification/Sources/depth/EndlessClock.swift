// Time that never passes.

import Synchronization

/// A clock on which nothing is ever due: who sleeps wakes by being cancelled, and leaves no timer behind.
struct EndlessClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration = .zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (stream, end) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(end) {}
    throw CancellationError()
  }
}
