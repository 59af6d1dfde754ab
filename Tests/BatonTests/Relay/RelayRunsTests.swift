// One description, many runs; many legs, little stack and little memory. (RelayRun.swift)

import Dispatch
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct RelayRunsTests {
  static let manyLegs = 100_000

  // MARK: Many runs (section 6)

  @Test func `runs at the same time don't mix`() async throws {
    let told = Log<Bool>()
    let relay = Baton.Relay(name: "Runs", of: Int.self)
      .leg("Three", of: Int.self) { input, gather in
        for number in 0..<3 { DispatchQueue.global().async(execute: gather.pass { input * 10 + number }) }
      }
      .leg("Tasks", of: Int.self) { values, gather in
        for value in values {
          gather.addTask("\(value)") {
            if value == 70 { throw SomeError(7) }
            return value + 1
          }
        }
      }
      .step { values in values.reduce(0, +) }
      .finally { told.add($0.isCancelled) }
    try await withThrowingTaskGroup { group in
      for run in 0..<40 {
        group.addTask {
          if run == 7 {
            await #expect(throws: SomeError(7)) { try await relay.run(run) }
          } else {
            let sum = try await relay.run(run)
            #expect(sum == run * 30 + 6)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(told.count == 40 && told.all.count { $0 } == 1)
  }

  @Test func `a limit given with the description is shared by all runs`() async throws {
    let (running, most, full) = (Counter(), Log<Int>(), Gate())
    let relay = Baton.Relay(of: Int.self, limit: 3)
      .leg("Limited", of: Int.self) { input, gather in
        for _ in 0..<4 {
          gather.addTask {
            let now = running.add()
            most.add(now)
            // Three meet here: they are of different runs, since each alone would do.
            if now == 3 { full.open() }
            await full.wait()
            running.add(-1)
            return input
          }
        }
      }
    try await withThrowingTaskGroup { group in
      for run in 0..<3 {
        group.addTask {
          let values = try await relay.run(run)
          #expect(values == Array(repeating: run, count: 4))
        }
      }
      try await group.waitForAll()
    }
    #expect(most.count == 12 && most.all.max() == 3)
  }

  @Test func `a description is a value: what is added to one is not in the other`() async throws {
    let base = Baton.Relay(of: Int.self).step { $0 + 1 }
    let (doubled, negated) = (base.step { $0 * 2 }, base.step { -$0 })
    #expect(try await base.run(1) == 2)
    #expect(try await doubled.run(1) == 4)
    #expect(try await negated.run(1) == -2)
  }

  // MARK: Depth (rule 8)

  @Test func `100,000 legs that end at once need little stack`() async {
    let sum = await onSmallStack { () -> Int in
      var relay = Baton.Relay(of: [Int].self)
      for _ in 0..<Self.manyLegs {
        relay = relay.leg(of: Int.self) { values, gather in gather.makePass().finish(values[0] + 1) }
      }
      let result = Holder<[Int]>(nil)
      relay.start([0]) { if let values = try? $0.get() { result.put(values) } }
      return result.take()?[0] ?? -1
      // The description is let go here, on the small stack as well.
    }
    #expect(sum == Self.manyLegs)
  }

  @Test func `100,000 steps, each a task, run and are let go on little stack`() async throws {
    let relay = Holder(
      await onSmallStack {
        var relay = Baton.Relay(of: Int.self)
        for _ in 0..<Self.manyLegs { relay = relay.step { $0 + 1 } }
        return relay
      })
    #expect(try await relay.current?.run(0) == Self.manyLegs)
    await onSmallStack { relay.drop() }
  }

  @Test func `100,000 legs of which every other ends later need little stack`() async throws {
    var relay = Baton.Relay(of: [Int].self)
    for leg in 0..<Self.manyLegs / 10 {
      relay = relay.leg(of: Int.self) { values, gather in
        let callback: @Sendable () -> Void = gather.pass { values[0] + 1 }
        if leg % 2 == 0 { callback() } else { DispatchQueue.global().async(execute: callback) }
      }
    }
    #expect(try await relay.run([0]) == [Self.manyLegs / 10])
  }

  @Test func `100,000 finallys need little stack`() async throws {
    let ran = Counter()
    let relay = Holder(
      await onSmallStack {
        var relay = Baton.Relay(of: Int.self)
        for _ in 0..<Self.manyLegs / 10 { relay = relay.finally { _ in ran.add() } }
        return relay
      })
    #expect(try await relay.current?.run(1) == 1)
    await onSmallStack { relay.drop() }
    #expect(ran.value == Self.manyLegs / 10)
  }

  // MARK: Memory (rule 9)

  /// A value that counts how many of its kind there are.
  final class Load: Sendable {
    let alive: Counter
    let most: Counter
    init(_ alive: Counter, _ most: Counter) {
      (self.alive, self.most) = (alive, most)
      let now = alive.add()
      if now > most.value { most.add(now - most.value) }
    }
    deinit { alive.add(-1) }
  }

  @Test func `a leg's values are gone when the next leg is over`() {
    let references = Log<WeakReference<Load>>()
    let (alive, most) = (Counter(), Counter())
    var relay = Baton.Relay(of: [Load].self)
    for leg in 0..<20 {
      relay = relay.leg("\(leg)", of: Load.self) { values, gather in
        for value in values { references.add(WeakReference(value)) }
        // All but those of the leg just before. (The first are the input, which the caller has.)
        #expect(references.all.dropFirst().dropLast().allSatisfy { $0.isGone })
        gather.makePass().finish(Load(alive, most))
      }
    }
    relay.start([Load(alive, most)]) { _ in }
    #expect(references.count == 20 && alive.value == 0 && most.value <= 3)
  }

  @Test func `memory doesn't grow with the legs already run, also when they are tasks`() async throws {
    let (alive, most) = (Counter(), Counter())
    var relay = Baton.Relay(of: Load.self)
    for _ in 0..<2_000 { relay = relay.step { _ in Load(alive, most) } }
    do {
      let last = try await relay.run(Load(alive, most))
      #expect(last.alive.value >= 1)
    }
    await until { alive.value == 0 }
    // The one that comes, the one before, and those of legs whose end is still returning, on each thread of the pool.
    #expect(most.value <= 32)
  }

  @Test func `when it is over nothing of a run is left`() async throws {
    let batons = Log<WeakReference<Baton>>()
    let letGo = Counter()
    let done = Gate()
    await {
      let relay = Baton.Relay(of: OnDeinit.self)
        .leg("One", of: OnDeinit.self) { input, gather in
          batons.add(WeakReference(gather.baton))
          gather.addTask { input }
        }
        .finally { _ in }
      let running = relay.start(OnDeinit { letGo.add() }) { [capture = OnDeinit { letGo.add() }] _ in
        _ = capture
        done.open()
      }
      batons.add(WeakReference(running))
      await done.wait()
    }()
    await until { batons.all.allSatisfy(\.isGone) && letGo.value == 2 }
  }
}
