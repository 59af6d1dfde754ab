// What a timeline records, without batons.

import Testing

@testable import Baton

/// Section 10.
@Suite struct TimelineStateTests {
  private static let start = ContinuousClock.now
  private func second(_ seconds: Int) -> ContinuousClock.Instant { Self.start.advanced(by: .seconds(seconds)) }

  private func state(limit: Int = 1000) -> TimelineState {
    var state = TimelineState(limit: limit)
    state.made(1, parent: nil, name: "Query", at: second(0))
    return state
  }

  @Test func `a pass is a bar from the pass to the settle`() {
    var state = state()
    state.passed(1, pass: 7, label: "a", location: nil, count: 1, at: second(1))
    #expect(state.bars.map(\.end) == [nil])
    state.settled(1, pass: 7, count: 1, at: second(3))
    state.completed(1, cancelled: false, at: second(4))
    #expect(state.bars.map(\.start) == [second(1)])
    #expect(state.bars.map(\.end) == [second(3)])
    #expect(state.lanes.map(\.completed) == [second(4)])
    #expect(state.leftOut == 0)
  }

  @Test func `of bare passes the oldest comes back first, and those of one call are one bar`() {
    var state = state()
    state.passed(1, pass: nil, label: nil, location: nil, count: 2, at: second(1))
    state.passed(1, pass: nil, label: nil, location: nil, count: 1, at: second(2))
    state.passed(1, pass: nil, label: nil, location: nil, count: 1, at: second(3))
    #expect(state.bars.map(\.count) == [2, 1, 1])
    state.settled(1, pass: nil, count: 1, at: second(4))
    #expect(state.bars.map(\.end) == [nil, nil, nil])
    state.settled(1, pass: nil, count: 2, at: second(5))
    #expect(state.bars.map(\.end) == [second(5), second(5), nil])
    state.settled(1, pass: nil, count: 1, at: second(6))
    #expect(state.bars.last?.end == second(6))
    #expect(state.leftOut == 0)
  }

  @Test func `a pass id may be used again when its pass is back`() {
    var state = state()
    for round in 0..<3 {
      state.passed(1, pass: 7, label: "\(round)", location: nil, count: 1, at: second(round))
      state.settled(1, pass: 7, count: 1, at: second(round + 1))
    }
    #expect(state.bars.map(\.end) == [second(1), second(2), second(3)])
  }

  @Test func `the pass that brought a failure is marked`() {
    var state = state()
    let place = Baton.Location(fileID: "App/Search.swift", line: 12)
    for id in [1, 2, 3] as [UInt64] {
      state.passed(1, pass: id, label: id == 3 ? "b" : "a", location: place, count: 1, at: second(0))
    }
    state.cancelled(1, failure: "b: not found", at: second(1))
    for id in [1, 3, 2] as [UInt64] {
      state.settled(
        1, pass: id, count: 1, id == 1 ? .finished : id == 2 ? .cancelled : .failed("not found"), at: second(2))
    }
    #expect(state.bars.map(\.result) == [.finished, .cancelled, .failed("not found")])
    #expect(state.marks.map(\.text) == ["b: not found"])
    #expect(state.lanes.map(\.isCancelled) == [true])
  }

  @Test func `of several bare passes the worst result is their bar's`() {
    let results: [TimelineState.Result] = [.finished, .cancelled, .failed("first"), .failed("second"), .finished]
    for (count, worst) in [(1, 0), (2, 1), (3, 2), (5, 2)] {
      var state = state()
      state.passed(1, pass: nil, label: nil, location: nil, count: count, at: second(0))
      for result in results.prefix(count) { state.settled(1, pass: nil, count: 1, result, at: second(1)) }
      #expect(state.bars.map(\.result) == [results[worst]])
    }
  }

  @Test func `a runner's bar knows when it got its permit`() {
    var state = state()
    state.passed(1, pass: 1, label: "a", location: nil, count: 1, at: second(0))
    state.runner(pass: 1, .waitsForPermit, at: second(0))
    state.runner(pass: 1, .begins, at: second(5))
    state.settled(1, pass: 1, count: 1, at: second(6))
    state.runner(pass: 1, .begins, at: second(7))
    let chart = TimelineChart(state, at: second(8))
    #expect(chart.lanes[0].bars.map(\.passed) == [0])
    #expect(chart.lanes[0].bars.map(\.start) == [Duration.seconds(5).nanoseconds])
    #expect(chart.lanes[0].bars.map(chart.work) == [Duration.seconds(1).nanoseconds])
  }

