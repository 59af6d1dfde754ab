// What an observer is told.

import Synchronization
import Testing

@testable import Baton

/// Keeps what it is told, and may do something at once.
private final class Recorder: Baton.Observer {
  struct Entry: Sendable {
    let identity: Baton.Identity
    let event: Baton.Event
  }

  let entries = Log<Entry>()
  private let reaction: @Sendable (Baton.Identity, Baton.Event) -> Void

  init(_ reaction: @escaping @Sendable (Baton.Identity, Baton.Event) -> Void = { _, _ in }) { self.reaction = reaction }

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    entries.add(Entry(identity: identity, event: event))
    reaction(identity, event)
  }

  var identities: [Baton.Identity] { entries.all.map(\.identity) }
  var passed: [Baton.PassDetails] {
    entries.all.compactMap { if case .passed(let pass) = $0.event { pass } else { nil } }
  }
  var settled: [Baton.PassDetails] {
    entries.all.compactMap { if case .settled(let pass) = $0.event { pass } else { nil } }
  }
}

/// Section 10.
@Suite struct ObserverTests {
  let log = EventLog()

  // MARK: Events

  @Test func `is told of the making, each pass, each settle and the completion, which comes after`() {
    let baton = Baton(name: "Query", observer: log) { [log] _ in log.baton(.nobody, .completed(cancelled: false)) }
    baton.pass()
    baton.pass(count: 3)
    _ = baton.tryPass()
    let pass = baton.makePass("logo.png")
    baton.finish()
    pass.finish()
    for _ in 0..<4 { baton.finish() }
    #expect(
      log.lines == [
        "Query: made", "Query: passed 1", "Query: passed 3", "Query: passed 1", "Query: passed logo.png",
        "Query: settled 1", "Query: settled logo.png", "Query: settled 1", "Query: settled 1", "Query: settled 1",
        "Query: settled 1", "Query: completed", "?: completed",
      ])
  }

  @Test func `is told of the first cancellation only, with its failure, before the handlers run`() {
    let baton = Baton(name: "Query", observer: log)
    baton.onCancel { [log] in log.baton(.nobody, .made) }
    baton.pass()
    baton.cancelAll(SomeError(1))
    baton.cancelAll(SomeError(2))
    baton.cancel()
    #expect(
      log.lines.dropFirst(2)
        == ["Query: cancelled error 1", "?: made", "Query: settled 1", "Query: completed, cancelled"])
  }

  @Test func `is told of nothing that isn't so`() {
    let baton = Baton(name: "Query", observer: log)
    baton.pass(count: 0)
    baton.pass()
    baton.finish()
    let before = log.lines
    #expect(!baton.tryPass() && baton.tryMakePass() == nil)
    #expect(!baton.cancelAll() && !baton.abandon())
    baton.onCancel {}
    baton.onCompletion { _ in }
    _ = (baton.tally, baton.description, baton.isCancelled)
    #expect(log.lines == before)
  }

  /// A pass that is made too late counts nothing (rule 4), so that nobody would hear of its end.
  @Test func `is not told of passes that are made after abandonment`() {
    let baton = Baton(name: "Query", observer: log)
    baton.pass()
    baton.abandon()
    let before = log.lines
    baton.pass()
    baton.pass(count: 2)
    baton.makePass("late").finish()
    _ = baton.makePass("dropped")
    baton.pass("callback") {}()
    baton.start { _ in }
    #expect(log.lines == before)
  }

  @Test func `is told of a settle before the count falls`() {
    let seen = Log<Int>()
    let watched = Holder<Baton>(nil)
    let recorder = Recorder { _, event in
      if case .settled = event { seen.add(watched.current?.tally.outstanding ?? -1) }
    }
    let baton = Baton(observer: recorder)
    watched.put(baton)
    baton.pass(count: 2)
    let pass = baton.makePass()
    baton.finish()
    pass.finish()
    baton.cancel()
    #expect(seen.all == [3, 2, 1])
    watched.drop()
  }

  /// Rule 7.
  @Test func `may use the baton from each of its calls`() async {
    let calls = Counter()
    let outcome = await onThread {
      let watched = Holder<Baton>(nil)
      let recorder = Recorder { _, _ in
        guard let baton = watched.current else { return }
        if calls.add() > 1 { return }
        baton.onCompletion { _ in }
        baton.onCancel {}
        let pass = baton.tryMakePass()
        _ = (baton.tally, baton.description, baton.isCancelled)
        pass?.finish()
      }
      let baton = Baton(observer: recorder)
      watched.put(baton)
      baton.pass()
      baton.cancelAll()
      baton.finish()
      watched.drop()
      return baton.wait(timeout: patience)
    }
    #expect(outcome?.isCancelled == true)
    #expect(calls.value > 3)
  }

  // MARK: Details

  @Test func `a pass has label, place and time, and the same id at its settle as at its making`() {
    let recorder = Recorder()
    let before = ContinuousClock.now
    let baton = Baton(observer: recorder)
    let line: UInt = #line + 1
    let (first, second) = (baton.makePass("first"), baton.makePass("second"))
    second.finish()
    first.finish()
    let (passed, settled) = (recorder.passed, recorder.settled)
    #expect(passed.map(\.label) == ["first", "second"] && settled.map(\.label) == ["second", "first"])
    #expect(passed.map { $0.location?.description } == Array(repeating: "\(#fileID):\(line)", count: 2))
    #expect(settled.map { $0.location?.line } == [line, line])
    #expect(passed[0].id != nil && passed[0].id != passed[1].id)
    #expect(settled.map(\.id) == [passed[1].id, passed[0].id])
    #expect((passed + settled).allSatisfy { $0.count == 1 && $0.child == nil })
    let instants = [before] + (passed + settled).map(\.instant) + [.now]
    #expect(instants == instants.sorted())
  }

  @Test func `a bare pass has a number, and no more`() {
    let recorder = Recorder()
    let baton = Baton(observer: recorder)
    baton.pass(count: 5)
    for _ in 0..<5 { baton.finish() }
    let details = recorder.passed + recorder.settled
    #expect(details.map(\.count) == [5, 1, 1, 1, 1, 1])
    #expect(details.allSatisfy { $0.id == nil && $0.label == nil && $0.location == nil && $0.child == nil })
  }

  // MARK: Descendants

  @Test func `children inherit it, and hold a pass that names them`() throws {
    let recorder = Recorder()
    let root = Baton(name: "root", observer: recorder)
    let child = root.makeChild(name: "child")
    let grandchild = child.makeChild()
    grandchild.makePass("leaf").finish()
    #expect(root.isComplete)
    #expect(recorder.passed.map(\.label) == ["child", nil, "leaf"])
    #expect(recorder.settled.map(\.label) == ["leaf", nil, "child"])
    let identities = recorder.identities.reduce(into: [Baton.Identity]()) { if !$0.contains($1) { $0.append($1) } }
    #expect(identities.map(\.name) == ["root", "child", nil])
    #expect(identities.map(\.path) == [["root"], ["root", "child"], ["root", "child"]])
    #expect(identities[0].parent == nil && identities[1].parent == identities[0])
    #expect(identities[2].parent == identities[1])
    #expect(recorder.passed.map(\.child) == [identities[1], identities[2], nil])
    #expect(recorder.settled.map(\.id) == [recorder.passed[2].id, recorder.passed[1].id, recorder.passed[0].id])
  }

  @Test func `a cancellation is told of by each baton that it reaches`() {
    let root = Baton(name: "root", observer: log)
    root.pass()
    let child = root.makeChild(name: "child", cancellation: .contained)
    let other = root.makeChild(name: "other")
    other.pass()
    child.makeChild(name: "grandchild").makePass("leaf").cancel(SomeError(1))
    var cancelled: [String] { log.lines.filter { $0.contains(": cancelled") } }
    #expect(cancelled == ["child: cancelled error 1", "grandchild: cancelled error 1"])
    root.cancelAll(SomeError(2))
    #expect(cancelled.dropFirst(2) == ["root: cancelled error 2", "other: cancelled"])
    other.finish()
    root.finish()
    #expect(root.isComplete)
  }

  @Test func `a child of a cancelled baton is told of as cancelled`() {
    let root = Baton(name: "root", observer: log)
    root.pass()
    root.cancelAll()
    let child = root.makeChild(name: "child")
    #expect(child.isCancelled)
    #expect(log.lines.filter { $0.contains(": cancelled") } == ["root: cancelled", "child: cancelled"])
    root.finish()
  }

  // MARK: Identities

  @Test func `identities are the same when the batons are`() {
    let recorder = Recorder()
    let first = Baton(name: "Query", observer: recorder)
    let second = Baton(name: "Query", observer: recorder)
    first.withPass {}
    let identities = recorder.identities
    #expect(identities[0] == identities[2] && identities[0] != identities[1])
    #expect(Set(identities).count == 2 && identities[0].id < identities[1].id)
    second.withPass {}
  }

  @Test func `the parent is known only if an observer is told of it too`() {
    let unobserved = Baton.Lineage.make(name: "root", parent: nil, observed: false)
    let lineage = Baton.Lineage.make(name: "child", parent: unobserved, observed: true)
    #expect(unobserved?.id == 0)
    #expect(lineage.map { Baton.Identity(lineage: $0).parent == nil } == true)
    #expect(lineage.map { Baton.Identity(lineage: $0).path } == ["root", "child"])
  }

  @Test func `an identity and an observer don't keep the baton`() {
    let recorder = Recorder()
    let completed = Counter()
    var baton: Baton? = Baton(observer: recorder) { _ in completed.add() }
    #expect(recorder.identities.count == 1 && baton != nil)
    baton = nil
    #expect(completed.value == 1)
  }

  @Test func `a baton without one tells nobody, and keeps no identity`() {
    let baton = Baton(name: "Query")
    #expect(!baton.core.isObserved && baton.core.identity == nil)
    baton.core.observe { fatalError("An event was made for nobody.") }
    #expect(!baton.makeChild().core.isObserved)
  }
}

extension Baton.Identity {
  /// Of a baton that is not there.
  fileprivate static var nobody: Baton.Identity {
    Baton.Identity(lineage: Baton.Lineage.make(name: nil, parent: nil, observed: true) ?? { fatalError() }())
  }
}
