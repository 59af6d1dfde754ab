// Thousands of cycles and a million pieces of work, against both. (BEHAVIOURS 39)

import Dispatch
import Foundation
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct GroupStressTests {
  #if DEBUG
  static let cycles = 10_000
  static let work = 20_000
  #else
  static let cycles = 200_000
  static let work = 1_000_000
  #endif

  @Test func `200,000 cycles on one thread lose no notify and mix none`() async {
    func record(_ group: some GroupLike) async -> String {
      await onThread {
        let (fired, tooEarly, waited) = (Counter(), Counter(), Counter())
        let queue = DispatchQueue(label: "notify")
        for cycle in 0..<Self.cycles {
          group.enter()
          let ended = Counter()
          group.onEmpty(queue) {
            if ended.value == 0 { tooEarly.add() }
            fired.add()
          }
          if cycle % 16 == 0, group.waits() == "timed out" { waited.add() }
          ended.add()
          group.leave()
          if cycle % 16 == 0, group.waits() == "success" { waited.add() }
        }
        queue.sync {}
        return "\(fired.value == Self.cycles), \(tooEarly.value), \(waited.value == Self.cycles / 8)"
      }
    }
    #expect(await record(DispatchGroup()) == "true, 0, true")
    #expect(await record(Baton.Group()) == "true, 0, true")
  }

  @Test func `cycles that end on several threads while others wait and notify lose none`() async {
    func record(_ group: some GroupLike) async -> String {
      let (fired, woken) = (Counter(), Counter())
      let rounds = Self.cycles / 8
      await onThreads(4) { thread in
        for round in 0..<rounds {
          switch thread {
          case 0, 1:
            group.enter()
            if round % 4 == 0 { group.onEmpty(.global()) { fired.add() } }
            group.leave()
          case 2:
            group.run(on: .global()) {}
            group.onEmpty(.global()) { fired.add() }
          default:
            group.block()
            woken.add()
          }
        }
      }
      let end = Gate()
      group.onEmpty(.global()) { end.open() }
      await end.wait()
      await until { fired.value == rounds + 2 * ((rounds + 3) / 4) }
      return "\(woken.value == rounds), \(await onThread { group.waits() })"
    }
    #expect(await record(DispatchGroup()) == "true, success")
    #expect(await record(Baton.Group()) == "true, success")
  }

  /// Each piece waits for the group, of which it is a part itself: the wait must time out.
  @Test func `a million pieces of work from a recursive walk, with as many timed waits, are all waited for`() async {
    func record(_ group: some GroupLike) async -> String {
      let (ran, tooEarly) = (Counter(), Counter())
      let queue = DispatchQueue(label: "walk", attributes: .concurrent)
      @Sendable func walk(_ pieces: Int) {
        ran.add()
        if group.block(until: .now()) == .success { tooEarly.add() }
        let below = pieces - 1
        guard below > 0 else { return }
        let first = below > 64 ? below / 2 : below
        for part in [first, below - first] where part > 0 { group.run(on: queue) { walk(part) } }
      }
      group.run(on: queue) { walk(Self.work) }
      return await onThread {
        while group.block(until: .now() + .milliseconds(1)) == .timedOut {}
        return "\(ran.value == Self.work), \(tooEarly.value)"
      }
    }
    #expect(await record(DispatchGroup()) == "true, 0")
    #expect(await record(Baton.Group()) == "true, 0")
  }

  @Test func `the last leave of a cycle races the first enter of the next`() async {
    let failed = await race(
      { _ in
        let group = Baton.Group()
        group.enter()
        return (group, Counter())
      },
      { group, _ in
        group.leave()
      },
      { group, ran in
        group.enter()
        group.notify(queue: .global()) {}
        ran.add()
        group.leave()
      },
      { group, ran in
        group.wait()
        ran.add()
      },
      check: { group, ran in
        group.baton == nil && ran.value == 2
      })
    #expect(failed == 0)
  }

  @Test func `two first enters of a cycle make one of it`() async {
    let failed = await race(
      { _ in
        let events = EventLog()
        return (Baton.Group(observer: events), events)
      },
      { group, _ in group.enter() },
      { group, _ in group.enter() },
      { group, _ in group.enter() },
      check: { group, events in
        let isOne = group.baton?.tally.outstanding == 3
        for _ in 0..<3 { group.leave() }
        return isOne && group.baton == nil && events.misuses.isEmpty
      })
    #expect(failed == 0)
  }
}