  // MARK: The limit

  @Test func `what is begun within the limit is recorded to its end, and the rest is counted`() {
    var state = state(limit: 7)
    for id in 1...4 as ClosedRange<UInt64> {
      state.passed(1, pass: id, label: nil, location: nil, count: 1, at: second(0))
    }
    state.made(2, parent: 1, name: "Child", at: second(0))
    state.passed(2, pass: 9, label: nil, location: nil, count: 1, at: second(0))
    #expect(state.bars.count == 2 && state.lanes.count == 1)
    #expect(state.leftOut == 4)
    for id in (1...4 as ClosedRange<UInt64>).reversed() {
      state.settled(1, pass: id, count: 1, at: second(1))
    }
    state.completed(1, cancelled: false, at: second(2))
    #expect(state.bars.allSatisfy { $0.end == second(1) })
    #expect(state.lanes.allSatisfy { $0.completed == second(2) })
    #expect(state.leftOut == 6)
    state.cancelled(1, failure: nil, at: second(3))
    state.misused(1, "", at: second(3))
    #expect(state.marks.count == 1)
    #expect(state.leftOut == 7)
    #expect(state.reserved == 7)
  }

  @Test func `bare passes that were left out are not taken for recorded ones`() {
    var state = state(limit: 4)
    for time in 0..<2 { state.passed(1, pass: nil, label: nil, location: nil, count: 1, at: second(time)) }
    for time in 5..<7 { state.settled(1, pass: nil, count: 1, at: second(time)) }
    #expect(state.bars.map(\.end) == [second(5)])
    #expect(state.leftOut == 2)
  }

  @Test func `a limit of zero records nothing`() {
    let state = state(limit: 0)
    #expect(state.lanes.isEmpty && state.leftOut == 1)
    #expect(TimelineChart(state, at: second(1)).title == "Nothing was recorded")
  }

  // MARK: The chart

  @Test func `lanes are in tree order, with their depths and paths`() {
    var state = state()
    state.made(2, parent: 1, name: "a", at: second(1))
    state.made(3, parent: nil, name: "Other", at: second(2))
    state.made(4, parent: 1, name: "b", at: second(3))
    state.made(5, parent: 2, name: nil, at: second(4))
    state.made(6, parent: 99, name: "Stranger", at: second(5))
    let chart = TimelineChart(state, at: second(9))
    #expect(chart.lanes.map(\.title) == ["Query", "a", "Baton #5", "b", "Other", "Stranger"])
    #expect(chart.lanes.map(\.depth) == [0, 1, 2, 1, 0, 0])
    #expect(chart.path(of: 2) == "Query › a › Baton #5")
    #expect(chart.title == "Query, Other, Stranger")
  }

  @Test func `the chart ends with the last event, or now while a baton is open`() {
    var state = state()
    state.passed(1, pass: 1, label: "never back", location: nil, count: 1, at: second(1))
    #expect(TimelineChart(state, at: second(60)).duration == Duration.seconds(60).nanoseconds)
    state.completed(1, cancelled: true, at: second(5))
    #expect(TimelineChart(state, at: second(60)).duration == Duration.seconds(5).nanoseconds)
    state.settled(1, pass: 1, count: 1, at: second(30))
    #expect(TimelineChart(state, at: second(60)).duration == Duration.seconds(30).nanoseconds)
  }

  @Test func `a deep tree is put in order without recursion`() async {
    let depth = await onSmallStack {
      var state = TimelineState(limit: .max)
      for id in 1...100_000 as ClosedRange<UInt64> {
        state.made(id, parent: id - 1, name: nil, at: Self.start)
      }
      let chart = TimelineChart(state, at: Self.start)
      return chart.lanes.last?.depth
    }
    #expect(depth == 99_999)
  }
}
