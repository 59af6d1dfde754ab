// The Chrome trace of a timeline.

import Foundation
import Testing

@testable import Baton

/// A trace, read back, and judged by the rules of the format and of Perfetto's importer.
private struct Trace {
  struct Event {
    let phase: String
    let track: Int
    let name: String
    let start: Int
    let duration: Int?
    let arguments: [String: String]
    var end: Int { start + (duration ?? 0) }
  }

  let leftOut: Int?
  /// The values of each counter, in order.
  private(set) var counts: [String: [(time: Int, value: Int)]] = [:]
  private(set) var events: [Event] = []
  private(set) var trackNames: [Int: String] = [:]

  init(_ text: String) throws {
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(json["displayTimeUnit"] as? String == "ms")
    leftOut = (json["otherData"] as? [String: Any])?["eventsLeftOut"] as? Int
    for event in try #require(json["traceEvents"] as? [[String: Any]]) {
      let name = try #require(event["name"] as? String)
      #expect(!name.isEmpty)
      #expect(event["pid"] as? Int == 1)
      let arguments = event["args"] as? [String: Any] ?? [:]
      let phase = try #require(event["ph"] as? String)
      if phase == "M" {
        guard name == "thread_name" else { continue }
        let track = try #require(event["tid"] as? Int)
        #expect(trackNames.updateValue(try #require(arguments["name"] as? String), forKey: track) == nil)
        continue
      }
      let start = try #require(event["ts"] as? Int)
      if phase == "C" {
        let values = try #require(arguments as? [String: Int])
        #expect(values.count == 1 && event["tid"] == nil)
        counts[name, default: []].append((start, values.values.first ?? -1))
        continue
      }
      let duration = event["dur"] as? Int
      #expect(start >= 0 && (duration ?? 0) >= 0)
      #expect((duration != nil) == (phase == "X"))
      if phase == "i" { #expect(["t", "g"].contains(event["s"] as? String)) }
      events.append(
        Event(
          phase: phase, track: try #require(event["tid"] as? Int), name: name, start: start, duration: duration,
          arguments: arguments.compactMapValues { $0 as? String }))
    }
    checkNesting()
  }

  var slices: [Event] { events.filter { $0.phase != "i" } }
  var instants: [Event] { events.filter { $0.phase == "i" } }

  /// Slices of one track nest or are apart; what has begun only is never followed by what isn't inside it.
  private func checkNesting() {
    for (track, events) in Dictionary(grouping: slices, by: \.track) {
      #expect(trackNames[track] != nil)
      var stack: [Event] = []
      // Sorted as the importer does it: by time, and as they stand in the file where that is the same.
      for event in events.enumerated().sorted(by: { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }) {
        // What ends when this begins is apart from it; only instants stand on each other.
        while let outer = stack.last, outer.phase == "X", outer.end <= event.element.start,
          outer.end < event.element.start || outer.duration != 0 || event.element.duration != 0
        {
          stack.removeLast()
        }
        if let outer = stack.last, outer.phase == "X" {
          #expect(event.element.phase == "X" && event.element.end <= outer.end, "\(event.element) in \(outer)")
        }
        stack.append(event.element)
      }
    }
  }
}

/// Section 10. By the rules of Perfetto's importer, whose trace processor (v52) read such files without an error.
@Suite struct ChromeTraceTests {
  private static let start = ContinuousClock.now
  private func after(_ nanoseconds: Int) -> ContinuousClock.Instant {
    Self.start.advanced(by: .nanoseconds(nanoseconds))
  }
  private let place = Baton.Location(fileID: "App/Search.swift", line: 12)

  private func trace(_ state: TimelineState, at nanoseconds: Int = 0) throws -> Trace {
    try Trace(ChromeTrace.text(of: TimelineChart(state, at: after(nanoseconds))))
  }

  @Test func `a pass is a slice inside its baton's, with label, place and error`() throws {
    var state = TimelineState(limit: 100)
    state.made(1, parent: nil, name: "Query", at: after(0))
    state.made(2, parent: 1, name: "Files", at: after(1000))
    state.passed(2, pass: 1, label: "logo.png", location: place, count: 1, at: after(2000))
    state.cancelled(2, failure: "logo.png: not found", at: after(5500))
    state.settled(2, pass: 1, count: 1, .failed("not found"), at: after(6999))
    state.completed(2, cancelled: true, at: after(8000))
    state.completed(1, cancelled: false, at: after(9000))
    let trace = try trace(state)
    #expect(trace.trackNames == [1: "Query", 2: "Query › Files"])
    #expect(trace.slices.map(\.name) == ["Query", "Files", "logo.png"])
    #expect(trace.slices.map(\.track) == [1, 2, 2])
    #expect(trace.slices.map(\.start) == [0, 1, 2])
    #expect(trace.slices.map(\.duration) == [9, 7, 4])
    #expect(trace.slices.last?.arguments["passedAt"] == "App/Search.swift:12")
    #expect(trace.slices.last?.arguments["error"] == "not found")
    #expect(trace.slices.map { $0.arguments["outcome"] } == ["finished", "cancelled", "failed"])
    #expect(trace.instants.map(\.name) == ["cancelled: logo.png: not found"])
  }

