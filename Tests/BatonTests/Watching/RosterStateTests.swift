// The decisions of a roster, without batons.

import Testing

@testable import Baton

/// Section 10; BEHAVIOURS 38.
@Suite struct RosterStateTests {
  private static let start = ContinuousClock.now
  private func second(_ seconds: Int) -> ContinuousClock.Instant { Self.start.advanced(by: .seconds(seconds)) }

  private let root: Baton.Identity
  private let child: Baton.Identity
  private let place = Baton.Location(fileID: "App/Search.swift", line: 12)
  private var state = RosterState()

  init() throws {
    let lineage = try #require(Baton.Lineage.make(name: "Query", parent: nil, observed: true))
    root = Baton.Identity(lineage: lineage)
    child = Baton.Identity(
      lineage: try #require(Baton.Lineage.make(name: "Files", parent: lineage, observed: true)))
    state.made(root)
  }

  private func table(at seconds: Int) -> [String] {
    Baton.Roster.table(of: state.holders, at: second(seconds)).split(separator: "\n").map(String.init)
  }

  private mutating func makeChild(at seconds: Int) {
    state.made(child)
    state.passed(root, .child(id: child.id), label: "Files", at: second(seconds))
  }

  @Test mutating func `a pass is a row from the pass to the settle, the longest first`() {
    state.passed(root, .pass(id: 1), label: "later", location: place, at: second(5))
    state.passed(root, .pass(id: 2), label: "earlier", location: place, at: second(3))
    #expect(state.holders.map(\.label) == ["earlier", "later"])
    #expect(state.holders.first?.age(at: second(10)) == .seconds(7))
    #expect(state.holders.first?.location?.description == "App/Search.swift:12")
    state.settled(root, .pass(id: 2))
    #expect(state.holders.map(\.label) == ["later"])
    state.settled(root, .pass(id: 1))
    #expect(state.holders.isEmpty)
  }

  @Test mutating func `passes of the same instant are in the order in which they came`() {
    for id in 1...20 { state.passed(root, .pass(id: UInt64(id)), label: "\(id)", at: second(1)) }
    #expect(state.holders.compactMap(\.label) == (1...20).map(String.init))
  }

  @Test mutating func `bare passes are one row with their number, since there was none`() {
    state.passed(root, .bare(count: 2), at: second(1))
    state.passed(root, .bare(count: 1), at: second(2))
    state.settled(root, .bare(count: 1))
    #expect(state.holders.map(\.count) == [2])
    #expect(state.holders.map(\.kind) == [.barePasses])
    #expect(state.holders.map(\.since) == [second(1)])
    state.settled(root, .bare(count: 2))
    #expect(state.holders.isEmpty)
    state.passed(root, .bare(count: 1), at: second(9))
    #expect(state.holders.map(\.since) == [second(9)])
  }

  @Test mutating func `a bare settle that is told of before its pass is balanced by it`() {
    state.settled(root, .bare(count: 1))
    #expect(state.holders.isEmpty)
    state.passed(root, .bare(count: 1), at: second(1))
    #expect(state.holders.isEmpty)
    state.passed(root, .bare(count: 1), at: second(2))
    #expect(state.holders.map(\.count) == [1])
  }

  @Test mutating func `a child that is held is not a row, its holders are`() {
    makeChild(at: 1)
    state.passed(child, .pass(id: 7), label: "logo.png", location: place, at: second(2))
    #expect(state.holders.map(\.label) == ["logo.png"])
    #expect(state.holders.map(\.path) == [["Query", "Files"]])
  }

  @Test mutating func `a child that nobody has passed is a row`() {
    makeChild(at: 1)
    #expect(state.holders.map(\.kind) == [.unpassedChild])
    #expect(state.holders.map(\.label) == ["Files"])
    #expect(state.holders.map(\.path) == [["Query"]])
  }

  @Test mutating func `a child whose completion hasn't returned is a row until it has`() {
    makeChild(at: 1)
    state.passed(child, .bare(count: 1), at: second(2))
    state.settled(child, .bare(count: 1))
    state.completed(child)
    #expect(state.holders.map(\.kind) == [.completedChild])
    state.settled(root, .child(id: child.id))
    #expect(state.holders.isEmpty)
  }

  @Test mutating func `one baton's holders are its own, or those of all below it`() {
    makeChild(at: 1)
    state.passed(root, .pass(id: 1), label: "own", at: second(3))
    state.passed(child, .pass(id: 2), label: "below", at: second(2))
    #expect(state.holders(of: root, withDescendants: false)?.map(\.label) == ["own"])
    #expect(state.holders(of: root, withDescendants: true)?.map(\.label) == ["below", "own"])
    #expect(state.holders(of: child, withDescendants: true)?.map(\.label) == ["below"])
    state.completed(child)
    #expect(state.holders(of: child, withDescendants: true) == nil)
  }

  @Test mutating func `what comes after completion is not noted`() {
    state.completed(root)
    state.passed(root, .pass(id: 1), label: "late", at: second(1))
    state.passed(root, .bare(count: 3), at: second(1))
    state.settled(root, .pass(id: 1))
    state.runner(root, pass: 1, .waitsForPermit, at: second(1))
    #expect(state.holders.isEmpty)
    #expect(state.openCount == 0)
  }

  @Test mutating func `a runner that waits is told from one at work, each with its time`() {
    state.passed(root, .pass(id: 1), label: "logo.png", at: second(1))
    #expect(state.holders.map(\.stageSince) == [nil])
    state.runner(root, pass: 1, .waitsForAttempt, at: second(2))
    #expect(state.holders.map(\.kind) == [.waitingAttempt])
    #expect(table(at: 9).last?.contains("\"logo.png\", waiting for its next attempt") == true)
    state.runner(root, pass: 1, .waitsForPermit, at: second(3))
    #expect(state.holders.map(\.kind) == [.waitingRunner] && state.holders.map(\.stageSince) == [second(3)])
    #expect(table(at: 9).last?.contains("\"logo.png\", waiting for a permit") == true)
    state.runner(root, pass: 1, .begins, at: second(5))
    #expect(state.holders.map(\.kind) == [.pass] && state.holders.map(\.since) == [second(1)])
    #expect(table(at: 9).last?.contains("8.00 s  \"logo.png\", at work for 4.00 s") == true)
  }

  // MARK: The table

  @Test mutating func `the table has a column for age, holder, baton and place`() {
    makeChild(at: 0)
    state.passed(child, .pass(id: 1), label: "logo.png", location: place, at: second(0))
    state.passed(child, .pass(id: 2), label: nil, location: place, at: second(9))
    state.passed(root, .bare(count: 3), at: second(10))
    #expect(
      table(at: 12) == [
        "5 passes are out, the longest for 12.0 s.",
        "OUT FOR  HOLDER         BATON          PASSED AT",
        " 12.0 s  \"logo.png\"     Query › Files  App/Search.swift:12",
        " 3.00 s  a pass         Query › Files  App/Search.swift:12",
        " 2.00 s  3 bare passes  Query",
      ])
  }

