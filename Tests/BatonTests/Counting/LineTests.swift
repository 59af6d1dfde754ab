// A line in which one can wait and which one can leave.

import Testing

@testable import Baton

@Suite struct LineTests {
  @Test func `gives everything out in the order of its coming`() {
    var line = Line<Int>()
    for number in 0..<50 { #expect(line.append(number) == UInt64(number + 1)) }
    #expect(line.count == 50)
    #expect(line.removeAll() == Array(0..<50))
    #expect(line.count == 0 && line.removeAll().isEmpty)
  }

  @Test func `an element can leave, once`() {
    var line = Line<String>()
    let keys = ["a", "b", "c"].map { line.append($0) }
    #expect(line.remove(keys[1]) == "b" && line.count == 2)
    #expect(line.remove(keys[1]) == nil && line.count == 2)
    #expect(line.remove(0) == nil && line.remove(99) == nil)
    #expect(line.removeAll() == ["a", "c"])
  }

  // Whoever has left, or was taken out with all, must not be mistaken for somebody who came later.
  @Test func `a key is never used again`() {
    var line = Line<Int>()
    let old = line.append(1)
    _ = line.removeAll()
    let new = line.append(2)
    #expect(new > old)
    #expect(line.remove(old) == nil && line.count == 1)
    #expect(line.remove(new) == 2)
  }

  @Test func `elements can leave in any order`() {
    var line = Line<Int>()
    var waiting = (0..<200).map { (key: line.append($0), element: $0) }
    var seed = 7
    while !waiting.isEmpty {
      seed = (seed &* 1_103_515_245 &+ 12_345) & 0x7fff_ffff
      let leaving = waiting.remove(at: seed % waiting.count)
      #expect(line.remove(leaving.key) == leaving.element)
      #expect(line.count == waiting.count)
      if seed % 3 == 0 {
        let element = 1_000 + seed % 1_000
        waiting.append((line.append(element), element))
      }
      if seed % 17 == 0 {
        #expect(line.removeAll() == waiting.map(\.element))
        waiting = []
      }
      if line.count == 0, seed % 5 != 0 {
        waiting = (0..<40).map { (key: line.append($0), element: $0) }
      }
    }
  }

  // Nothing is kept of those who have left.
  @Test func `what leaves is let go`() {
    let freed = Counter()
    var line = Line<OnDeinit>()
    let keys = (0..<100).map { _ in line.append(OnDeinit { freed.add() }) }
    for key in keys[..<90] { _ = line.remove(key) }
    #expect(freed.value == 90)
    _ = line.removeAll()
    #expect(freed.value == 100)
  }

  // It must not grow for ever when everybody who comes leaves again.
  @Test func `places of those who left are used up`() {
    var line = Line<Int>()
    _ = line.append(0)
    for number in 1...10_000 { #expect(line.remove(line.append(number)) == number) }
    #expect(
      Mirror(reflecting: line).children.contains { ($0.value as? [(key: UInt64, element: Int?)])?.count ?? 99 < 40 })
    #expect(line.removeAll() == [0])
  }
}
