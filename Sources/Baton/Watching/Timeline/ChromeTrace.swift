// A recording as a Chrome trace.

/// Writes the JSON array format of the trace events, as Perfetto's importer reads it:
///
/// - Slices on one track (`tid`) either nest or are apart, or else the importer drops them; hence the rows, and hence
///   whole microseconds, cut off: each edge is moved by the same rule, so that what was nested, or apart, stays so.
///   (Fractions are read as floating point there, and times that were equal may not be afterwards.)
/// - A track's name belongs to its number alone, whatever the process, so numbers are used once.
/// - What is listed first of two that begin at the same time is the outer one.
struct ChromeTrace {
  private var events: [String] = []
  private var lastTrack = 0

  static func text(of chart: TimelineChart) -> String {
    var trace = ChromeTrace()
    trace.metadata("process_name", track: nil, chart.title)
    for lane in chart.lanes.indices { trace.add(lane, of: chart) }
    if chart.leftOut > 0 {
      trace.instant("\(chart.leftOut.of("event")) left out, after the first \(chart.limit.grouped)", at: chart.duration)
    }
    return """
      {"displayTimeUnit":"ms","otherData":{"recorder":"Baton.Timeline","eventsLeftOut":\(chart.leftOut)},"traceEvents":[
      \(trace.events.joined(separator: ",\n"))
      ]}

      """
  }

  private mutating func add(_ index: Int, of chart: TimelineChart) {
    let lane = chart.lanes[index]
    let path = chart.path(of: index)
    let begun = lane.bars.filter { $0.start != nil }
    // What outlasts its baton, which was abandoned, can't lie inside the baton's slice.
    let inside = begun.filter { bar in lane.end.map { end in bar.end.map { $0 <= end } ?? false } ?? true }
    let outside = begun.filter { bar in lane.end.map { end in bar.end.map { $0 > end } ?? true } ?? false }
    let track = makeTrack(path)
    slice(
      lane.title, "baton", track, from: lane.start, to: lane.end,
      [("baton", path), ("outcome", lane.end == nil ? "open" : lane.isCancelled ? "cancelled" : "finished")])
    add(inside, path, firstTrack: track)
    add(outside, path, firstTrack: nil)
    addWaits(lane.bars, path)
    for bar in lane.bars where bar.start == nil {
      instant("never started: \(bar.title)", at: bar.end ?? bar.passed, track)
    }
    for mark in lane.marks {
      instant((mark.kind == .cancelled ? "cancelled: " : "misuse: ") + mark.text, at: mark.time, track)
    }
  }

  /// Bars on as many tracks as overlap.
  private mutating func add(_ bars: [TimelineChart.Bar], _ path: String, firstTrack: Int?) {
    let packing = RowPacking(
      bars.map { (Double(Self.microseconds($0.start ?? 0)), $0.end.map { Double(Self.microseconds($0)) } ?? .infinity) }
    )
    var tracks = firstTrack.map { [$0] } ?? []
    while tracks.count < packing.count { tracks.append(makeTrack(path)) }
    let order = bars.indices.sorted { (bars[$0].start ?? 0, $0) < (bars[$1].start ?? 0, $1) }
    for index in order {
      let bar = bars[index]
      var arguments = [("baton", path)]
      if let location = bar.location { arguments.append(("passedAt", location.description)) }
      if let start = bar.start, start > bar.passed {
        arguments.append(("waitedForPermit", Duration.nanoseconds(start - bar.passed).readable))
      }
      if let failure = bar.failure { arguments.append(("error", failure)) }
      if bar.result != .finished, bar.end != nil {
        arguments.append(("outcome", bar.failure == nil ? "cancelled" : "failed"))
      }
      slice(
        bar.title, bar.failure == nil ? "pass" : "pass,failed", tracks[packing.rows[index]], from: bar.start ?? 0,
        to: bar.end, arguments)
    }
  }

  /// How many wait to begin, as a counter: their slices begin when they do.
  private mutating func addWaits(_ bars: [TimelineChart.Bar], _ path: String) {
    let waits = bars.filter { bar in bar.start.map { $0 > bar.passed } ?? true }
    let begun = waits.compactMap { bar in (bar.start ?? bar.end).map { (time: $0, change: -1) } }
    let changes = waits.map { (time: $0.passed, change: 1) } + begun
    var count = 0
    for (time, change) in changes.sorted(by: { ($0.time, -$0.change) < ($1.time, -$1.change) }) {
      count += change
      events.append(
        #"{"ph":"C","pid":1,"ts":\#(Self.microseconds(time)),"name":\#("waiting to begin: \(path)".json),"args":{"passes":\#(count)}}"#
      )
    }
  }

  // MARK: Events

  private mutating func makeTrack(_ name: String) -> Int {
    lastTrack += 1
    metadata("thread_name", track: lastTrack, name)
    events.append(
      #"{"ph":"M","pid":1,"tid":\#(lastTrack),"name":"thread_sort_index","args":{"sort_index":\#(lastTrack)}}"#)
    return lastTrack
  }

  private mutating func metadata(_ what: String, track: Int?, _ name: String) {
    let track = track.map { #""tid":\#($0),"# } ?? ""
    events.append(#"{"ph":"M","pid":1,\#(track)"name":"\#(what)","args":{"name":\#(name.json)}}"#)
  }

  /// A slice that has ended, or one that has only begun.
  private mutating func slice(
    _ name: String, _ category: String, _ track: Int, from start: Int64, to end: Int64?, _ arguments: [(String, String)]
  ) {
    let begin = Self.microseconds(start)
    let shape = end.map { #""ph":"X","dur":\#(Self.microseconds($0) - begin)"# } ?? #""ph":"B""#
    let arguments = arguments.map { "\($0.json):\($1.json)" }.joined(separator: ",")
    events.append(
      #"{\#(shape),"pid":1,"tid":\#(track),"ts":\#(begin),"name":\#(name.json),"cat":"\#(category)","args":{\#(arguments)}}"#
    )
  }

  /// On a track, or across all of them.
  private mutating func instant(_ name: String, at time: Int64, _ track: Int? = nil) {
    let scope = track.map { #""s":"t","tid":\#($0)"# } ?? #""s":"g","tid":1"#
    events.append(
      #"{"ph":"i",\#(scope),"pid":1,"ts":\#(Self.microseconds(time)),"name":\#(name.json),"cat":"mark"}"#)
  }

  private static func microseconds(_ nanoseconds: Int64) -> Int64 { nanoseconds / 1000 }
}

extension String {
  /// As a JSON string, with its quotes.
  fileprivate var json: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case ..." ":
        result += scalar == " " ? " " : "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
