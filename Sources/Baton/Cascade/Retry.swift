// How often, and when, a load is tried again.

extension Baton {
  /// How often a failed load is tried again, after what time, and for which errors.
  public struct Retry: Sendable {
    let attempts: Int
    let backoff: Backoff
    let predicate: @Sendable (any Error) -> Bool
    let clock: any Clock<Duration>

    /// One attempt and no more.
    public static let never = Retry.attempts(1)

    /// Tries up to so many times.
    ///
    /// - Parameters:
    ///   - count: How many attempts in all; traps if it is not positive.
    ///   - backoff: How long to wait between two.
    ///   - clock: What measures the time.
    ///   - predicate: Whether an error is worth another attempt; by default every error but a `CancellationError`.
    /// - Returns: The rule.
    public static func attempts(
      _ count: Int, backoff: Backoff = .none, clock: any Clock<Duration> = ContinuousClock(),
      when predicate: @escaping @Sendable (any Error) -> Bool = { !($0 is CancellationError) }
    ) -> Retry {
      guard count > 0 else { trapTooFew(count) }
      return Retry(attempts: count, backoff: backoff, predicate: predicate, clock: clock)
    }

    /// Whether, and after what time, a load that failed so many times is tried again.
    func delay(afterAttempt count: Int, _ error: any Error) -> Duration? {
      count < attempts && predicate(error) ? backoff.delay(count) : nil
    }

    @inline(never)
    private static func trapTooFew(_ count: Int) -> Never {
      fatalError("A load needs at least one attempt, not \(count).")
    }
  }

  /// How long to wait before a load is tried again.
  public struct Backoff: Sendable {
    /// By the number of attempts made so far, from 1.
    let delay: @Sendable (_ attempts: Int) -> Duration

    /// Not at all.
    public static let none = Backoff { _ in .zero }

    /// The same time before each attempt.
    ///
    /// - Parameter delay: The time to wait.
    /// - Returns: The rule.
    public static func constant(_ delay: Duration) -> Backoff { Backoff { _ in delay } }

    /// A time that grows by a factor with each attempt.
    ///
    /// - Parameters:
    ///   - first: The time to wait after the first attempt.
    ///   - factor: What each later time is multiplied with.
    ///   - limit: The longest time to wait.
    ///   - jitter: Which part of the time is left to chance, from 0 to 1, so that many clients don't come back at the same
    ///     moment ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
    /// - Returns: The rule.
    public static func exponential(
      from first: Duration, factor: Double = 2, upTo limit: Duration = .seconds(60), jitter: Double = 0
    ) -> Backoff {
      Backoff { attempts in
        var delay = first
        for _ in 1..<max(attempts, 1) where delay < limit { delay = delay * factor }
        delay = min(delay, limit)
        if jitter > 0 { delay = delay * (1 - Double.random(in: 0...min(jitter, 1))) }
        return delay
      }
    }
  }
}
