// The ticks of a time axis.

import Testing

@testable import Baton

@Suite struct TimeAxisTests {
  private func labels(_ duration: Duration) -> [String] {
    let axis = TimeAxis(duration: duration.nanoseconds, most: 10)
    return axis.ticks.map(axis.label)
  }

  @Test func `ticks are round, in one unit, and have as many decimals as tell them apart`() {
    #expect(labels(.milliseconds(368)) == ["0", "50 ms", "100 ms", "150 ms", "200 ms", "250 ms", "300 ms", "350 ms"])
    #expect(labels(.seconds(2.2)) == ["0", "0.5 s", "1.0 s", "1.5 s", "2.0 s"])
    #expect(labels(.microseconds(1400)).last == "1.4 ms")
    #expect(labels(.nanoseconds(7)) == ["0", "1 ns", "2 ns", "3 ns", "4 ns", "5 ns", "6 ns", "7 ns"])
    #expect(
      labels(.seconds(100)) == ["0", "10 s", "20 s", "30 s", "40 s", "50 s", "1 min", "1 min 10 s"]
        + ["1 min 20 s", "1 min 30 s", "1 min 40 s"])
    #expect(labels(.seconds(3 * 3600)).prefix(3) == ["0", "30 min", "1 h"])
    #expect(labels(.seconds(90 * 86_400)).last == "90 d")
  }

  @Test func `nothing and for ever have their axes too`() {
    #expect(labels(.zero) == ["0"])
    #expect(2...12 ~= TimeAxis(duration: .max, most: 10).ticks.count)
  }

  @Test func `there are never more steps than fit, and never so few that they say nothing`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10_000 {
      let duration = Int64.random(in: 10...(1 << Int64.random(in: 5...55)), using: &generator)
      let axis = TimeAxis(duration: duration, most: 10)
      #expect(4...11 ~= axis.ticks.count, "\(duration) ns")
      #expect(Set(axis.ticks.map(axis.label)).count == axis.ticks.count, "\(duration) ns")
    }
  }
}
