// A recording, put in order to be drawn.

/// The lanes of a recording in tree order, with their bars and marks; times are nanoseconds since the first event.
struct TimelineChart {
  struct Lane {
    let title: String
    let depth: Int
    /// The index of the lane of which this one is a child.
    let parent: Int?
    let start: Int64
    /// Nil for a baton that is not complete.
    let end: Int64?
    let isCancelled: Bool
    var bars: [Bar] = []
    var marks: [Mark] = []
  }

  struct Bar {
    let title: String
    /// Whether there is a label or a place; a bare pass has neither.
    let isNamed: Bool
    let location: Baton.Location?
    let passed: Int64
    /// When the work began: for a runner that had to wait, when it began; nil if it never did.
    let start: Int64?
    /// Nil for a pass that is still out.
    let end: Int64?
    let result: TimelineState.Result

    var failure: String? {
      if case .failed(let text) = result { text } else { nil }
    }
  }

  struct Mark {
    let kind: TimelineState.Mark.Kind
    let time: Int64
    let text: String
  }

  let lanes: [Lane]
  /// The last event; or now, if a baton is not complete.
  let duration: Int64
  let leftOut: Int
  let limit: Int

  init(_ state: TimelineState, at now: ContinuousClock.Instant) {
    limit = state.limit
    leftOut = state.leftOut
    let origin = state.lanes.map(\.made).min() ?? now
    func time(_ instant: ContinuousClock.Instant) -> Int64 { max(0, origin.duration(to: instant).nanoseconds) }

    var last = state.lanes.contains { $0.completed == nil } ? time(now) : 0
    let order = Self.treeOrder(state.lanes)
    var lanes: [Lane] = []
    var place = Array(repeating: 0, count: state.lanes.count)
    for (index, depth, parent) in order {
      let lane = state.lanes[index]
      place[index] = lanes.count
      lanes.append(
        Lane(
          title: (lane.name ?? "Baton #\(lane.id)").onOneLine, depth: depth, parent: parent.map { place[$0] },
          start: time(lane.made), end: lane.completed.map(time), isCancelled: lane.isCancelled))
      last = max(last, time(lane.completed ?? lane.made))
    }
    for bar in state.bars {
      let start = bar.waited ? bar.begun : bar.start
      lanes[place[bar.lane]].bars.append(
        Bar(
          title: Self.title(of: bar), isNamed: bar.label != nil || bar.location != nil, location: bar.location,
          passed: time(bar.start), start: start.map(time),
          end: bar.end.map(time), result: bar.result.onOneLine))
      last = max(last, time(bar.end ?? bar.begun ?? bar.start))
    }
    for mark in state.marks {
      let time = time(mark.instant)
      lanes[place[mark.lane]].marks.append(Mark(kind: mark.kind, time: time, text: mark.text.onOneLine))
      last = max(last, time)
    }
    self.lanes = lanes
    duration = last
  }

  /// The name under which a person would look for it.
  private static func title(of bar: TimelineState.Bar) -> String {
    if let label = bar.label { return label.onOneLine }
    if let location = bar.location {
      return location.description.split(separator: "/").last.map(String.init) ?? "a pass"
    }
    return bar.count == 1 ? "bare pass" : bar.count.of("bare pass", "bare passes")
  }

  /// The lanes depth first, children in the order of their making, each with its depth and its parent's index.
  private static func treeOrder(_ lanes: [TimelineState.Lane]) -> [(index: Int, depth: Int, parent: Int?)] {
    let indices = Dictionary(lanes.indices.map { (lanes[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    var children = Array(repeating: [Int](), count: lanes.count)
    var pending: [(index: Int, depth: Int, parent: Int?)] = []
    for index in lanes.indices.reversed() {
      if let parent = lanes[index].parent.flatMap({ indices[$0] }) {
        children[parent].append(index)
      } else {
        pending.append((index, 0, nil))
      }
    }
    var order: [(index: Int, depth: Int, parent: Int?)] = []
    // A list, not recursion: trees may be deep (rule 8).
    while let next = pending.popLast() {
      order.append(next)
      pending += children[next.index].map { ($0, next.depth + 1, next.index) }
    }
    return order
  }
}

extension TimelineState.Result {
  fileprivate var onOneLine: Self {
    if case .failed(let text) = self { .failed(text.onOneLine) } else { self }
  }
}

extension TimelineChart {
  /// The names of the roots, the longest at work first.
  var title: String {
    let roots = lanes.filter { $0.depth == 0 }
      .sorted { ($0.end ?? duration) - $0.start > ($1.end ?? duration) - $1.start }.map(\.title)
    return roots.isEmpty
      ? "Nothing was recorded" : roots.prefix(3).joined(separator: ", ") + (roots.count > 3 ? " …" : "")
  }

  /// The names down to a lane, the last five of them.
  func path(of lane: Int) -> String {
    var names: [String] = []
    var next: Int? = lane
    while let lane = next, names.count < 5 {
      names.append(lanes[lane].title)
      next = lanes[lane].parent
    }
    return (next == nil ? "" : "… › ") + names.reversed().joined(separator: " › ")
  }

  /// How long a bar has been at work; 0 for one that never began.
  func work(of bar: Bar) -> Int64 { bar.start.map { (bar.end ?? duration) - $0 } ?? 0 }
}
