// A run that is ended although runners never come back. (RelayRun.swift)

import Testing

@testable import Baton

@Suite struct RelayAbandonTests {
  let log = Log<String>()
  let events = EventLog()

  @Test func `abandoned inside a leg, the finallys run, then the completion`() async {
    let passes = Log<Baton.Gather<Int>.Pass>()
    let door = Gate()
    let relay = Baton.Relay(name: "Import", of: Int.self, observer: events)
      .leg("Hangs", of: Int.self) { _, gather in passes.add(gather.makePass("lost")) }
      .leg("Next", of: Int.self) { _, _ in log.add("next") }
      .finally { outcome in
        await door.wait()
        log.add("finally A: \(outcome.failures.first.map { "\($0.error)" } ?? "none")")
      }
      .finally { _ in log.add("finally B") }
    let done = Gate()
    let running = relay.start(1) { result in
      log.add("\(result)")
      done.open()
    }
    #expect(running.abandon(SomeError(1)))
    #expect(running.isComplete && log.all == [])
    door.open()
    await done.wait()
    #expect(log.all == ["finally A: error 1", "finally B", "failure(error 1)"])
    // What comes in late is absorbed.
    passes.all[0].finish(1)
    #expect(log.count == 3)
  }

  @Test func `abandoned without an error, it fails with an AbandonedError`() async {
    let passes = Log<Baton.Gather<Int>.Pass>()
    let relay = Baton.Relay(of: Int.self)
      .leg("Hangs", of: Int.self) { _, gather in passes.add(gather.makePass()) }
    let done = Gate()
    let running = relay.start(1) { result in
      if case .failure(let error) = result { log.add("\(type(of: error))") }
      done.open()
    }
    running.abandon()
    await done.wait()
    #expect(log.all == ["AbandonedError"])
    passes.all[0].finish(1)
  }

  @Test func `abandoned while a finally runs, the legs' result stays, and the finally is waited for`() async {
    let (entered, door, done) = (Gate(), Gate(), Gate())
    let relay = Baton.Relay(of: Int.self)
      .step { $0 + 1 }
      .finally { _ in
        entered.open()
        await door.wait()
        log.add("finally")
      }
    let running = relay.start(1) { result in
      log.add("\(result)")
      done.open()
    }
    await entered.wait()
    running.abandon()
    #expect(running.isComplete && log.all == [])
    door.open()
    await done.wait()
    #expect(log.all == ["finally", "success(2)"])
  }

  @Test func `abandoned by its leg's body, it goes on to the finallys`() async {
    let baton = Holder<Baton>(nil)
    let passes = Log<Baton.Gather<Int>.Pass>()
    let relay = Baton.Relay(of: Int.self)
      .leg("First", of: Int.self) { _, gather in passes.add(gather.makePass()) }
      .leg("Abandons", of: Int.self) { _, gather in
        passes.add(gather.makePass("lost"))
        baton.take()?.abandon(SomeError(1))
        gather.start { _ in log.add("started") }
        log.add("body is over")
      }
      .leg("Next", of: Int.self) { _, _ in log.add("next") }
      .finally { _ in log.add("finally") }
    let done = Gate()
    baton.put(
      relay.start(1) { result in
        log.add("\(result)")
        done.open()
      })
    passes.all[0].finish(1)
    await done.wait()
    #expect(log.all == ["body is over", "finally", "failure(error 1)"])
    passes.all[1].finish(1)
  }

  @Test func `a leg that is abandoned alone fails the relay, and not more`() async {
    let relay = Baton.Relay(name: "Import", of: Int.self)
      .leg("Hangs", of: Int.self) { _, gather in
        let pass = gather.makePass("lost")
        gather.baton.abandon()
        pass.finish(1)
      }
      .leg("Next", of: Int.self) { _, _ in log.add("next") }
      .finally { log.add(RelayEndTests.words($0)) }
    await #expect(throws: Baton.AbandonedError.self) { try await relay.run(1) }
    #expect(log.all == ["cancelled [\"abandoned with 2 passes out\"]"])
  }

  @Test func `a runner that forgets its pass fails the leg`() async {
    let relay = Baton.Relay(name: "Import", of: Int.self, observer: events)
      .leg("Forgets", of: Int.self) { _, gather in gather.start("lost") { _ in } }
      .finally { log.add(RelayEndTests.words($0)) }
    await #expect(throws: Baton.AbandonedError(outstanding: 1)) { try await relay.run(1) }
    #expect(log.all == ["cancelled [\"abandoned with 1 pass out\"]"])
    #expect(events.misuses.map(\.label) == ["lost"])
  }

  @Test func `abandoned on one thread while the leg ends on another, it completes once, after its finally`() async {
    let failed = await race(
      { _ -> (Baton, Baton.Gather<Int>.Pass, Counter, Gate) in
        let passes = Log<Baton.Gather<Int>.Pass>()
        let (finallies, completions, done) = (Counter(), Counter(), Gate())
        let relay = Baton.Relay(of: Int.self)
          .leg("One", of: Int.self) { _, gather in passes.add(gather.makePass()) }
          .finally { _ in finallies.add() }
        let running = relay.start(1) { _ in
          completions.add(finallies.value)
          done.open()
        }
        return (running, passes.all[0], completions, done)
      },
      { running, _, _, _ in
        running.abandon()
      },
      { _, pass, _, _ in
        _ = pass.tryFinish(with: Result<Int, any Error>.success(1))
      },
      check: { running, _, completions, done in
        done.block() && completions.value == 1 && running.isComplete
      })
    #expect(failed == 0)
  }
}
