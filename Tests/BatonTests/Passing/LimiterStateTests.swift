// The decisions of a limiter, without any limiter.

import Testing

@testable import Baton

/// Waits for a permit, and does nothing with it.
private final class Seeker: PermitSeeker {
  var isWithdrawn: Bool { false }
  func run() -> Bool { true }
}

@Suite struct LimiterStateTests {
  private func runner() -> Seeker { Seeker() }

  @Test func `gives as many permits as there are, and then lets wait`() {
    var state = LimiterState(permits: 2)
    #expect(state.acquire(runner()) == true)
    #expect(state.out == 1)
    #expect(state.acquire(runner()) == true)
    #expect(state.acquire(runner()) == false)
    #expect(state.acquire(runner()) == false)
    #expect(state.out == 2 && state.waitingCount == 2)
  }

  @Test func `hands a permit to the one that waits longest, and none is idle meanwhile`() {
    var state = LimiterState(permits: 1)
    let runners = (0..<4).map { _ in runner() }
    _ = state.acquire(runners[0])
    for runner in runners[1...] { #expect(state.acquire(runner) == false) }
    #expect(state.release() === runners[1])
    #expect(state.out == 1 && state.waitingCount == 2)
    #expect(state.acquire(runners[0]) == false)
    #expect(state.release() === runners[2])
    #expect(state.release() === runners[3])
    #expect(state.release() === runners[0])
    #expect(state.out == 1 && state.waitingCount == 0)
  }

  @Test func `takes permits back when nobody waits, and gives them again`() {
    var state = LimiterState(permits: 2)
    _ = (state.acquire(runner()), state.acquire(runner()))
    #expect(state.release() == nil && state.out == 1)
    #expect(state.release() == nil && state.out == 0)
    #expect(state.acquire(runner()) && state.out == 1)
  }

  @Test func `an idle permit can be had without a place in the line`() {
    var state = LimiterState(permits: 2)
    #expect(state.acquire() == true)
    #expect(state.acquire(runner()) == true)
    #expect(state.acquire() == false)
    #expect(state.out == 2 && state.waitingCount == 0)
    _ = state.release()
    #expect(state.acquire() == true)
  }

  @Test func `any sequence keeps it as full as it can be, in order`() {
    for permits in [1, 3, 8] {
      var state = LimiterState(permits: permits)
      var random = SystemRandomNumberGenerator()
      var (started, waiting, out): ([ObjectIdentifier], [ObjectIdentifier], Int) = ([], [], 0)
      var expected: [ObjectIdentifier] = []
      var kept: [Seeker] = []
      for _ in 0..<2_000 {
        if out == 0 || Int.random(in: 0..<100, using: &random) < 52 {
          let runner = runner()
          kept.append(runner)
          expected.append(ObjectIdentifier(runner))
          if state.acquire(runner) {
            out += 1
            started.append(ObjectIdentifier(runner))
          } else {
            waiting.append(ObjectIdentifier(runner))
          }
        } else if let next = state.release() {
          #expect(waiting.removeFirst() == ObjectIdentifier(next))
          started.append(ObjectIdentifier(next))
        } else {
          #expect(waiting.isEmpty)
          out -= 1
        }
        #expect(state.out == out && state.waitingCount == waiting.count)
        #expect(out <= permits && (waiting.isEmpty || out == permits))
      }
      #expect(started == Array(expected.prefix(started.count)))
    }
  }

  #if DEBUG
  @Test func `a permit too many that comes back is noticed`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var state = LimiterState(permits: 2)
      _ = state.release()
    }
    expect(result, says: "-1 of 2 permits are out")
  }
  #endif
}

@Suite struct QueueTests {
  @Test func `first in, first out, also past its compactions`() {
    var queue = Queue<Int>()
    #expect(queue.isEmpty && queue.popFirst() == nil)
    var (pushed, popped) = (0, 0)
    // It grows, it shrinks to nothing, and grows again.
    for step in 0..<20 {
      for _ in 0..<step * 7 {
        queue.append(pushed)
        pushed += 1
      }
      for _ in 0..<(step % 5 == 4 ? queue.count : step * 5) {
        #expect(queue.popFirst() == popped)
        popped += 1
      }
      #expect(queue.count == pushed - popped)
    }
    #expect(pushed == popped && queue.isEmpty && queue.popFirst() == nil)
  }

  @Test func `lets go of what it gave out`() {
    let letGo = Counter()
    var queue = Queue<OnDeinit>()
    for _ in 0..<100 { queue.append(OnDeinit { letGo.add() }) }
    for count in 1...99 {
      _ = queue.popFirst()
      #expect(letGo.value == count)
    }
    #expect(queue.count == 1)
  }

  // Rule 9. Only a mirror sees the dead front; nobody else has to.
  @Test func `a line that is never empty doesn't grow`() {
    var queue = Queue<Int>()
    queue.append(0)
    for number in 1...10_000 {
      queue.append(number)
      #expect(queue.popFirst() == number - 1)
    }
    let elements = Mirror(reflecting: queue).children.first { $0.label == "elements" }?.value as? [Int?]
    #expect((1...100).contains(elements?.count ?? 0))
  }

  @Test func `a long line costs no square`() {
    var queue = Queue<Int>()
    for number in 0..<200_000 { queue.append(number) }
    let duration = ContinuousClock().measure {
      for number in 0..<200_000 where queue.popFirst() != number { Issue.record("not \(number)") }
    }
    #expect(duration < .seconds(60))
  }
}
