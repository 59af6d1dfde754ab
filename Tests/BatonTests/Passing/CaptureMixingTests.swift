// Captures beside each other, inside each other, and after their end.

import Dispatch
import Testing

@testable import Baton

/// What a layer below does: it wraps the callback that it is given.
private func wrap(_ body: @escaping @Sendable () -> Void = {}) -> @Sendable () -> Void { Baton.join(body) }

/// Section 8; BEHAVIOURS 34.
@Suite(.timeLimit(.minutes(10))) struct CaptureMixingTests {
  let log = EventLog()
  let ran = Log<String>()

  // MARK: Outside

  @Test func `outside a capture nothing changes`() {
    #expect(Baton.current == nil)
    let baton = Baton(observer: log)
    baton.capture {}
    let callbacks = [
      Baton.join { ran.add("plain") },
      Baton.join(
        { ran.add("failure:") },
        failure: {
          ran.add("never asked"); return SomeError()
        }),
    ]
    // As often as one likes, and never reported.
    for callback in callbacks + callbacks { callback() }
    #expect(ran.all == ["plain", "failure:", "plain", "failure:"])
    #expect(baton.tally.passed == 1 && log.misuses.isEmpty)
  }

  @Test func `a detached task and a queue are outside, a task and its children inside`() async {
    let baton = Baton(name: "Screen")
    let names = await baton.capture {
      await withTaskGroup(of: String?.self) { group in
        group.addTask { Baton.current.map { _ in "group" } }
        group.addTask { await Task { Baton.current.map { _ in "task" } }.value }
        group.addTask { await Task.detached { Baton.current.map { _ in "detached" } }.value }
        group.addTask {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Baton.current.map { _ in "queue" }) }
          }
        }
        return await group.reduce(into: Set<String>()) { if let name = $1 { $0.insert(name) } }
      }
    }
    #expect(names == ["group", "task"])
  }

  @Test func `what a baton starts inside a capture sees it too`() async {
    let (baton, other) = (Baton(name: "Screen"), Baton())
    baton.capture {
      other.start { pass in
        ran.add("start of \(Baton.current?.name ?? "nobody")")
        pass.cancel()
      }
    }
    let another = Baton()
    Baton(name: "Screen").capture { another.addTask { ran.add("task of \(Baton.current?.name ?? "nobody")") } }
    #expect(await another.ending?.isCancelled == false)
    #expect(ran.all == ["start of Screen", "task of Screen"])
  }

  // MARK: After the end

  @Test func `a task that outlives its baton gets its callbacks back as they are`() async {
    let (baton, gate) = (Baton(name: "Screen", observer: log), Gate())
    let task = baton.capture {
      Task {
        await gate.wait()
        let callback = wrap { ran.add("current: \(Baton.current?.name ?? "nobody")") }
        callback()
        callback()
        let failing = Baton.join({ ran.add("failing") }, failure: { SomeError() })
        failing()
        failing()
      }
    }
    #expect(baton.outcomeIfComplete?.isCancelled == false)
    gate.open()
    await task.value
    // The task has inherited it, but nothing is counted, reported or cancelled.
    #expect(ran.all == ["current: Screen", "current: Screen", "failing", "failing"])
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 0))
    #expect(log.misuses.isEmpty)
  }

  @Test func `a baton that was abandoned meanwhile is joined no more`() {
    let baton = Baton(observer: log)
    baton.capture {
      baton.abandon()
      let callback = wrap { ran.add("ran") }
      callback()
      callback()
    }
    #expect(ran.count == 2 && log.misuses.isEmpty && baton.tally.passed == 1)
  }

  @Test func `capturing for a complete baton traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Screen")
      baton.capture {}
      baton.capture {}
    }
    expect(result, says: "Screen", "was passed after it completed")
  }

  // MARK: Inside each other

  @Test func `of nested captures the inner one counts, then the outer one again`() {
    let (outer, inner) = (Baton(name: "outer"), Baton(name: "inner"))
    let callbacks = outer.capture {
      let before = wrap()
      let inside = inner.capture {
        #expect(Baton.current === inner)
        return wrap { #expect(Baton.current === inner) }
      }
      #expect(Baton.current === outer)
      return [before, inside, wrap { #expect(Baton.current === outer) }]
    }
    #expect(outer.tally == Baton.Tally(passed: 3, outstanding: 2))
    #expect(inner.tally == Baton.Tally(passed: 2, outstanding: 1))
    callbacks[1]()
    #expect(inner.isComplete && !outer.isComplete)
    callbacks[0]()
    callbacks[2]()
    #expect(outer.isComplete)
  }

  @Test func `a callback that is called inside another capture sees its own baton`() {
    let (one, other) = (Baton(name: "one"), Baton(name: "other"))
    let joined = Holder<@Sendable () -> Void>(nil)
    let callback = one.capture { wrap { joined.put(wrap()) } }
    other.capture {
      callback()
      #expect(Baton.current === other)
    }
    #expect(other.isComplete && one.tally == Baton.Tally(passed: 3, outstanding: 1))
    joined.take()?()
    #expect(one.isComplete)
  }

  // MARK: Beside each other

  @Test func `captures on several threads at once never mix`() async {
    let mixed = Counter()
    let batons = (0..<4).map { Baton(name: "\($0)") }
    let work = DispatchQueue(label: "work", attributes: .concurrent)
    for baton in batons { baton.pass() }
    await onThreads(4) { index in
      let (baton, neighbour) = (batons[index], batons[(index + 1) % 4])
      for _ in 0..<200 {
        let callback = baton.capture {
          wrap {
            if Baton.current !== baton { mixed.add() }
            work.async(execute: wrap { if Baton.current !== baton { mixed.add() } })
          }
        }
        // On some thread, and in somebody else's capture, if that isn't over.
        let other = neighbour.tryMakePass()
        work.async {
          if let other { other.baton.capture(callback) } else { callback() }
          other?.finish()
        }
      }
      baton.finish()
    }
    for baton in batons { #expect(await baton.ending?.isCancelled == false) }
    #expect(mixed.value == 0)
  }

  @Test func `captures in several tasks at once never mix`() async {
    let batons = (0..<8).map { Baton(name: "\($0)") }
    let mixed = await withTaskGroup(of: Int.self) { group in
      for baton in batons {
        group.addTask {
          await baton.capture {
            var mixed = 0
            for _ in 0..<100 {
              await Task.yield()
              if Baton.current !== baton { mixed += 1 }
              let callback = wrap()
              await Task.yield()
              callback()
            }
            return mixed
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(mixed == 0)
    for baton in batons { #expect(baton.outcomeIfComplete != nil && baton.tally.passed == 1 + 100) }
  }

  /// The permit comes from inside another baton's callback; what waited for it belongs to its own capture all the same.
  @Test func `a runner that waited for its permit sees the capture in which it was started`() {
    let limiter = Baton.Limiter(1)
    let (one, other) = (Baton(name: "one", limit: limiter), Baton(name: "other", limit: limiter))
    let busy = Holder<Baton.Pass>(nil)
    other.start { busy.put($0) }
    let callback = other.capture { wrap { busy.take()?.finish() } }
    let run: @Sendable (Baton.Pass) -> Void = { pass in
      ran.add(Baton.current?.name ?? "nobody")
      pass.finish()
    }
    one.capture { one.start(nil, run) }
    one.start(nil, run)
    callback()
    #expect(ran.all == ["one", "nobody"])
  }

  @Test func `a task that waited for its permit sees the capture in which it was added`() async {
    let limiter = Baton.Limiter(1)
    let (one, other) = (Baton(name: "one", limit: limiter), Baton(name: "other", limit: limiter))
    let busy = Holder<Baton.Pass>(nil)
    other.start { busy.put($0) }
    let callback = other.capture { wrap { busy.take()?.finish() } }
    one.capture { one.addTask { ran.add(Baton.current?.name ?? "nobody") } }
    callback()
    #expect(await one.ending?.isCancelled == false)
    #expect(ran.all == ["one"])
  }
}
