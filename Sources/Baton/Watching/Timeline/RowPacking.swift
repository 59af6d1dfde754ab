// Bars that overlap in time, in rows in which they don't.

/// Puts intervals into as few rows as there are intervals at the same time, each into the first row that is free.
struct RowPacking {
  /// The row of each interval.
  private(set) var rows: [Int]
  private(set) var count = 0

  /// - Parameters:
  ///   - intervals: Where each begins and ends.
  ///   - gap: How far one must end before the next in its row begins.
  /// - Complexity: O(*n* log *n*)
  init(_ intervals: [(start: Double, end: Double)], gap: Double = 0) {
    rows = Array(repeating: -1, count: intervals.count)
    let byStart = intervals.indices.sorted {
      (intervals[$0].start, intervals[$0].end, $0) < (intervals[$1].start, intervals[$1].end, $1)
    }
    var byEnd = intervals.indices.sorted {
      (intervals[$0].end, intervals[$0].start, $0) > (intervals[$1].end, intervals[$1].start, $1)
    }
    var free = MinimumHeap()
    for index in byStart {
      while let ending = byEnd.last, rows[ending] >= 0, intervals[ending].end + gap <= intervals[index].start {
        free.insert(rows[ending])
        byEnd.removeLast()
      }
      if let row = free.popMinimum() {
        rows[index] = row
      } else {
        rows[index] = count
        count += 1
      }
    }
  }
}

/// A binary heap: the smallest number first.
private struct MinimumHeap {
  private var heap: [Int] = []

  mutating func insert(_ number: Int) {
    heap.append(number)
    var child = heap.count - 1
    while child > 0, heap[child] < heap[(child - 1) / 2] {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popMinimum() -> Int? {
    guard let minimum = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return minimum }
    heap[0] = last
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[smallest] {
        smallest = child
      }
      guard smallest != parent else { return minimum }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
