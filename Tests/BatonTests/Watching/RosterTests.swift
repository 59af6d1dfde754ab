// Who still holds the baton.

import Dispatch
import Synchronization
import Testing

@testable import Baton

/// Section 10; BEHAVIOURS 38.
@Suite struct RosterTests {
  let roster = Baton.Roster()

  // MARK: Finding a hang

  /// A service that loses one of its callbacks.
  private final class Service: Sendable {
    private let kept = Log<@Sendable (String) -> Void>()

    func load(_ name: String, completion: @escaping @Sendable (String) -> Void) {
      if name == "font.ttf" { kept.add(completion) } else { completion("the contents of \(name)") }
    }
  }

  @Test func `a callback that is never called is found in one step`() {
    let service = Service()
    let query = Baton(name: "Query", observer: roster) { _ in }
    let line = #line + 2
    query.withPass {
      for name in ["index.html", "font.ttf", "logo.png"] { service.load(name, completion: query.pass(name) { _ in }) }
    }
    #expect(!query.isComplete)
    #expect(roster.holders.map(\.label) == ["font.ttf"])
    #expect(roster.description.contains("\"font.ttf\"  Query  \(#fileID):\(line)"))
  }

  @Test func `names the whole path, of every baton that it watches`() {
    let tree = Baton(name: "Tree", observer: roster)
    let pass = tree.makeChild(name: "Branch").makeChild().makePass("leaf")
    let other = Baton(name: "Other", observer: roster)
    other.pass(count: 2)
    #expect(roster.holders.map { $0.path.joined(separator: "/") } == ["Tree/Branch", "Other"])
    #expect(roster.holders.map(\.count) == [1, 2])
    pass.finish()
    other.finish()
    other.finish()
    #expect(roster.description == "No pass is out.")
  }

  @Test func `shows a child that nobody has passed`() {
    let tree = Baton(name: "Tree", observer: roster)
    let child = tree.makeChild(name: "Branch")
    #expect(roster.holders.map { $0.what(at: .now) } == ["child \"Branch\", never passed"])
    child.withPass {}
    #expect(roster.holders.isEmpty && tree.isComplete)
  }

  @Test func `shows a child whose completion is still to run`() {
    let work = Log<@Sendable () -> Void>()
    let tree = Baton(name: "Tree", observer: roster)
    tree.makeChild(name: "Branch", on: Baton.Executor { work.add($0) }) { _ in }.withPass {}
    #expect(roster.holders.map { $0.what(at: .now) } == ["child \"Branch\", still completing"])
    for work in work.all { work() }
    #expect(roster.holders.isEmpty && tree.isComplete)
  }

  // MARK: Memory

  @Test func `keeps nothing of what is back`() {
    for _ in 0..<100 {
      let baton = Baton(name: "Round", observer: roster)
      let passes = (0..<100).map { baton.makePass("\($0)") }
      let child = baton.makeChild(name: "Child")
      child.pass()
      child.finish()
      for pass in passes { pass.finish() }
    }
    #expect(roster.openCount == 0)
    #expect(roster.holders.isEmpty)
  }

  @Test func `keeps no baton alive`() {
    weak var weakBaton: Baton?
    do {
      let baton = Baton(name: "Query", observer: roster)
      weakBaton = baton
      let pass = baton.makePass("logo.png")
      #expect(roster.holders.count == 1)
      pass.finish()
    }
    #expect(weakBaton == nil)
    #expect(roster.openCount == 0)
  }

  @Test func `what comes late to an abandoned baton leaves nothing behind`() {
    let baton = Baton(name: "Query", observer: roster)
    let pass = baton.makePass("late")
    baton.abandon()
    let inert = baton.makePass("inert")
    #expect(roster.openCount == 0 && roster.holders.isEmpty)
    inert.finish()
    pass.finish()
    let child = baton.makeChild(name: "Orphan")
    #expect(roster.openCount == 1)
    child.withPass {}
    #expect(roster.openCount == 0)
  }

