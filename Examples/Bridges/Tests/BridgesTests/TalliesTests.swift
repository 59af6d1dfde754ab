// Progress as an AsyncSequence.
import Baton
@testable import Bridges
import Testing

@Suite(.timeLimit(.minutes(1))) struct TalliesTests {
  @Test func `the counts are told now, when they have changed, and at the end`() async {
    let baton = Baton()
    baton.pass(count: 10)
    var seen: [Baton.Tally] = []
    for await tally in baton.tallies(every: .microseconds(10)) {
      seen.append(tally)
      // Each look sees what was done before it, so none of these is missed.
      if tally.settled == 3, tally.passed == 10 { baton.pass(count: 2) } else if !baton.isComplete { baton.finish() }
    }
    #expect(seen.first?.settled == 0 && seen.first?.passed == 10)
    #expect(seen.last?.settled == 12 && seen.last?.outstanding == 0)
    #expect(seen.map(\.settled) == [0, 1, 2, 3, 3] + Array(4...12))
    #expect(seen.map(\.passed) == [10, 10, 10, 10] + Array(repeating: 12, count: 10))
  }

  @Test func `a slow reader gets the latest, and the end at once, whatever the interval`() async {
    let baton = Baton()
    baton.pass(count: 100)
    var tallies = baton.tallies(every: .seconds(3600)).makeAsyncIterator()
    #expect(await tallies.next()?.settled == 0)
    for _ in 0..<100 { baton.finish() }
    #expect(await tallies.next()?.settled == 100)
    #expect(await tallies.next() == nil)
  }

  @Test func `of a complete baton there is one`() async {
    let baton = Baton()
    baton.withPass {}
    var count = 0
    for await tally in baton.tallies() { count += tally.settled }
    #expect(count == 1)
  }

  @Test func `cancelling the reader ends it, and leaves the baton alone`() async {
    let baton = Baton()
    baton.pass()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let reader = Task {
      for await _ in baton.tallies(every: .seconds(3600)) { start.finish() }
    }
    for await _ in started {}
    reader.cancel()
    await reader.value
    #expect(!baton.isCancelled && !baton.isComplete)
    baton.finish()
  }
}
