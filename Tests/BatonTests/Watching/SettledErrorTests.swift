// What an observer is told of why a pass was handed back.

import Testing

@testable import Baton

/// Notes the error of each settle.
private final class Errors: Baton.Observer {
  let log = Log<String>()

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    switch event {
    case .passed(let pass): #expect(pass.error == nil)
    case .settled(let pass): log.add("\(pass.label ?? "bare"): \(pass.error.map { "\($0)" } ?? "none")")
    default: break
    }
  }
}

/// Section 10.
@Suite struct SettledErrorTests {
  private let errors = Errors()
  private let none = "CancellationError()"

  @Test func `what finishes has none, what cancels has its own, or at least one`() {
    let baton = Baton(observer: errors)
    baton.pass(count: 3)
    baton.finish()
    baton.cancel()
    let passes = ["a", "b", "c", "d"].map { baton.makePass($0) }
    passes[0].finish()
    passes[1].cancel(SomeError(1))
    passes[2].cancel()
    _ = passes[3].tryCancel(SomeError(2))
    baton.cancel(SomeError(3))
    #expect(
      errors.log.all == [
        "bare: none", "bare: \(none)", "a: none", "b: error 1", "c: \(none)", "d: error 2", "bare: error 3",
      ])
  }

  @Test func `a wrapped callback has what its handler throws, a dropped pass says so`() {
    let baton = Baton(observer: errors)
    let completion: @Sendable (Int) -> Void = { _ in }
    let failure: @Sendable (Int) -> (any Error)? = { SomeError($0) }
    baton.withPass {
      baton.pass("callback") { throw SomeError(1) }()
      let callback: @Sendable (Int) -> Void = baton.capture {
        Baton.join(completion, label: "joined", failure: failure)
      }
      callback(2)
      _ = baton.makePass("dropped")
    }
    #expect(
      errors.log.all == [
        "callback: error 1", "bare: none", "joined: error 2", "dropped: abandoned with 1 pass out", "bare: none",
      ])
  }

  @Test func `a task has what it throws, one that never begins a CancellationError`() async {
    let baton = Baton(observer: errors)
    baton.addTask("task") { throw SomeError(3) }
    _ = await baton.outcome
    let cancelled = Baton(observer: errors)
    cancelled.withPass {
      cancelled.cancelAll()
      cancelled.addTask("never") {}
    }
    #expect(errors.log.all == ["task: error 3", "never: \(none)", "bare: none"])
  }

  @Test func `a child's pass has none, whatever became of the child`() {
    let baton = Baton(observer: errors)
    let child = baton.makeChild(name: "child")
    child.pass()
    child.cancel(SomeError(1))
    #expect(errors.log.all == ["bare: error 1", "child: none"] && baton.isCancelled)
  }

  @Test func `of a gather and a cascade it tells also what doesn't cancel`() {
    let gather = Baton.Gather<Int>(onFailure: .continues, observer: errors)
    gather.makePass("slot").cancel(SomeError(1))
    let cascade = Baton.Cascade<String, Int>(observer: errors) { id, pass in pass.cancel(SomeError(2)) }
    cascade.start(["id"]) { _ in }
    #expect(errors.log.all.filter { !$0.hasPrefix("bare") } == ["slot: error 1", "id: error 2"])
    #expect(gather.baton.outcomeIfComplete?.isCancelled == false)
  }
}
