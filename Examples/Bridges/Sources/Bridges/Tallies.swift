// Progress as an AsyncSequence. Copy this file; it needs nothing but Baton.
//
//     for await tally in baton.tallies() { show("\(tally.settled) of \(tally.passed)") }
//
// A look at the counts from time to time, rather than an event for each pass: a pass stays one atomic operation, a slow
// reader is never behind, and what a person sees need not change more often.
import Baton

extension Baton {
  /// The counts, now and whenever they have changed since the last look; at the end those of the complete baton.
  ///
  /// It keeps the baton for as long as it is read. Cancelling the reading task ends it, and leaves the baton alone.
  ///
  /// - Parameters:
  ///   - interval: The time between two looks. The end is told at once.
  ///   - clock: Measures that.
  /// - Returns: A sequence that may be read more than once, each time from now on.
  func tallies<C: Clock>(
    every interval: Duration = .milliseconds(100), clock: C = ContinuousClock()
  ) -> Tallies<C> where C.Duration == Duration {
    Tallies(baton: self, interval: interval, clock: clock)
  }

  /// See `tallies(every:clock:)`.
  struct Tallies<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
    typealias Element = Tally
    fileprivate let baton: Baton
    fileprivate let interval: Duration
    fileprivate let clock: C

    func makeAsyncIterator() -> Iterator { Iterator(tallies: self) }

    struct Iterator: AsyncIteratorProtocol {
      fileprivate let tallies: Tallies
      private var last: Tally?
      private var isOver = false

      fileprivate init(tallies: Tallies) { self.tallies = tallies }

      mutating func next() async -> Tally? {
        while !isOver, !Task.isCancelled {
          // The first look is now; each later one when it is time, or when there is no more to come.
          let wait = last == nil ? .zero : tallies.interval
          isOver = await tallies.baton.outcome(within: wait, clock: tallies.clock) != nil
          let tally = tallies.baton.tally
          // The last one is told again only if it has changed: an end needs no news of its own.
          guard tally != last else { continue }
          last = tally
          return tally
        }
        return nil
      }
    }
  }
}
