// One lane of the picture: which bar goes where, and how it is drawn.

/// The place of a lane's bars. Positions are in units of the picture; those across are fixed, those down begin at 0.
struct SvgLane {
  /// How a chart's times lie across the picture.
  struct Scale {
    static let left = 210.0
    static let right = 1240.0
    /// How far a label may reach beyond the last moment.
    static let margin = 1272.0
    let duration: Int64

    func x(_ time: Int64) -> Double {
      duration == 0 ? Self.left : Self.left + Double(time) / Double(duration) * (Self.right - Self.left)
    }
  }

  /// How many rows there is room for.
  enum Density {
    /// Every bar gets a label.
    case labelled
    /// The slowest get rows with labels, the others rows of this height.
    case dense(pitch: Double)
  }

  private struct Item {
    let bar: TimelineChart.Bar
    let label: String
    let rank: Int?
    /// Where the waiting for a permit begins, where there is anything of it to be seen.
    let wait: Double?
    let start: Double
    let end: Double
    var row = 0

    var left: Double { wait ?? start }

    var labelWidth: Double { SvgCanvas.width(of: label) + 8 }
    var isLabelInside: Bool { end - start >= labelWidth }

    /// With its label, where that is put if there is room: inside, behind, or in front.
    var occupied: (start: Double, end: Double) {
      if isLabelInside { return (left, end) }
      return end + labelWidth <= Scale.margin ? (left, end + labelWidth) : (max(left - labelWidth, Scale.left), end)
    }
  }

  static let rowHeight = 18.0
  private let index: Int
  private let chart: TimelineChart
  private let scale: Scale
  /// Those in rows with labels, and those in the thin rows below.
  private var labelled: [Item] = []
  private var thin: [Item] = []
  private var labelledRows = 0
  private var thinRows = 0
  private let pitch: Double
  private let isCrowded: Bool

  /// The rows without labels: what decides the pitch.
  static func thinRows(_ bars: [TimelineChart.Bar], _ scale: Scale) -> Int {
    RowPacking(bars.map { interval($0, scale) }).count
  }

  /// `bars` are those that are drawn, each with its rank if it is one of the slowest; a crowded picture has so many lanes
  /// that they must be low.
  init(
    _ index: Int, of chart: TimelineChart, _ bars: [(bar: TimelineChart.Bar, rank: Int?)], _ scale: Scale,
    _ density: Density, isCrowded: Bool
  ) {
    self.index = index
    self.chart = chart
    self.scale = scale
    self.isCrowded = isCrowded
    var items = bars.map { bar, rank in
      let (start, end) = Self.interval(bar, scale)
      let label =
        (rank.map { "#\($0) " } ?? "") + bar.title.shortened(to: 40) + " "
        + Duration.nanoseconds(chart.work(of: bar)).readable
      let wait = scale.x(bar.passed)
      return Item(bar: bar, label: label, rank: rank, wait: start - wait < 3 ? nil : wait, start: start, end: end)
    }
    switch density {
    case .labelled:
      pitch = Self.rowHeight
      labelledRows = Self.pack(&items, by: \.occupied, gap: 5)
      labelled = items
    case .dense(let pitch):
      self.pitch = pitch
      labelled = items.filter { $0.rank != nil }
      thin = items.filter { $0.rank == nil }
      labelledRows = Self.pack(&labelled, by: \.occupied, gap: 5)
      thinRows = Self.pack(&thin, by: { ($0.start, $0.end) }, gap: 0)
    }
  }

  private static func interval(_ bar: TimelineChart.Bar, _ scale: Scale) -> (start: Double, end: Double) {
    let start = scale.x(bar.start ?? 0)
    // What is still out goes on to the end, with room for its arrowhead.
    return (start, bar.end.map { max(scale.x($0), start + 1.5) } ?? Scale.right + 8)
  }

  private static func pack(
    _ items: inout [Item], by interval: (Item) -> (start: Double, end: Double), gap: Double
  ) -> Int {
    let packing = RowPacking(items.map(interval), gap: gap)
    for index in items.indices { items[index].row = packing.rows[index] }
    return packing.count
  }

