// Rows in which nothing overlaps.

import Testing

@testable import Baton

@Suite struct RowPackingTests {
  @Test func `what is apart shares a row, what overlaps doesn't`() {
    let packing = RowPacking([(0, 4), (1, 2), (4, 6), (2.5, 3)])
    #expect(packing.rows == [0, 1, 0, 1])
    #expect(packing.count == 2)
    #expect(RowPacking([]).count == 0)
  }

  @Test func `keeps a gap`() {
    #expect(RowPacking([(0, 4), (5, 6)], gap: 2).count == 2)
    #expect(RowPacking([(0, 4), (6, 7)], gap: 2).count == 1)
  }

  @Test func `what takes no time, and what never ends, have their places`() {
    #expect(RowPacking([(5, 5), (5, 5), (5, 9), (0, 5)]).count == 1)
    #expect(RowPacking([(0, .infinity), (1, .infinity), (2, 3)]).rows == [0, 1, 2])
  }

  @Test func `nothing overlaps, and no row is needless, whatever comes`() {
    for _ in 0..<300 {
      let intervals = (0..<Int.random(in: 1...60)).map { _ in
        let start = Double(Int.random(in: 0...40))
        return (start: start, end: start + Double(Int.random(in: 1...12)))
      }
      let packing = RowPacking(intervals)
      for row in 0..<packing.count {
        let inRow = intervals.indices.filter { packing.rows[$0] == row }.map { intervals[$0] }
          .sorted { $0.start < $1.start }
        for (left, right) in zip(inRow, inRow.dropFirst()) { #expect(left.end <= right.start) }
      }
      let most = (0...60).map { time in intervals.count { $0.start <= Double(time) && Double(time) < $0.end } }.max()
      #expect(packing.count == most)
    }
  }
}
