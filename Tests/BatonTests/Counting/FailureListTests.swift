// The failures of one baton, and how they become its parent's.

import Testing

@testable import Baton

@Suite struct FailureListTests {
  static func list(_ numbers: Int...) -> Baton.FailureList {
    var list = Baton.FailureList()
    for number in numbers { list.append(Baton.Failure(error: SomeError(number), lineage: nil)) }
    return list
  }

  static func numbers(_ list: Baton.FailureList) -> [Int] {
    list.array.map { ($0.error as? SomeError)?.number ?? -1 }
  }

  @Test func `keeps failures in the order of their coming`() {
    let list = Self.list(1, 2, 3)
    #expect(Self.numbers(list) == [1, 2, 3] && list.count == 3)
    #expect(list.head?.error as? SomeError == SomeError(1))
  }

  @Test func `starts empty`() {
    let list = Baton.FailureList()
    #expect(list.array.isEmpty && list.head == nil)
  }

  // What the parent had heard at once is not told again when the child completes.
  @Test(arguments: [0, 1])
  func `takes over another list but for what was said already`(said: Int) {
    var list = Self.list(1)
    list.append(Self.list(2, 3), dropping: said)
    #expect(Self.numbers(list) == [[1, 2, 3], [1, 3]][said])
    list.append(Baton.Failure(error: SomeError(4), lineage: nil))
    #expect(Self.numbers(list) == [[1, 2, 3, 4], [1, 3, 4]][said])
    #expect(list.count == 4 - said)
  }

  @Test func `takes over a list into an empty one`() {
    var list = Baton.FailureList()
    list.append(Self.list(1, 2), dropping: 0)
    #expect(Self.numbers(list) == [1, 2] && list.head != nil)
    list = Baton.FailureList()
    list.append(Self.list(1, 2), dropping: 1)
    #expect(Self.numbers(list) == [2])
    #expect(list.head?.error as? SomeError == SomeError(2))
  }

  @Test func `has nothing to take over from a list of which all was said`() {
    var list = Self.list(1)
    list.append(Self.list(2), dropping: 1)
    list.append(Baton.FailureList(), dropping: 0)
    list.append(Baton.FailureList(), dropping: 1)
    #expect(Self.numbers(list) == [1] && list.count == 1)
  }

  // The nodes are shared with the child, whose outcome may be read at any later time.
  @Test func `a list that was taken over still ends where it ended`() {
    let child = Self.list(1, 2)
    var parent = Self.list(0)
    parent.append(child, dropping: 0)
    parent.append(Baton.Failure(error: SomeError(3), lineage: nil))
    var root = Self.list(-5)
    root.append(parent, dropping: 1)
    root.append(Self.list(4, 5), dropping: 1)
    #expect(Self.numbers(child) == [1, 2])
    #expect(Self.numbers(parent) == [0, 1, 2, 3])
    #expect(Self.numbers(root) == [-5, 1, 2, 3, 5])
  }

  @Test func `a copy is a value`() {
    var list = Self.list(1)
    let copy = list
    list.append(Baton.Failure(error: SomeError(2), lineage: nil))
    #expect(Self.numbers(copy) == [1] && Self.numbers(list) == [1, 2])
  }

  // Rule 9, as far as the list goes: an error is let go with the last list that has it.
  @Test func `errors are let go with the list`() {
    struct Held: Error { let capture: OnDeinit }
    let freed = Counter()
    do {
      var list = Baton.FailureList()
      for _ in 0..<100 {
        list.append(Baton.Failure(error: Held(capture: OnDeinit { freed.add() }), lineage: nil))
      }
      var parent = Baton.FailureList()
      parent.append(list, dropping: 1)
      list = Baton.FailureList()
      #expect(freed.value == 1)
      _ = parent
    }
    #expect(freed.value == 100)
  }
}