  @Test mutating func `the table says when nothing is out`() {
    #expect(table(at: 1) == ["No pass is out."])
    state.passed(root, .bare(count: 1), at: second(0))
    #expect(table(at: 1).first == "1 pass is out, for 1.00 s.")
    #expect(table(at: 1).last == " 1.00 s  one bare pass  Query")
  }

  @Test mutating func `the table stays readable whatever the labels and however many`() {
    state.passed(root, .pass(id: 0), label: "a\nb" + String(repeating: "x", count: 500), at: second(0))
    for id in 1...999 { state.passed(root, .pass(id: UInt64(id)), label: "\(id)", at: second(id)) }
    let lines = table(at: 2000)
    #expect(lines.count == 203)
    #expect(lines.last == "… and 800 more")
    #expect(lines.allSatisfy { $0.count < 100 })
  }

  @Test func `a nameless baton goes by its number`() throws {
    var state = RosterState()
    let nameless = Baton.Identity(lineage: try #require(Baton.Lineage.make(name: nil, parent: nil, observed: true)))
    state.made(nameless)
    state.passed(nameless, .bare(count: 1), at: second(0))
    #expect(state.holders.first?.title == "Baton #\(nameless.id)")
    #expect(state.holders.first?.description.hasPrefix("Baton #\(nameless.id): one bare pass, out for ") == true)
  }

  @Test func `a chain of a hundred thousand children is walked without recursion`() async {
    let holders = await onSmallStack {
      var state = RosterState()
      var lineage: Baton.Lineage?
      var first: Baton.Identity?
      for _ in 0..<100_000 {
        let next = Baton.Lineage.make(name: nil, parent: lineage, observed: true)
        guard let next else { break }
        let identity = Baton.Identity(lineage: next)
        state.made(identity)
        if let lineage { state.passed(Baton.Identity(lineage: lineage), .child(id: identity.id), at: Self.start) }
        first = first ?? identity
        lineage = next
      }
      return first.flatMap { state.holders(of: $0, withDescendants: true) } ?? []
    }
    #expect(holders.map(\.kind) == [.unpassedChild])
  }
}