  @Test func `threads that pass and settle at the same time leave it empty`() {
    let baton = Baton(name: "Query", observer: roster)
    baton.withPass {
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        for round in 0..<300 {
          let pass = baton.makePass("\(thread).\(round)")
          baton.pass()
          if round.isMultiple(of: 50) { _ = roster.description }
          let child = baton.makeChild(name: "child")
          child.withPass { pass.finish() }
          baton.finish()
        }
      }
      #expect(roster.holders.map(\.kind) == [.barePasses])
    }
    #expect(baton.isComplete && roster.openCount == 0)
  }

  // MARK: Abandonment

  @Test func `an abandoned baton's failures name the holders, the longest first`() throws {
    let baton = Baton(name: "Query", observer: roster)
    let first = baton.makePass("font.ttf")
    let line = UInt(#line - 1)
    let child = baton.makeChild(name: "Files")
    let second = child.makePass("logo.png")
    baton.pass(count: 2)
    baton.abandon(SomeError(1))
    let failures = try #require(baton.outcomeIfComplete).failures
    #expect(
      failures.map { $0.path.joined(separator: "/") } == [
        "Query", "Query", "Query/font.ttf", "Query/Files/logo.png", "Query",
      ])
    #expect(failures.first?.error as? SomeError == SomeError(1))
    #expect(failures.dropFirst().compactMap { ($0.error as? Baton.AbandonedError)?.outstanding } == [4, 1, 1, 2])
    #expect(failures[2].location?.line == line)
    first.finish()
    second.finish()
  }

  @Test func `a baton that is abandoned after a time names its holders, and its parent hears of them`() async throws {
    let tree = Baton(name: "Tree", observer: Baton.Observers([Baton.Timeline(), roster]))
    tree.pass()
    let branch = tree.makeChild(name: "Branch")
    let pass = branch.makePass("leaf")
    branch.abandon(after: .zero)
    _ = await branch.outcome
    #expect(branch.outcomeIfComplete?.failures.last?.path == ["Tree", "Branch", "leaf"])
    #expect(tree.isCancelled)
    pass.finish()
    tree.finish()
    let paths = try #require(tree.outcomeIfComplete).failures.map(\.path)
    #expect(paths == [["Tree", "Branch"], ["Tree", "Branch"], ["Tree", "Branch", "leaf"]])
  }

  @Test func `a baton that is let go with bare passes names them too`() {
    let log = Log<Baton.Outcome>()
    do {
      let baton = Baton(name: "Query", observer: roster)
      baton.onCompletion { log.add($0) }
      baton.pass(count: 3)
    }
    let errors = log.all.flatMap(\.failures).map(\.error)
    #expect(errors.compactMap { ($0 as? Baton.AbandonedError)?.outstanding } == [3, 3])
  }

  @Test func `nobody is named who came back because of the abandonment`() {
    let baton = Baton(name: "Query", observer: roster)
    let quick = baton.makePass("quick")
    quick.onCancel { quick.finish() }
    let stuck = baton.makePass("stuck")
    baton.abandon()
    #expect(baton.outcomeIfComplete?.failures.map(\.label) == [nil, "stuck"])
    stuck.finish()
  }

  @Test func `without a roster only the number is known`() {
    let baton = Baton(name: "Query", observer: Baton.Timeline())
    let pass = baton.makePass("font.ttf")
    baton.abandon()
    #expect(baton.outcomeIfComplete?.failures.count == 1)
    pass.finish()
  }

  // MARK: The debugger's view

  @Test func `debugDescription shows each baton's own holders beneath its line`() {
    let tree = Baton(name: "Tree", observer: roster)
    let pass = tree.makePass("root.json")
    let branch = tree.makeChild(name: "Branch")
    branch.pass(count: 2)
    let lines = tree.debugDescription.split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("Baton \"Tree\": 2 passed"))
    #expect(lines[1].hasPrefix("  held by \"root.json\" (\(#fileID):"))
    #expect(lines[2].hasPrefix("  Baton \"Branch\": 2 passed"))
    #expect(lines[3].hasPrefix("    held by 2 bare passes for "))
    pass.finish()
    branch.finish()
    branch.finish()
  }

  @Test func `debugDescription doesn't drown in holders`() {
    let tree = Baton(name: "Tree", observer: roster)
    let passes = (0..<50).map { tree.makePass("\($0)") }
    let lines = tree.debugDescription.split(separator: "\n")
    #expect(lines.count == 22)
    #expect(lines.last == "  … and by 30 more")
    for pass in passes { pass.finish() }
  }
}
