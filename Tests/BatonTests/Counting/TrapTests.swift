// What can't be survived, and what it says. (Counting.swift)

import Synchronization
import Testing

@testable import Baton

@Suite struct TrapTests {
  // Rule 1.
  @Test func `a finish too many traps with the name and the counts`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass()
      baton.finish()
      baton.finish()
    }
    expect(result, says: "Baton \"Query\" was handed back once too often (1 passed, 1 settled, 0 out).")
  }

  // Rule 1.
  @Test func `a finish without a pass traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Baton().finish()
    }
    expect(result, says: "Baton was handed back once too often (0 passed, 0 settled, 0 out).")
  }

  // Rule 1.
  @Test func `a finish too many of an observed baton traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query", observer: EventLog())
      baton.pass()
      baton.finish()
      baton.finish()
    }
    expect(result, says: "Baton \"Query\" was handed back once too often (1 passed, 1 settled, 0 out).")
  }

  // Rule 1: the counts are right beyond what the word holds.
  @Test func `a finish too many says how often the baton was ever passed`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      for _ in 0..<257 {
        baton.pass(count: 1 << 20)
        // In place of as many settles but one.
        baton.core.word.wrappingSubtract(1 << 20 - 1, ordering: .relaxed)
      }
      for _ in 0..<258 { baton.finish() }
    }
    expect(result, says: "(269484032 passed, 269484032 settled, 0 out)")
  }

  // Rule 1.
  @Test func `a cancel too many asks whether cancelAll was meant`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Baton(name: "Query").cancel()
    }
    expect(result, says: "\"Query\" was handed back once too often (0 passed", "Did you mean cancelAll()?")
  }

  @Test func `a cancel too many with an error asks whether cancelAll was meant`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass()
      baton.finish()
      baton.cancel(SomeError())
    }
    expect(result, says: "(1 passed, 1 settled, 0 out)", "Did you mean cancelAll()?")
  }

  // Rule 4.
  @Test func `a pass after completion traps with the name and the counts`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass(count: 2)
      baton.finish()
      baton.finish()
      baton.pass()
    }
    expect(result, says: "Baton \"Query\" was passed after it completed (2 passed, 2 settled, 0 out).", "tryPass()")
  }

  // Rule 4.
  @Test func `several passes after completion trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass()
      baton.finish()
      baton.pass(count: 2)
    }
    expect(result, says: "Baton \"Query\" was passed after it completed (1 passed")
  }

  // Rule 4.
  @Test func `very many passes after completion trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass()
      baton.finish()
      baton.pass(count: 2_000_000)
    }
    expect(result, says: "Baton \"Query\" was passed after it completed (1 passed")
  }

  // Rule 4.
  @Test func `a pass of an observed baton after completion traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query", observer: EventLog())
      baton.pass()
      baton.finish()
      baton.pass()
    }
    expect(result, says: "Baton \"Query\" was passed after it completed (1 passed, 1 settled, 0 out).")
  }

  // Rule 4.
  @Test func `a child after completion traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass()
      baton.finish()
      _ = baton.makeChild()
    }
    expect(result, says: "Baton \"Query\" was passed after it completed (1 passed")
  }

  // Behaviour 10.
  @Test func `a negative count traps with the number`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Baton(name: "Query").pass(count: -3)
    }
    expect(result, says: "Baton \"Query\" can't be passed -3 times.")
  }

  // Behaviour 10.
  @Test func `a count beyond the most that can be out traps with the numbers`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass()
      baton.pass(count: 536_870_913)
    }
    expect(result, says: "Baton \"Query\" can't be passed 536870913 more: 1 of at most 536870912 are out.")
  }

  // Behaviour 10: neither of the two is too many by itself.
  @Test func `many passes trap when together with those out they are too many`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass(count: 536_000_000)
      baton.pass(count: 2_000_000)
    }
    expect(result, says: "Baton \"Query\" can't be passed 2000000 more: 536000000 of at most 536870912 are out.")
  }

  // Behaviour 10.
  @Test func `a few passes trap when together with those out they are too many`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass(count: 536_870_902)
      baton.pass(count: 10)
      baton.pass(count: 2)
    }
    expect(result, says: "Baton \"Query\" can't be passed 2 more: 536870912 of at most 536870912 are out.")
  }

  // Before the guard sees anything: one more would have been in order.
  @Test func `a few passes trap when only the first of them would be in order`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass(count: 536_870_911)
      baton.pass(count: 2)
    }
    expect(result, says: "Baton \"Query\" can't be passed 2 more: 536870911 of at most 536870912 are out.")
  }

  @Test func `tryPass traps when too many are out`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass(count: 536_870_912)
      _ = baton.tryPass()
    }
    expect(result, says: "Baton \"Query\" can't be passed 1 more: 536870912 of at most 536870912 are out.")
  }

  @Test func `a pass traps when too many are out`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass(count: 536_870_912)
      baton.pass()
    }
    expect(result, says: "Baton \"Query\" can't be passed 1 more: 536870912 of at most 536870912 are out.")
  }

  @Test func `a pass of an observed baton traps when too many are out`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query", observer: EventLog())
      baton.pass(count: 536_870_912)
      baton.pass()
    }
    expect(result, says: "Baton \"Query\" can't be passed 1 more: 536870912 of at most 536870912 are out.")
  }

  @Test func `a child traps when too many are out`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass(count: 536_870_912)
      _ = baton.makeChild()
    }
    expect(result, says: "Baton \"Query\" can't be passed 1 more: 536870912 of at most 536870912 are out.")
  }
}