  private var labelledHeight: Double { Double(labelledRows) * Self.rowHeight }
  private var rowsHeight: Double { labelledHeight + Double(thinRows) * pitch }
  var rowCount: Int { labelledRows + thinRows }
  private var top: Double { isCrowded ? 3 : 7 }
  var height: Double {
    let isNamed = !isCrowded || labelledRows > 0 || chart.lanes[index].depth == 0
    return max(top + rowsHeight + (isCrowded ? 1 : 4), isNamed ? 22 : 6)
  }

  // MARK: Drawing

  func draw(on canvas: inout SvgCanvas, y: Double) {
    let lane = chart.lanes[index]
    if height >= 15 {
      canvas.rectangle("z", x: 8, y: y - 0.5, width: Scale.margin - 8, height: 0.5)
      let indent = 8 + Double(min(lane.depth, 8)) * 10
      let name = SvgCanvas.fitted(lane.title, into: Scale.left - 12 - indent)
      canvas.fixed(name, lane.depth == 0 ? "n" : "", x: indent, y: y + 14)
      if height >= 38, lane.bars.count > 1 {
        canvas.fixed(lane.bars.count.of("pass", "passes"), "u", x: indent, y: y + 29)
      }
    }
    for mark in lane.marks where mark.kind == .cancelled {
      let x = scale.x(mark.time)
      canvas.path("x", "M\(x.tenths) \(y.tenths)v\(height.tenths)", tooltip: "cancelled: \(mark.text)")
    }
    drawSpan(lane, on: &canvas, y: y + 1)
    for row in Dictionary(grouping: labelled, by: \.row).sorted(by: { $0.key < $1.key }) {
      draw(
        row.value, labels: .anywhere, on: &canvas, y: y + top + Double(row.key) * Self.rowHeight,
        height: Self.rowHeight - 3)
    }
    let below = y + top + labelledHeight
    for row in Dictionary(grouping: thin, by: \.row).sorted(by: { $0.key < $1.key }) {
      draw(
        row.value, labels: pitch < 13 ? .none : .inside, on: &canvas, y: below + Double(row.key) * pitch,
        height: pitch > 2 ? pitch - 1 : pitch)
    }
    for mark in lane.marks { draw(mark, on: &canvas, y: y + 1) }
  }

  /// From the making of the baton to its completion.
  private func drawSpan(_ lane: TimelineChart.Lane, on canvas: inout SvgCanvas, y: Double) {
    let start = scale.x(lane.start)
    let thickness = isCrowded ? 1.5 : 3
    let state = lane.end == nil ? "open" : lane.isCancelled ? "cancelled" : "finished"
    let time = Duration.nanoseconds((lane.end ?? chart.duration) - lane.start).readable
    let tooltip = "\(chart.path(of: index)): \(lane.bars.count.of("pass", "passes")), \(state), \(time)"
    let end = lane.end.map { max(scale.x($0), start + 2) } ?? Scale.right
    canvas.rectangle("s", x: start, y: y, width: end - start, height: thickness, tooltip: tooltip)
    if lane.end == nil { canvas.path("s", "M\(end.tenths) \((y - 2).tenths)l8 3.5l-8 3.5z") }
  }

  private func draw(_ mark: TimelineChart.Mark, on canvas: inout SvgCanvas, y: Double) {
    let x = scale.x(mark.time)
    switch mark.kind {
    case .cancelled:
      canvas.path("x", SvgLane.cross(x: x, y: y + 1.5), tooltip: "cancelled: \(mark.text)")
    case .misused:
      canvas.path("O", SvgLane.triangle(x: x, y: y + 1.5), tooltip: mark.text)
    }
  }

  static func cross(x: Double, y: Double) -> String {
    "M\((x - 4).tenths) \((y - 4).tenths)l8 8M\((x + 4).tenths) \((y - 4).tenths)l-8 8"
  }

