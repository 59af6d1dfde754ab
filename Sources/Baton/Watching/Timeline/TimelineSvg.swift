// A recording as a picture.

/// The picture of a timeline: what it is, what was slow and what failed, in words; then the lanes under a time axis.
struct TimelineSvg {
  private let chart: TimelineChart
  private let scale: SvgLane.Scale
  private var canvas = SvgCanvas()
  private var y = 0.0

  private static let width = 1280.0
  /// How many bars, and how many lanes, are drawn at most.
  private static let maximumBars = 5000
  private static let maximumLanes = 2000
  /// With more rows than this, only the slowest bars get a row with room for a label.
  private static let maximumLabelledRows = 90

  /// A bar, by its lane and its place there.
  private struct Place: Hashable {
    let lane: Int
    let bar: Int
  }

  init(_ chart: TimelineChart) {
    self.chart = chart
    scale = SvgLane.Scale(duration: chart.duration)
    draw()
  }

  /// The whole file.
  var text: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width.tenths) \(y.tenths)" \
    width="\(Self.width.tenths)" height="\(y.tenths)" role="img">
    <title>\(headline.xml)</title>
    <style>\(SvgStyle.sheet)</style>
    <rect class="page" width="100%" height="100%"/>
    \(canvas.elements.joined(separator: "\n"))
    </svg>

    """
  }

  private var headline: String {
    let isOpen = chart.lanes.contains { $0.end == nil }
    return "\(chart.title): \(Duration.nanoseconds(chart.duration).readable)\(isOpen ? " so far" : "")"
  }

  private mutating func draw() {
    // The slowest first: it decides what is drawn, and what is named.
    let places = chart.lanes.indices.flatMap { lane in
      chart.lanes[lane].bars.indices.map { Place(lane: lane, bar: $0) }
    }
    let begun = places.filter { bar($0).start != nil }.sorted { chart.work(of: bar($0)) > chart.work(of: bar($1)) }
    let drawn = begun.prefix(Self.maximumBars)
    let scale = scale
    let plain = lanes(drawn.map { ($0, nil) })
    let labelledRows = plain.reduce(0) {
      $0 + SvgLane($1.index, of: chart, $1.bars, scale, .labelled, isCrowded: false).rowCount
    }
    let isDense = labelledRows > Self.maximumLabelledRows
    // A bare pass has no name by which it could be found; it ranks only where no other does.
    let named = drawn.filter { bar($0).isNamed }
    let slowest = (named.isEmpty ? drawn : named[...]).prefix(isDense ? 10 : 5)
    let ranked = begun.count > 1 ? slowest.filter { chart.work(of: bar($0)) > 0 } : []
    let ranks = Dictionary(uniqueKeysWithValues: ranked.enumerated().map { ($1, $0 + 1) })
    let selection = lanes(drawn.map { ($0, ranks[$0]) })

    let drawnBars = selection.reduce(0) { $0 + $1.bars.count }
    drawHeader(hiddenBars: begun.count - drawnBars, hiddenLanes: chart.lanes.count - selection.count)
    drawLists(ranked)
    let density = isDense ? Self.density(selection, scale) : .labelled
    let isCrowded = selection.count > 120
    let built = selection.map { SvgLane($0.index, of: chart, $0.bars, scale, density, isCrowded: isCrowded) }
    drawAxis(above: built.reduce(0) { $0 + $1.height })
    for lane in built {
      lane.draw(on: &canvas, y: y)
      y += lane.height
    }
    y += 34
  }

  private typealias Selected = (index: Int, bars: [(bar: TimelineChart.Bar, rank: Int?)])

  private func bar(_ place: Place) -> TimelineChart.Bar { chart.lanes[place.lane].bars[place.bar] }

  /// The lanes that are drawn, in their order: those of the slowest bars, with what they descend from, if not all can be.
  private func lanes(_ bars: [(Place, Int?)]) -> [Selected] {
    var byLane: [Int: [(bar: TimelineChart.Bar, rank: Int?)]] = [:]
    for (place, rank) in bars { byLane[place.lane, default: []].append((bar(place), rank)) }
    var chosen = Set<Int>()
    for (place, _) in bars where chosen.count < Self.maximumLanes {
      var lane: Int? = place.lane
      while let next = lane, chosen.insert(next).inserted { lane = chart.lanes[next].parent }
    }
    for lane in chart.lanes.indices where chosen.count < Self.maximumLanes { chosen.insert(lane) }
    return chosen.sorted().map { ($0, byLane[$0] ?? []) }
  }

  private static func density(_ lanes: [Selected], _ scale: SvgLane.Scale) -> SvgLane.Density {
    let rows = lanes.reduce(0) { $0 + SvgLane.thinRows($1.bars.map(\.bar), scale) }
    return .dense(pitch: rows <= 120 ? 15 : min(8, max(2, (2400 / Double(rows)).rounded(.down))))
  }

  // MARK: Above the lanes

  private mutating func drawHeader(hiddenBars: Int, hiddenLanes: Int) {
    canvas.text(SvgCanvas.fitted(headline, into: 850), "h", x: 24, y: 36)
    let bars = chart.lanes.flatMap(\.bars)
    let (failed, open) = (bars.count { $0.failure != nil }, bars.count { $0.end == nil && $0.start != nil })
    let (waiting, unstarted) = (
      bars.count { $0.end == nil && $0.start == nil }, bars.count { $0.end != nil && $0.start == nil }
    )
    let cancelled = chart.lanes.count { $0.isCancelled }
    let wait = bars.compactMap { bar in bar.start.map { $0 - bar.passed } }.max() ?? 0
    let counts = [
      (chart.lanes.count, chart.lanes.count.of("baton")), (1, bars.count.of("pass", "passes")),
      (failed, "\(failed.grouped) failed"), (open, "\(open.grouped) still out"),
      (waiting, "\(waiting.grouped) waiting to begin"), (unstarted, "\(unstarted.grouped) never started"),
      (cancelled, cancelled.of("baton") + " cancelled"),
      (wait > chart.duration / 100 ? 1 : 0, "waited up to \(Duration.nanoseconds(wait).readable) to begin"),
    ]
    canvas.text(counts.filter { $0.0 > 0 }.map(\.1).joined(separator: " · "), "t", x: 24, y: 59)
    y = 82
    let notes = [
      (chart.leftOut, "\(chart.leftOut.of("event")) left out: more than the \(chart.limit.grouped) that are recorded."),
      (hiddenBars, "\(hiddenBars.of("pass", "passes")) not drawn: there are too many, and these are shorter."),
      (hiddenLanes, "\(hiddenLanes.of("baton")) not drawn."),
    ]
    for (count, note) in notes where count > 0 {
      canvas.text(note, "t F", x: 24, y: y)
      y += 19
    }
    drawLegend(bars, failed: failed, open: open)
  }

  /// Only what occurs.
  private mutating func drawLegend(_ bars: [TimelineChart.Bar], failed: Int, open: Int) {
    var x = 24.0
    func has(_ kind: TimelineState.Mark.Kind) -> Bool { chart.lanes.contains { $0.marks.contains { $0.kind == kind } } }
    let top = y - 10
    let hasWaits = bars.contains { bar in bar.start.map { $0 > bar.passed } ?? false }
    let entries: [(Bool, String, (inout SvgCanvas, Double) -> Void)] = [
      (true, "baton", { $0.rectangle("s", x: $1, y: top + 4, width: 22, height: 3) }),
      (!bars.isEmpty, "pass", { $0.rectangle("b", x: $1, y: top, width: 22, height: 11, radius: 2) }),
      (hasWaits, "waiting to begin", { $0.path("w", SvgLane.whisker(from: $1, to: $1 + 22, y: top, height: 11)) }),
      (failed > 0, "failed", { $0.rectangle("f", x: $1, y: top, width: 22, height: 11, radius: 2) }),
      (
        bars.contains { $0.result == .cancelled && $0.start != nil }, "cancelled",
        { $0.rectangle("c", x: $1, y: top, width: 22, height: 11, radius: 2) }
      ),
      (open > 0, "still out", { $0.path("o", "M\($1.tenths) \(top.tenths)h14l8 5.5l-8 5.5h-14z") }),
      (has(.cancelled), "baton cancelled", { $0.path("x", SvgLane.cross(x: $1 + 16, y: top + 5.5)) }),
      (has(.misused), "misuse", { $0.path("O", SvgLane.triangle(x: $1 + 16, y: top + 6)) }),
    ]
    for (occurs, name, draw) in entries where occurs {
      draw(&canvas, x)
      canvas.fixed(name, x: x + 28, y: y)
      x += 28 + SvgCanvas.width(of: name) + 22
    }
    y += 14
  }

  /// What went wrong, then what was slow: at full width, since both are read first.
  private mutating func drawLists(_ ranked: [Place]) {
    let troubles = troubles
    let most = max(5, ranked.count)
    if !troubles.isEmpty { drawListTitle("Failures, cancellations and misuse") }
    for (row, trouble) in troubles.prefix(most).enumerated() {
      y += 17
      canvas.fixed(Duration.nanoseconds(trouble.time).readable, "n", x: 60, y: y)
      let isLast = row == most - 1 && troubles.count > most
      let text = isLast ? "… and \((troubles.count - most + 1).grouped) more" : trouble.text
      canvas.fixed(SvgCanvas.fitted(text, into: SvgLane.Scale.margin - 150), x: 150, y: y)
    }
    if !ranked.isEmpty { drawListTitle("Slowest") }
    for (row, place) in ranked.enumerated() {
      let bar = bar(place)
      y += 17
      canvas.fixed("#\(row + 1)", "n", x: 24, y: y)
      canvas.fixed(Duration.nanoseconds(chart.work(of: bar)).readable, "n", x: 60, y: y)
      canvas.fixed(SvgCanvas.fitted(bar.title, into: 230), x: 150, y: y)
      let path = (bar.end == nil ? "still out: " : "") + chart.path(of: place.lane)
      let place = path + (bar.location.map { ", \($0)" } ?? "")
      canvas.fixed(SvgCanvas.fitted(place, into: SvgLane.Scale.margin - 395), "u", x: 395, y: y)
    }
  }

  private mutating func drawListTitle(_ title: String) {
    y += 24
    canvas.fixed(title, "n", x: 24, y: y)
  }

  /// The passes that failed, and the marks that say anything else, by time.
  private var troubles: [(time: Int64, text: String)] {
    var (known, found): (Set<String>, [(time: Int64, text: String)]) = ([], [])
    for (lane, bar) in chart.lanes.indices.flatMap({ lane in chart.lanes[lane].bars.map { (lane, $0) } }) {
      guard let failure = bar.failure else { continue }
      let text = "\(bar.title): \(failure)"
      known.insert(text)
      found.append((bar.end ?? chart.duration, "\(chart.path(of: lane)): \(text)"))
    }
    // One failure may cancel a line of batons; the first of them is the one that it came from.
    let marks = chart.lanes.indices.flatMap { lane in chart.lanes[lane].marks.map { (lane, $0) } }
    for (lane, mark) in marks.sorted(by: { ($0.1.time, -$0.0) < ($1.1.time, -$1.0) })
    where mark.kind == .misused || known.insert(mark.text).inserted {
      found.append((mark.time, "\(chart.path(of: lane)): \(mark.text)"))
    }
    return found.sorted { $0.time < $1.time }
  }

  /// Ticks above and below the lanes, and lines between.
  private mutating func drawAxis(above height: Double) {
    y += 30
    let axis = TimeAxis(duration: chart.duration, most: 10)
    for tick in axis.ticks {
      let x = scale.x(tick)
      canvas.path("g", "M\(x.tenths) \((y + 4).tenths)v\((height + 10).tenths)")
      let label = axis.label(of: tick)
      let left = min(x, SvgLane.Scale.margin - SvgCanvas.width(of: label) / 2) - SvgCanvas.width(of: label) / 2
      canvas.fixed(label, "u", x: left, y: y)
      canvas.fixed(label, "u", x: left, y: y + height + 27)
    }
    y += 10
  }
}
