// How a relay ends: failures, cancelling, abandoning, and what is done in any case. (Relay.swift, RelayRun.swift)

import Testing

@testable import Baton

@Suite struct RelayEndTests {
  let log = Log<String>()

  /// An outcome in words.
  static func words(_ outcome: Baton.Outcome) -> String {
    outcome.isCancelled ? "cancelled \(outcome.failures.map { "\($0.error)" })" : "finished"
  }

  /// A relay of three legs, whose second is given; it says what runs, and what it is told at the end.
  func relay(
    _ second: @escaping @Sendable ([Int], Baton.Gather<Int>) throws -> Void
  ) -> Baton.Relay<Int, [Int]> {
    Baton.Relay(name: "Import", of: Int.self)
      .finally("A") { log.add("finally A: \(Self.words($0))") }
      .leg("First", of: Int.self) { input, gather in gather.makePass().finish(input) }
      .leg("Second", of: Int.self, second)
      .leg("Third", of: Int.self) { values, gather in
        log.add("third")
        for value in values { gather.makePass().finish(value) }
      }
      .finally("B") { log.add("finally B: \(Self.words($0))") }
  }

  // MARK: finally (BEHAVIOURS 33)

  @Test func `finallys run last, in the order in which they were added, wherever that was`() async throws {
    let relay = relay { values, gather in gather.makePass().finish(values[0] + 1) }
    #expect(try await relay.run(1) == [2])
    #expect(log.all == ["third", "finally A: finished", "finally B: finished"])
  }

  @Test func `after a failed leg those behind it are skipped, the finallys are not`() async {
    let relay = relay { _, gather in gather.makePass("one").cancel(SomeError(1)) }
    await #expect(throws: SomeError(1)) { try await relay.run(1) }
    #expect(log.all == ["finally A: cancelled [\"error 1\"]", "finally B: cancelled [\"error 1\"]"])
  }

  @Test(arguments: [false, true]) func `every finally is told of every failure, once`(later: Bool) async {
    let passes = Log<Baton.Gather<Int>.Pass>()
    let relay = relay { _, gather in
      for number in 0..<3 { passes.add(gather.makePass("\(number)")) }
      // At once, while the leg's body runs, or after it has returned.
      if !later { for (number, pass) in passes.all.enumerated() { pass.cancel(SomeError(number)) } }
    }
    let ended = Gate()
    let running = relay.start(1) { result in
      log.add("\(result)")
      ended.open()
    }
    if later { for (number, pass) in passes.all.enumerated() { pass.cancel(SomeError(number)) } }
    await ended.wait()
    let all = "cancelled [\"error 0\", \"error 1\", \"error 2\"]"
    #expect(log.all == ["finally A: \(all)", "finally B: \(all)", "failure(error 0)"])
    #expect(running.outcomeIfComplete?.numbers == [0, 1, 2])
  }

  @Test func `the completion runs before the handlers that others add to the baton`() async {
    let gate = Gate()
    let relay = Baton.Relay(of: Int.self)
      .leg("Only", of: Int.self) { input, gather in gather.makePass().finish(input) }
      // After it the run's own pass is the last.
      .finally("Wait") { _ in await gate.wait() }
    let baton = relay.start(1) { _ in log.add("completion") }
    baton.onCompletion { _ in log.add("handler") }
    gate.open()
    await until { log.count == 2 }
    #expect(log.all == ["completion", "handler"])
  }

  @Test func `a finally that cancels can't change the outcome`() async throws {
    let baton = Holder<Baton>(nil)
    let (made, done) = (Gate(), Gate())
    let relay = Baton.Relay(of: Int.self)
      .step { $0 + 1 }
      .finally { _ in
        await made.wait()
        baton.take()?.cancelAll(SomeError(1))
      }
      .finally { log.add(Self.words($0)) }
    baton.put(
      relay.start(1) { result in
        log.add("\(result)")
        done.open()
      })
    made.open()
    await done.wait()
    #expect(log.all == ["finished", "success(2)"])
  }

  @Test func `a finally after a cancellation without an error can't add one`() async throws {
    let baton = Holder<Baton>(nil)
    let (made, done) = (Gate(), Gate())
    let relay = Baton.Relay(of: Int.self)
      .step { _ in
        await made.wait()
        baton.current?.cancelAll()
      }
      .finally { _ in baton.take()?.cancelAll(SomeError(1)) }
    baton.put(
      relay.start(1) { result in
        if case .failure(let error) = result { log.add("\(type(of: error))") }
        done.open()
      })
    made.open()
    await done.wait()
    #expect(log.all == ["CancellationError"])
  }

  @Test func `finallys may take their time, and are waited for`() async throws {
    let (entered, door) = (Gate(), Gate())
    let relay = Baton.Relay(of: Int.self)
      .step { $0 }
      .finally { _ in
        entered.open()
        await door.wait()
        log.add("cancelled: \(Task.isCancelled)")
      }
    let running = Task {
      let value = try await relay.run(1)
      log.add("run is over")
      return value
    }
    await entered.wait()
    running.cancel()
    #expect(log.all == [])
    door.open()
    #expect(try await running.value == 1)
    // In a task that nobody cancels.
    #expect(log.all == ["cancelled: false", "run is over"])
  }

  // MARK: Failing

