// What a baton looks like in a log and in a debugger.

import Testing

@testable import Baton

@Suite struct DescribingTests {
  // Behaviour 11.
  @Test func `says name, counts and state at any moment`() {
    let baton = Baton(name: "Query")
    #expect("\(baton)" == "Baton \"Query\": 0 passed, 0 settled, 0 out, open")
    baton.pass(count: 3)
    baton.finish()
    #expect("\(baton)" == "Baton \"Query\": 3 passed, 1 settled, 2 out, open")
    baton.cancel()
    #expect("\(baton)" == "Baton \"Query\": 3 passed, 2 settled, 1 out, open, cancelled")
    baton.finish()
    #expect("\(baton)" == "Baton \"Query\": 3 passed, 3 settled, 0 out, complete, cancelled")
  }

  @Test func `says how it ended`() {
    let baton = Baton()
    baton.pass()
    baton.finish()
    #expect("\(baton)" == "Baton: 1 passed, 1 settled, 0 out, complete, finished")
    let abandoned = Baton()
    abandoned.pass()
    abandoned.abandon()
    #expect("\(abandoned)" == "Baton: 1 passed, 0 settled, 1 out, abandoned")
  }

  @Test func `an observed baton shows its counts, not its tripwire`() {
    let baton = Baton(name: "B", observer: EventLog())
    baton.pass(count: 2)
    baton.finish()
    #expect("\(baton)" == "Baton \"B\": 2 passed, 1 settled, 1 out, open")
    baton.cancel()
  }

  @Test func `the debug form shows what waits, and the children`() async {
    let baton = Baton(name: "root") { _ in }
    baton.pass()
    baton.onCompletion { _ in }
    baton.onCompletion { _ in }
    baton.onCancel {}
    let first = baton.makeChild(name: "first")
    first.pass()
    let grandchild = first.makeChild(name: "grandchild")
    let second = baton.makeChild(name: "second", cancellation: .contained)
    second.onCancel {}
    second.onCancel {}
    let wait = Task { await second.outcome }
    await until { second.waiterCount == 1 }
    #expect(
      baton.debugDescription == """
        Baton "root": 3 passed, 0 settled, 3 out, open, 2 completion handlers, 1 cancel handler
          Baton "first": 2 passed, 0 settled, 2 out, open
            Baton "grandchild": 0 passed, 0 settled, 0 out, open
          Baton "second": 0 passed, 0 settled, 0 out, open, 1 waiter, 2 cancel handlers
        """)
    second.withPass {}
    grandchild.withPass {}
    first.finish()
    #expect(
      baton.debugDescription
        == "Baton \"root\": 3 passed, 2 settled, 1 out, open, 2 completion handlers, 1 cancel handler")
    baton.finish()
    #expect(baton.debugDescription == "Baton \"root\": 3 passed, 3 settled, 0 out, complete, finished")
    _ = await wait.value
  }

  @Test func `a nameless child shows once it is asked for its cancellation`() {
    let baton = Baton()
    let child = baton.makeChild()
    #expect(baton.debugDescription == "Baton: 1 passed, 0 settled, 1 out, open")
    _ = child.isCancelled
    #expect(
      baton.debugDescription == """
        Baton: 1 passed, 0 settled, 1 out, open
          Baton: 0 passed, 0 settled, 0 out, open
        """)
    child.withPass {}
  }

  @Test func `the debug form ends after a hundred lines`() {
    let baton = Baton()
    let children = (0..<150).map { baton.makeChild(name: "\($0)") }
    let lines = baton.debugDescription.split(separator: "\n")
    #expect(lines.count <= 100)
    #expect(lines.last == "… and more")
    for child in children { child.withPass {} }
  }

  // Behaviour 11.
  @Test func `any thread may look at any moment`() async {
    let baton = Baton(name: "B")
    baton.pass()
    let done = Counter()
    await onThreads(3) { index in
      guard index < 2 else {
        for _ in 0..<Rounds.few {
          let child = baton.makeChild(name: "child")
          child.onCancel {}
          child.withPass {}
        }
        done.add()
        return
      }
      while done.value == 0 { _ = (baton.description, baton.debugDescription) }
    }
    baton.finish()
    let count = Rounds.few + 1
    #expect(
      baton.debugDescription == "Baton \"B\": \(count) passed, \(count) settled, 0 out, complete, finished")
  }
}
