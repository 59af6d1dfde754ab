// What a progress shows, without batons.

import Testing

@testable import BatonFoundation

/// BEHAVIOURS 32.
@Suite struct ProgressEstimateTests {
  private func shown(_ estimate: ProgressEstimate) -> Double {
    estimate.total == 0 ? 0 : Double(estimate.completed) / Double(estimate.total)
  }

  @Test func `shows the passes as long as nothing is added`() {
    var estimate = ProgressEstimate()
    for settled in 0..<4 {
      estimate.update(passed: 4, settled: settled)
      #expect(estimate.completed == settled && estimate.total == 4)
    }
    estimate.complete()
    #expect(estimate.completed == 4 && estimate.total == 4)
  }

  @Test func `work that grows before any is done changes the total only`() {
    var estimate = ProgressEstimate()
    for passed in 1...9 { estimate.update(passed: passed, settled: 0) }
    #expect(estimate.completed == 0 && estimate.total == 9)
    estimate.update(passed: 9, settled: 3)
    #expect(estimate.completed == 3 && estimate.total == 9)
  }

  @Test func `never goes back when the work grows, and goes on with each pass that comes back`() {
    var estimate = ProgressEstimate()
    estimate.update(passed: 2, settled: 1)
    estimate.update(passed: 102, settled: 1)
    #expect(shown(estimate) == 0.5)
    var last = 0.5
    for settled in 2..<102 {
      estimate.update(passed: 102, settled: settled)
      #expect(shown(estimate) > last)
      last = shown(estimate)
    }
    #expect(last < 1)
    estimate.complete()
    #expect(shown(estimate) == 1)
  }

  @Test func `shows all only at completion`() {
    var estimate = ProgressEstimate()
    estimate.update(passed: 3, settled: 3)
    #expect(shown(estimate) == 0)
    estimate.update(passed: 10_000_000, settled: 9_999_999)
    #expect(shown(estimate) < 1)
    estimate.update(passed: 20_000_000, settled: 19_999_999)
    #expect(shown(estimate) < 1)
  }

  @Test func `completion is all, whatever was out, and of one when there was nothing`() {
    var estimate = ProgressEstimate()
    estimate.complete()
    #expect(estimate.completed == 1 && estimate.total == 1)
    var abandoned = ProgressEstimate()
    abandoned.update(passed: 10, settled: 4)
    abandoned.complete()
    #expect(abandoned.completed == 10 && abandoned.total == 10)
    abandoned.update(passed: 20, settled: 11)
    #expect(abandoned.completed == 10 && abandoned.total == 10)
  }

  @Test func `never goes back, whatever comes`() {
    for _ in 0..<500 {
      var estimate = ProgressEstimate()
      var (passed, settled, last) = (0, 0, 0.0)
      for _ in 0..<100 {
        if Bool.random() { passed += Int.random(in: 1...20) } else { settled += Int.random(in: 0...(passed - settled)) }
        estimate.update(passed: passed, settled: settled)
        #expect(shown(estimate) >= last && shown(estimate) < 1)
        last = shown(estimate)
      }
      estimate.complete()
      #expect(shown(estimate) == 1)
    }
  }
}
