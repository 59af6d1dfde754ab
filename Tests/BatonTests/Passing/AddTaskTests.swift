// Tasks that a baton starts, as its limit permits.

import Synchronization
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct AddTaskTests {
  let log = EventLog()
  let ran = Log<String>()

  @Test func `the end of the task hands the pass back`() async {
    let baton = Baton(observer: log) { _ in ran.add("completion") }
    let gate = Gate()
    baton.addTask {
      await gate.wait()
      ran.add("task")
    }
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 1))
    gate.open()
    #expect(await baton.ending?.isCancelled == false)
    #expect(ran.all == ["task", "completion"] && log.misuses.isEmpty)
  }

  @Test func `it inherits the capture in which it was begun`() async {
    let (outer, inner) = (Baton(), Baton())
    outer.capture { inner.addTask { ran.add(Baton.current === outer ? "captured" : "not captured") } }
    _ = await inner.ending
    #expect(ran.all == ["captured"])
  }

  @Test func `what it throws is recorded, with label and place`() async {
    let baton = Baton(name: "Query", observer: log)
    let line: UInt = #line + 1
    baton.addTask("logo.png") { throw SomeError(1) }
    let outcome = await baton.ending
    #expect(outcome?.failures.map(\.path) == [["Query", "logo.png"]])
    #expect(outcome?.numbers == [1])
    #expect(outcome?.failures.first?.location?.description == "\(#fileID):\(line)")
    #expect(log.misuses.isEmpty)
  }

  @Test func `runs with the priority that was asked for`() async {
    let baton = Baton()
    let seen = Log<TaskPriority>()
    baton.pass()
    baton.addTask(priority: .high) { seen.add(Task.basePriority ?? .background) }
    await until { seen.count == 1 }
    baton.addTask(priority: .low) { seen.add(Task.basePriority ?? .background) }
    await until { seen.count == 2 }
    #expect(seen.all == [.high, .low])
    baton.finish()
    #expect(await baton.ending?.isCancelled == false)
  }

  // MARK: Cancelling (section 3, BEHAVIOURS 15 and 16)

  @Test func `cancelling the baton cancels its tasks, and completion waits for them`() async {
    let baton = Baton(observer: log)
    let (begun, gate) = (Counter(), Gate())
    for number in 0..<3 {
      baton.addTask("\(number)") {
        begun.add()
        // Ends when the task is cancelled.
        await gate.wait()
        ran.add(Task.isCancelled ? "cancelled" : "finished")
        try Task.checkCancellation()
      }
    }
    await until { begun.value == 3 }
    baton.cancelAll(SomeError(1))
    let outcome = await baton.ending
    #expect(ran.all == ["cancelled", "cancelled", "cancelled"])
    // Their CancellationErrors are noise (rule 5), and none of them is misuse (BEHAVIOURS 28).
    #expect(outcome?.numbers == [1] && outcome?.failures.count == 1)
    #expect(log.misuses.isEmpty)
  }

  @Test func `a CancellationError that comes first is the cause, and recorded`() async {
    let baton = Baton()
    baton.addTask("gives up") { throw CancellationError() }
    let outcome = await baton.ending
    #expect(outcome?.isCancelled == true)
    #expect(outcome?.failures.map(\.path) == [["gives up"]])
  }

  @Test func `the first error cancels the others, whose later errors are kept`() async {
    let baton = Baton(observer: log)
    let (begun, gate) = (Gate(), Gate())
    baton.addTask("other") {
      begun.open()
      await gate.wait()
      throw SomeError(2)
    }
    await begun.wait()
    baton.addTask("first") { throw SomeError(1) }
    #expect(await baton.ending?.failures.map(\.path) == [["first"], ["other"]])
    #expect(log.misuses.isEmpty)
  }

  @Test func `cancelled before its permit came, there is no task, and the baton completes`() async {
    let limiter = Baton.Limiter(1)
    let (other, baton) = (Baton(limit: limiter), Baton(limit: limiter, observer: log))
    let busy = Holder<Baton.Pass>(nil)
    other.start { busy.put($0) }
    let letGo = Counter()
    for _ in 0..<2 {
      let capture = OnDeinit { letGo.add() }
      baton.addTask { ran.add("\(capture)") }
    }
    baton.cancelAll()
    #expect(baton.outcomeIfComplete?.failures.isEmpty == true)
    // What was to be run is gone, so nothing can run it.
    #expect(letGo.value == 2 && ran.count == 0)
    busy.take()?.finish()
    #expect(log.misuses.isEmpty)
  }

  /// Its end is nobody's mistake: there is no way to have it come sooner.
  @Test func `a task that ends after abandonment is silent, and its error is not recorded`() async {
    let baton = Baton(observer: log)
    let (begun, gate, letGo) = (Gate(), Gate(), Gate())
    let capture = Holder(OnDeinit { letGo.open() })
    baton.addTask { [capture = capture.take()] in
      begun.open()
      await gate.wait()
      ran.add(Task.isCancelled ? "cancelled" : "\(String(describing: capture))")
      throw SomeError(2)
    }
    await begun.wait()
    baton.abandon(SomeError(1))
    #expect(baton.isComplete)
    await letGo.wait()
    await until { log.lines.last == "?: settled 1" }
    #expect(ran.all == ["cancelled"] && log.misuses.isEmpty)
    #expect(baton.outcomeIfComplete?.numbers == [1])
  }

  @Test func `a task that has returned is no longer cancelled, and not kept`() async {
    let baton = Baton()
    baton.pass()
    let letGo = Gate()
    let capture = Holder(OnDeinit { letGo.open() })
    baton.addTask { [capture = capture.take()] in _ = capture }
    await letGo.wait()
    await until { baton.tally.outstanding == 1 }
    #expect(baton.core.lifecycle.withLock { $0.waiting.cancelHandlers } == 0)
    baton.finish()
  }

  // MARK: Permits

  @Test func `a task is made only when its permit is there`() async {
    let limiter = Baton.Limiter(2)
    let baton = Baton(limit: limiter)
    let gates = (0..<6).map { _ in Gate() }
    for number in 0..<6 {
      baton.addTask {
        ran.add("\(number)")
        await gates[number].wait()
      }
    }
    await until { ran.count == 2 }
    // Were there more tasks, this one would find them ahead of it.
    for _ in 0..<100 { await Task(priority: .low) { await Task.yield() }.value }
    #expect(Set(ran.all) == ["0", "1"] && limiter.counts == (2, 4))
    for number in 0..<6 {
      gates[number].open()
      await until { ran.count == min(6, number + 3) }
      #expect(ran.count <= number + 3)
    }
    #expect(await baton.ending?.isCancelled == false)
    #expect(ran.all.suffix(4) == ["2", "3", "4", "5"])
  }

  /// BEHAVIOURS 26.
  @Test func `many tasks never exceed the limit and all run`() async {
    let (running, tooMany, done) = (Counter(), Counter(), Counter())
    let baton = Baton(limit: 3)
    baton.withPass {
      for _ in 0..<1_000 {
        baton.addTask {
          if running.add() > 3 { tooMany.add() }
          await Task.yield()
          running.add(-1)
          done.add()
        }
      }
    }
    #expect(await baton.ending?.isCancelled == false)
    #expect(done.value == 1_000 && tooMany.value == 0)
  }

  /// As the documentation of `priority` says: that of the caller, although another task hands it the permit.
  @Test func `one that waited runs with its caller's priority`() async {
    let baton = Baton(limit: 1)
    let seen = Log<TaskPriority>()
    let busy = Holder<Baton.Pass>(nil)
    baton.start { busy.put($0) }
    // Nobody awaits them, which would raise their priority.
    Task.detached(priority: .low) { baton.addTask { seen.add(Task.basePriority ?? .background) } }
    await until { baton.tally.passed == 2 }
    Task.detached(priority: .high) { busy.take()?.finish() }
    #expect(await baton.ending?.isCancelled == false)
    #expect(seen.all == [.low])
  }
}
