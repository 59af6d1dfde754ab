// CascadeIDsTests: ids and their indices.

import Synchronization
import Testing

@testable import Baton

@Suite struct CascadeIDsTests {
  @Test func `ids are numbered in the order in which they are listed`() {
    var ids = CascadeIDs<String>()
    var indices: [Int32] = []
    ids.add(CascadeChildren(["a", "b", "a", "c"]), to: &indices)
    ids.add(CascadeChildren(["c", "d", "d", "a"]), to: &indices)
    #expect(indices == [0, 1, 0, 2, 2, 3, 3, 0])
    #expect((0..<ids.count).map { ids[$0] } == ["a", "b", "c", "d"])
    #expect(ids.index(of: "c") == 2)
    #expect(ids.index(of: "e") == nil)
  }

  @Test func `finds each of 10,000 as the table grows`() {
    var ids = CascadeIDs<Int>()
    var indices: [Int32] = []
    for start in stride(from: 0, to: 10_000, by: 7) {
      ids.add(CascadeChildren(Array(start..<start + 14)), to: &indices)
    }
    #expect(ids.count == 10_010)
    #expect((0..<ids.count).allSatisfy { ids[$0] == $0 && ids.index(of: $0) == $0 })
  }

  @Test func `tells ids with the same hash apart`() {
    var ids = CascadeIDs<Colliding>()
    var indices: [Int32] = []
    ids.add(CascadeChildren((0..<100).map { Colliding(value: $0 % 50) }), to: &indices)
    ids.add(CascadeChildren((25..<75).map { Colliding(value: $0) }), to: &indices)
    #expect(indices == (0..<100).map { $0 % 50 } + Array(25..<75))
    #expect(ids.count == 75)
  }

  @Test func `an id is hashed once for each time it is listed, and not by the table`() {
    let counts = Counts()
    let lists = (0..<1_000).map { list in (0..<5).map { Counted(value: list + $0, counts: counts) } }
    let children = lists.map { CascadeChildren($0) }
    #expect(counts.hashes.withLock { $0 } == 5_000)
    var ids = CascadeIDs<Counted>()
    var indices: [Int32] = []
    for list in children { ids.add(list, to: &indices) }
    #expect(counts.hashes.withLock { $0 } == 5_000)
    // Once for each id that is there already: two different ones hardly ever have the same 32 bits.
    #expect(counts.comparisons.withLock { $0 } <= 5_000 - ids.count + 10)
  }

  struct Colliding: Hashable, Sendable {
    var value: Int
    func hash(into hasher: inout Hasher) { hasher.combine(value % 3) }
  }

  final class Counts: Sendable {
    let hashes = Mutex(0)
    let comparisons = Mutex(0)
  }

  struct Counted: Hashable, Sendable {
    var value: Int
    var counts: Counts

    func hash(into hasher: inout Hasher) {
      counts.hashes.withLock { $0 += 1 }
      hasher.combine(value)
    }

    static func == (one: Self, other: Self) -> Bool {
      one.counts.comparisons.withLock { $0 += 1 }
      return one.value == other.value
    }
  }
}
