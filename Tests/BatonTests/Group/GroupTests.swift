// What stands in for DispatchGroup: the same, and what it adds. (Group.swift)

import Dispatch
import Testing

@testable import Baton

@Suite struct GroupTests {
  let log = Log<String>()
  let events = EventLog()

  // MARK: The same (BEHAVIOURS 39 to 41)

  @Test(arguments: Scene.all) func `does what DispatchGroup does`(scene: Scene) async {
    let original = await scene.record(DispatchGroup())
    let ours = await scene.record(Baton.Group())
    #expect(original == scene.expected, "DispatchGroup")
    #expect(ours == scene.expected, "Baton.Group")
    #expect(ours == original)
  }

  // MARK: What it adds

  @Test func `the running cycle's baton can be looked at, an empty group has none`() {
    let group = Baton.Group(name: "Services")
    #expect(group.baton == nil)
    group.enter()
    group.enter()
    #expect(group.baton?.name == "Services")
    #expect(group.baton?.tally == Baton.Tally(passed: 2, outstanding: 2))
    group.leave()
    #expect(group.baton?.tally == Baton.Tally(passed: 2, outstanding: 1))
    group.leave()
    #expect(group.baton == nil)
  }

  @Test func `each cycle has a baton of its own, and an observer hears of all`() {
    let group = Baton.Group(name: "Services", observer: events)
    for _ in 0..<2 {
      group.enter()
      group.leave()
    }
    let cycle = ["made", "passed 1", "settled 1", "completed"].map { "Services: \($0)" }
    #expect(events.lines == cycle + cycle)
  }

  // As another thread could, between the look for a cycle and the taking of its place.
  @Test func `who finds that the cycle was begun meanwhile enters that one, and leaves nothing behind`() {
    final class Entering: Baton.Observer {
      let group = Holder<Baton.Group>(nil)
      let events = EventLog()
      func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
        events.baton(identity, event)
        if case .made = event { group.take()?.enter() }
      }
    }
    let observer = Entering()
    let group = Baton.Group(name: "Services", observer: observer)
    observer.group.put(group)
    group.enter()
    #expect(group.baton?.tally == Baton.Tally(passed: 2, outstanding: 2))
    #expect(observer.events.lines.filter { $0 == "Services: completed" }.count == 1)
    for _ in 0..<2 { group.leave() }
    #expect(group.baton == nil && observer.events.misuses.isEmpty)
  }

  @Test func `a notify belongs to its cycle's baton, and is let go when it has fired`() async {
    let group = Baton.Group()
    let letGo = Gate()
    group.enter()
    group.notify(queue: .global(), execute: OnDeinit { letGo.open() }.handler())
    #expect(!letGo.isOpen)
    group.leave()
    await letGo.wait()
    #expect(group.baton == nil)
  }

  /// BEHAVIOURS 36: the closure is `@Sendable`, so that one that is written in a `@MainActor` type isn't the main actor's.
  @Test @MainActor func `work that is written on the main actor runs on another queue`() async {
    let group = Baton.Group()
    let queue = DispatchQueue(label: "notify")
    await withCheckedContinuation { continuation in
      queue.async(group: group) { [log] in log.add("work") }
      group.notify(queue: queue) {
        dispatchPrecondition(condition: .onQueue(queue))
        continuation.resume()
      }
    }
    #expect(log.all == ["work"])
  }

  @Test func `cancelling the cycle's baton is told to who asks, and the next cycle knows nothing of it`() {
    let group = Baton.Group()
    group.enter()
    let cycle = group.baton
    cycle?.cancelAll(SomeError(1))
    #expect(group.baton?.isCancelled == true)
    group.leave()
    #expect(cycle?.outcomeIfComplete?.numbers == [1])
    group.enter()
    #expect(group.baton?.isCancelled == false)
    group.leave()
  }

  @Test func `abandoned, a cycle that would never end does, and the next one is whole`() async {
    let group = Baton.Group(name: "Services")
    let notified = Gate()
    group.enter()
    group.notify(queue: .global()) { notified.open() }
    group.baton?.abandon()
    await notified.wait()
    #expect(group.baton == nil)
    #expect(await onThread { group.waits() } == "success")
    group.enter()
    #expect(await onThread { group.waits() } == "timed out")
    group.leave()
    #expect(await onThread { group.waits() } == "success")
  }

  @Test func `a wait is about the cycle in which it was called, also when the next one has begun`() async {
    let group = Baton.Group()
    group.enter()
    let cycle = group.baton
    async let waiting: Void = onThread { group.wait() }
    await until { cycle?.waiterCount == 1 }
    cycle?.onCompletion { _ in group.enter() }
    group.leave()
    await waiting
    #expect(group.baton != nil && group.baton !== cycle)
    group.leave()
  }

  /// DispatchGroup traps when it is let go in use; this ends, and says so.
  @Test func `let go in use, its notifies fire, and it is reported`() async {
    let notified = Gate()
    var group: Baton.Group? = Baton.Group(name: "Services", observer: events)
    group?.enter()
    group?.notify(queue: .global()) { notified.open() }
    group = nil
    await notified.wait()
    #expect(events.misuses.map(\.kind) == [.abandoned] && events.misuses.map(\.outstanding) == [1])
  }

  @Test func `a notify's handler may let go of the group`() async {
    let notified = Gate()
    let group = Holder(Baton.Group())
    group.current?.enter()
    group.current?.notify(queue: .global()) {
      group.drop()
      notified.open()
    }
    group.current?.leave()
    await notified.wait()
  }

  // MARK: Traps

  @Test func `a leave too many traps with the name and the counts`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let group = Baton.Group(name: "Services")
      for _ in 0..<2 { group.enter() }
      for _ in 0..<3 { group.leave() }
    }
    expect(result, says: "\"Services\"", "once too often", "(2 passed, 2 settled, 0 out)")
  }

  @Test func `a leave before any enter traps with the name and the counts`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Baton.Group(name: "Services").leave()
    }
    expect(result, says: "\"Services\"", "(0 passed, 0 settled, 0 out)")
  }
}