  @Test func `passes at the same time are on tracks of their own`() throws {
    var state = TimelineState(limit: 100)
    state.made(1, parent: nil, name: "Query", at: after(0))
    for id in 1...3 as ClosedRange<UInt64> {
      state.passed(1, pass: id, label: "\(id)", location: nil, count: 1, at: after(Int(id) * 1000))
    }
    for id in 1...3 as ClosedRange<UInt64> {
      state.settled(1, pass: id, count: 1, at: after(10_000))
    }
    state.completed(1, cancelled: false, at: after(11_000))
    #expect(try trace(state).slices.map(\.track) == [1, 1, 2, 3])
  }

  @Test func `a runner's slice begins when it does, and a counter says how many wait`() throws {
    var state = TimelineState(limit: 100)
    state.made(1, parent: nil, name: "Query", at: after(0))
    for id in 1...4 as ClosedRange<UInt64> {
      state.passed(1, pass: id, label: "\(id)", location: nil, count: 1, at: after(1000))
      if id > 1 { state.runner(pass: id, .waitsForPermit, at: after(1000)) }
    }
    for id in 1...3 as ClosedRange<UInt64> {
      if id > 1 { state.runner(pass: id, .begins, at: after(Int(id) * 3000)) }
      state.settled(1, pass: id, count: 1, at: after(Int(id) * 3000 + 2000))
    }
    let trace = try trace(state, at: 20_000)
    #expect(trace.slices.map(\.start) == [0, 1, 6, 9])
    #expect(trace.slices.map { $0.arguments["waitedForPermit"] } == [nil, nil, "5.00 µs", "8.00 µs"])
    #expect(trace.slices.map(\.track) == [1, 1, 1, 1])
    let counts = try #require(trace.counts["waiting to begin: Query"])
    #expect(counts.map(\.time) == [1, 1, 1, 6, 9] && counts.map(\.value) == [1, 2, 3, 2, 1])
    #expect(trace.instants.map(\.name) == ["never started: 4"])
  }

  @Test func `what is still out has begun and not ended`() throws {
    var state = TimelineState(limit: 100)
    state.made(1, parent: nil, name: "Query", at: after(0))
    state.passed(1, pass: 1, label: "a", location: nil, count: 1, at: after(1000))
    #expect(try trace(state, at: 5000).slices.map(\.phase) == ["B", "B"])
    // Abandoned: what outlasts it is not inside it any more.
    state.completed(1, cancelled: true, at: after(3000))
    #expect(try trace(state, at: 5000).slices.map(\.phase) == ["X", "B"])
    #expect(try trace(state, at: 5000).slices.map(\.track) == [1, 2])
    state.settled(1, pass: 1, count: 1, at: after(4000))
    #expect(try trace(state, at: 5000).slices.map(\.phase) == ["X", "X"])
    #expect(try trace(state, at: 5000).slices.map(\.track) == [1, 2])
  }

  @Test func `whatever is written in a label, the file is JSON`() throws {
    var state = TimelineState(limit: 100)
    let label = "\"\\\u{1}\n\t</é画🎌\u{2028}"
    state.made(1, parent: nil, name: label, at: after(0))
    state.passed(1, pass: 1, label: label, location: nil, count: 1, at: after(0))
    #expect(try trace(state).slices.map(\.name) == [label.onOneLine, label.onOneLine])
    let bell = "a\u{7}\u{1B}b"
    #expect(!label.onOneLine.contains("\n") && !bell.onOneLine.contains("\u{1B}"))
  }

  @Test func `says what was left out, and what never started`() throws {
    var state = TimelineState(limit: 5)
    state.made(1, parent: nil, name: "Query", at: after(0))
    state.passed(1, pass: 1, label: "waited in vain", location: nil, count: 1, at: after(0))
    state.runner(pass: 1, .waitsForPermit, at: after(0))
    state.passed(1, pass: 2, label: "too many", location: nil, count: 1, at: after(0))
    let trace = try trace(state)
    #expect(trace.leftOut == 1)
    #expect(trace.instants.map(\.name) == ["never started: waited in vain", "1 event left out, after the first 5"])
  }

  @Test func `slices nest or are apart, whatever happened when`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var state = TimelineState(limit: 100_000)
      var open: [(lane: UInt64, pass: UInt64)] = []
      var (lanes, time, lastPass): (UInt64, Int, UInt64) = (0, 0, 0)
      for _ in 0..<200 {
        // Mostly less than the microseconds that are written.
        time += Int.random(in: 0...1500, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0 where lanes < 10, _ where lanes == 0:
          lanes += 1
          state.made(lanes, parent: lanes / 2 == 0 ? nil : lanes / 2, name: "\(lanes)", at: after(time))
        case 1 where lanes > 3:
          state.completed(UInt64.random(in: 1...lanes, using: &generator), cancelled: true, at: after(time))
        case 2:
          let lane = UInt64.random(in: 1...lanes, using: &generator)
          state.cancelled(lane, failure: nil, at: after(time))
        case 3...6:
          lastPass += 1
          let lane = UInt64.random(in: 1...lanes, using: &generator)
          guard state.lanes[Int(lane) - 1].completed == nil else { continue }
          open.append((lane, lastPass))
          state.passed(lane, pass: lastPass, label: "p", location: nil, count: 1, at: after(time))
        default:
          guard let index = open.indices.randomElement(using: &generator) else { continue }
          let (lane, pass) = open.remove(at: index)
          state.settled(lane, pass: pass, count: 1, at: after(time))
        }
      }
      _ = try trace(state, at: time)
    }
  }
}