  /// A thin line with a foot where it begins.
  static func whisker(from start: Double, to end: Double, y: Double, height: Double) -> String {
    "M\(start.tenths) \((y + 2).tenths)v\((height - 4).tenths)h1.5V\((y + height / 2 + 0.7).tenths)"
      + "H\(end.tenths)v-1.4H\((start + 1.5).tenths)V\((y + 2).tenths)z"
  }

  static func triangle(x: Double, y: Double) -> String {
    "M\(x.tenths) \((y - 5).tenths)l5.5 9.5h-11z"
  }

  private enum Labels { case none, inside, anywhere }

  /// One row of bars: each label where there is room for it, or nowhere.
  private func draw(_ row: [Item], labels: Labels, on canvas: inout SvgCanvas, y: Double, height: Double) {
    let row = row.sorted { $0.left < $1.left }
    let baseline = y + height - (height - 8) / 2
    var free = Scale.left - 4
    for (place, item) in row.enumerated() {
      draw(item, on: &canvas, y: y, height: height)
      // The thin rows show the work only.
      let left = labels == .anywhere ? item.left : item.start
      if labels == .anywhere, let wait = item.wait {
        canvas.path("w", Self.whisker(from: wait, to: item.start, y: y, height: height))
      }
      let next = place + 1 < row.count ? row[place + 1].left : Scale.margin
      let style = item.rank == nil ? "" : "n"
      let before = free
      free = item.end
      if labels == .none { continue }
      if item.isLabelInside {
        canvas.fixed(item.label, style, x: item.start + 4, y: baseline)
      } else if labels == .anywhere, item.end + item.labelWidth + 2 <= next {
        canvas.fixed(item.label, style + " a", x: item.end + 4, y: baseline)
        free = item.end + item.labelWidth
      } else if labels == .anywhere, left - item.labelWidth >= before + 2 {
        canvas.fixed(item.label, style + " a", x: left - item.labelWidth + 4, y: baseline)
      } else {
        let title = (item.rank.map { "#\($0) " } ?? "") + item.bar.title
        let short = SvgCanvas.fitted(title, into: item.end - item.start - 8)
        // Three letters and a gap tell nothing.
        if short == title || short.count >= 6 { canvas.fixed(short, style, x: item.start + 4, y: baseline) }
      }
    }
  }

  private func draw(_ item: Item, on canvas: inout SvgCanvas, y: Double, height: Double) {
    let isLow = height < 8
    let kind = item.bar.end == nil ? "o" : item.bar.result == .finished ? "b" : item.bar.failure == nil ? "c" : "f"
    // Too low, or too narrow, for an outline: the outline's colour all over.
    let isSolid = isLow || item.end - item.start < 3
    let style = (isSolid ? kind.uppercased() : kind) + (item.rank == nil || isSolid ? "" : " k")
    let tooltip = tooltip(of: item.bar)
    guard item.bar.end == nil, !isLow else {
      canvas.rectangle(
        style, x: item.start, y: y, width: item.end - item.start, height: height, radius: isSolid ? 0 : 2,
        tooltip: tooltip)
      return
    }
    let head = item.end - 8
    canvas.path(
      style,
      "M\(item.start.tenths) \(y.tenths)H\(head.tenths)l8 \((height / 2).tenths)l-8 \((height / 2).tenths)H\(item.start.tenths)z",
      tooltip: tooltip)
  }

  private func tooltip(of bar: TimelineChart.Bar) -> String {
    let start = bar.start ?? 0
    var lines = ["\(chart.path(of: index)) › \(bar.title)"]
    let time = Duration.nanoseconds(chart.work(of: bar)).readable
    lines.append("\(bar.end == nil ? "still out after" : "took") \(time), from \(Duration.nanoseconds(start).readable)")
    if start > bar.passed { lines.append("waited \(Duration.nanoseconds(start - bar.passed).readable) for a permit") }
    if let failure = bar.failure { lines.append("failed: \(failure)") }
    if bar.result == .cancelled { lines.append("cancelled") }
    if let location = bar.location { lines.append(location.description) }
    return lines.joined(separator: "\n")
  }
}