  @Test func `failures have the path of relay, leg and label, and their place`() async {
    let relay = relay { _, gather in
      let callback: @Sendable () -> Void = gather.pass("logo.png") { throw SomeError(1) }
      callback()
    }
    let line: UInt = #line - 3
    let done = Gate()
    let running = relay.start(1) { _ in done.open() }
    await done.wait()
    let failure = running.outcomeIfComplete?.failures.first
    #expect(failure?.path == ["Import", "Second", "logo.png"])
    #expect(failure?.location?.line == line && running.outcomeIfComplete?.failures.count == 1)
  }

  @Test func `a step's failure has the path of relay and step`() async {
    let relay = Baton.Relay(name: "Import", of: Int.self).step("Index") { _ in throw SomeError(1) }
    let running = relay.start(1) { _ in }
    #expect(await running.ending?.failures.map(\.path) == [["Import", "Index"]])
  }

  @Test func `what a leg's body throws is a failure, and its runners are waited for`() async {
    let passes = Log<Baton.Gather<Int>.Pass>()
    let relay = relay { _, gather in
      passes.add(gather.makePass())
      throw SomeError(1)
    }
    let done = Gate()
    let running = relay.start(1) { result in
      log.add("\(result)")
      done.open()
    }
    #expect(log.all == [] && running.isCancelled && passes.all[0].isCancelled)
    passes.all[0].finish(1)
    await done.wait()
    #expect(log.all.last == "failure(error 1)")
    #expect(running.outcomeIfComplete?.failures.map(\.path) == [["Import", "Second"]])
  }

  @Test func `a second run after a failed one starts clean`() async throws {
    let fails = Counter()
    let relay = relay { values, gather in
      gather.makePass().finish(with: fails.value == 0 ? .failure(SomeError(1)) : .success(values[0]))
    }
    await #expect(throws: SomeError(1)) { try await relay.run(1) }
    fails.add()
    #expect(try await relay.run(2) == [2])
    #expect(log.all.suffix(3) == ["third", "finally A: finished", "finally B: finished"])
  }

  // MARK: Cancelling

  @Test func `cancelled inside a leg, it waits for the runners, skips the rest, and says so`() async {
    let passes = Log<Baton.Gather<Int>.Pass>()
    let relay = relay { _, gather in
      for _ in 0..<2 { passes.add(gather.makePass()) }
      passes.all[0].onCancel { log.add("told") }
    }
    let done = Gate()
    let running = relay.start(1) { result in
      log.add("\(result)")
      done.open()
    }
    running.cancelAll(SomeError(5))
    for pass in passes.all { pass.finish(1) }
    await done.wait()
    let said = "cancelled [\"error 5\"]"
    #expect(log.all == ["told", "finally A: \(said)", "finally B: \(said)", "failure(error 5)"])
  }

  @Test func `cancelled between two legs, the next one doesn't start`() {
    let (baton, first) = (Holder<Baton>(nil), Holder<Baton.Gather<Int>.Pass>(nil))
    let relay = Baton.Relay(of: Int.self)
      .leg("First", of: Int.self) { _, gather in first.put(gather.makePass()) }
      .leg("Second", of: Int.self) { values, gather in
        gather.makePass().finish(values[0] + 1)
        // Runs when the leg has ended well, and before its body returns to the relay.
        gather.baton.onCompletion { outcome in
          log.add("second: \(Self.words(outcome))")
          baton.take()?.cancelAll(SomeError(1))
        }
      }
      .leg("Third", of: Int.self) { _, _ in log.add("third") }
      .onLeg { log.add($0) }
    baton.put(relay.start(1) { log.add("\($0)") })
    first.take()?.finish(1)
    #expect(log.all == ["First", "Second", "second: finished", "failure(error 1)"])
  }

  @Test func `cancelled as a leg is about to start, its runners don't`() {
    let (baton, first) = (Holder<Baton>(nil), Holder<Baton.Gather<Int>.Pass>(nil))
    let relay = Baton.Relay(of: Int.self)
      .leg("First", of: Int.self) { _, gather in first.put(gather.makePass()) }
      .onLeg { if $0 == "Second" { baton.take()?.cancelAll(SomeError(1)) } }
      .leg("Second", of: Int.self) { _, gather in
        gather.start { _ in log.add("a runner of the second leg") }
        log.add("second is cancelled: \(gather.baton.isCancelled)")
      }
      .leg("Third", of: Int.self) { _, _ in log.add("third") }
    baton.put(relay.start(1) { log.add("\($0)") })
    first.take()?.finish(1)
    #expect(log.all == ["second is cancelled: true", "failure(error 1)"])
  }

  @Test func `cancelling the task that runs it cancels the run, and the finallys run`() async {
    let started = Gate()
    let relay = Baton.Relay(of: Int.self)
      .step { input in
        started.open()
        await Gate().wait()
        try Task.checkCancellation()
        return input
      }
      .step { _ in log.add("second") }
      .finally { log.add(Self.words($0)) }
    let running = Task { try await relay.run(1) }
    await started.wait()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(log.all == ["cancelled []"])
  }

  @Test func `run in a task that is cancelled already, no leg starts, and the finallys run`() async {
    let relay = Baton.Relay(of: Int.self)
      .step { _ in log.add("step") }
      .finally { log.add(Self.words($0)) }
    let running = Task {
      await Gate().wait()
      try await relay.run(1)
    }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(log.all == ["cancelled []"])
  }
}
