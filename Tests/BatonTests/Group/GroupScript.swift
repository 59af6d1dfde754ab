// DispatchGroup's behaviours, scene by scene, to be run against both. (BEHAVIOURS 39 to 41)

import Dispatch
import Foundation
import Testing

@testable import Baton

/// One scene: what is done to a group, and what must be recorded.
struct Scene: Sendable, CustomTestStringConvertible {
  let name: String
  let expected: [String]
  /// Runs on a thread of its own.
  let act: @Sendable (any GroupLike, Log<String>) -> Void

  init(_ name: String, _ expected: [String], _ act: @escaping @Sendable (any GroupLike, Log<String>) -> Void) {
    self.name = name
    self.expected = expected
    self.act = act
  }

  var testDescription: String { name }

  /// Runs it against a fresh group.
  func record(_ group: any GroupLike) async -> [String] {
    let log = Log<String>()
    await onThread { act(group, log) }
    return log.all
  }

  static let all = empty + cycles + queues + threads

  // MARK: Empty

  private static let empty = [
    Scene("a wait for an empty group", ["success", "success", "success", "wait returned"]) { group, log in
      log.add(group.waits())
      log.add(group.waits(30_000))
      log.add(group.block(untilWall: .now()) == .success ? "success" : "timed out")
      group.block()
      log.add("wait returned")
    },
    Scene("a notify on an empty group", ["notified", "notified by an item"]) { group, log in
      let (queue, done) = (DispatchQueue(label: "notify"), DispatchSemaphore(value: 0))
      group.onEmpty(queue, log.adder("notified"))
      group.onEmpty(
        queue,
        item: DispatchWorkItem {
          log.add("notified by an item")
          done.signal()
        })
      done.wait()
    },
  ]

  // MARK: Cycles

  private static let cycles = [
    Scene("a timed wait that times out, then succeeds", ["timed out", "timed out", "not early", "success"]) {
      group, log in
      group.enter()
      log.add(group.waits())
      let begin = DispatchTime.now()
      log.add(group.waits(10))
      log.add(DispatchTime.now() >= begin + .milliseconds(10) ? "not early" : "early")
      DispatchQueue.global().async { group.leave() }
      log.add(group.waits(30_000))
    },
    Scene("a wait by the wall clock", ["timed out", "timed out", "timed out", "not early", "success", "success"]) {
      group, log in
      func waits(_ time: DispatchWallTime) -> String {
        group.block(untilWall: time) == .success ? "success" : "timed out"
      }
      group.enter()
      log.add(waits(.now()))
      log.add(waits(.now() - 60))
      let begin = Date()
      log.add(waits(.now() + .milliseconds(20)))
      // Two clocks: a millisecond is theirs.
      log.add(Date().timeIntervalSince(begin) >= 0.019 ? "not early" : "early")
      DispatchQueue.global().async { group.leave() }
      log.add(waits(.now() + 30))
      log.add(waits(.distantFuture))
    },
    Scene("a wait for ever", ["success", "wait returned"]) { group, log in
      group.run(on: .global()) {}
      log.add(group.block(until: .distantFuture) == .success ? "success" : "timed out")
      group.run(on: .global()) {}
      group.block()
      log.add("wait returned")
    },
    Scene("the last leave ends it", ["timed out", "timed out", "success"]) { group, log in
      for _ in 0..<3 { group.enter() }
      for _ in 0..<3 {
        group.leave()
        log.add(group.waits())
      }
    },
    Scene("used again", (0..<3).flatMap { ["timed out", "notified \($0)", "success"] }) { group, log in
      let queue = DispatchQueue(label: "notify")
      for cycle in 0..<3 {
        group.enter()
        group.onEmpty(queue, log.adder("notified \(cycle)"))
        log.add(group.waits())
        group.leave()
        queue.sync {}
        log.add(group.waits())
      }
    },
    Scene("a notify fires once, at the end of its cycle, also when the next has begun", ["1", "1", "2 and 1"]) {
      group, log in
      let (queue, first, second) = (DispatchQueue(label: "notify"), Counter(), Counter())
      queue.suspend()
      group.enter()
      group.onEmpty(queue) { first.add() }
      group.leave()
      // The next cycle begins before the notify of the first has had its turn.
      group.enter()
      queue.resume()
      queue.sync {}
      log.add("\(first.value)")
      group.onEmpty(queue) { second.add() }
      queue.sync {}
      log.add("\(first.value + second.value)")
      group.leave()
      queue.sync {}
      log.add("\(first.value + second.value) and \(first.value)")
    },
    Scene("a notify begins the next cycle", ["first", "timed out", "second", "success"]) { group, log in
      let (queue, entered) = (DispatchQueue(label: "notify"), DispatchSemaphore(value: 0))
      group.enter()
      group.onEmpty(queue) {
        log.add("first")
        group.enter()
        group.onEmpty(queue, log.adder("second"))
        entered.signal()
      }
      group.leave()
      entered.wait()
      log.add(group.waits())
      group.leave()
      queue.sync {}
      log.add(group.waits())
    },
  ]

  // MARK: Queues

  private static let queues = [
    Scene("notifies on one queue fire in order", (0..<5).map { "\($0)" }) { group, log in
      let queue = DispatchQueue(label: "notify")
      group.enter()
      for number in 0..<5 { group.onEmpty(queue, log.adder("\(number)")) }
      group.leave()
      queue.sync {}
    },
    Scene("notifies on main and on several queues", ["before: 0", "main", "own", "global"]) { group, log in
      let (queue, fired) = (DispatchQueue(label: "notify"), Counter())
      let (main, own, global) = (Gate(), Gate(), Gate())
      group.enter()
      group.onEmpty(.main) {
        dispatchPrecondition(condition: .onQueue(.main))
        fired.add()
        main.open()
      }
      group.onEmpty(queue) {
        dispatchPrecondition(condition: .onQueue(queue))
        fired.add()
        own.open()
      }
      group.onEmpty(.global(), qos: .utility, flags: .enforceQoS) {
        fired.add()
        global.open()
      }
      queue.sync {}
      log.add("before: \(fired.value)")
      group.leave()
      if main.block() { log.add("main") }
      if own.block() { log.add("own") }
      if global.block() { log.add("global") }
    },
    Scene("a notify with a barrier", ["before: false", "notify", "behind"]) { group, log in
      barrier(log, "notify") { queue, work in
        group.enter()
        group.onEmpty(queue, qos: .unspecified, flags: .barrier, work)
        group.leave()
      }
    },
    Scene("work with a barrier", ["before: false", "work", "behind", "success"]) { group, log in
      barrier(log, "work") { queue, work in
        group.run(on: queue, qos: .unspecified, flags: .barrier, work)
      }
      log.add(group.waits(30_000))
    },
    Scene("a cancelled work item is not run", ["second"]) { group, log in
      let queue = DispatchQueue(label: "notify")
      let first = DispatchWorkItem(block: log.adder("first"))
      group.enter()
      group.onEmpty(queue, item: first)
      group.onEmpty(queue, item: DispatchWorkItem(block: log.adder("second")))
      first.cancel()
      group.leave()
      queue.sync {}
    },
    Scene("work on many queues", ["100", "notified at 100"]) { group, log in
      let ran = Counter()
      let queues = [
        DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent), .global(),
        .global(qos: .utility), .global(qos: .background),
      ]
      let own = DispatchQueue(label: "notify")
      for number in 0..<100 {
        let flags: DispatchWorkItemFlags = number % 3 == 0 ? .barrier : number % 3 == 1 ? .enforceQoS : []
        group.run(on: queues[number % 5], qos: number % 2 == 0 ? .utility : .unspecified, flags: flags) { ran.add() }
      }
      group.block()
      log.add("\(ran.value)")
      group.onEmpty(own) { log.add("notified at \(ran.value)") }
      own.sync {}
    },
  ]

  /// Puts something with a barrier between two other pieces of work, and records who ran when.
  private static func barrier(
    _ log: Log<String>, _ name: String, _ enqueue: (DispatchQueue, @escaping @Sendable () -> Void) -> Void
  ) {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let (ran, done) = (DispatchSemaphore(value: 0), Gate())
    // This one gives the barrier a chance to run too early, which it must not take.
    queue.async { log.add("before: \(ran.wait(timeout: .now() + .milliseconds(20)) == .success)") }
    enqueue(queue) {
      log.add(name)
      ran.signal()
    }
    queue.async {
      log.add("behind")
      done.open()
    }
    done.block()
  }

  // MARK: Threads

  private static let threads = [
    Scene("entered here, left there, waited for elsewhere", ["not yet", "waited", "waited", "waited"]) { group, log in
      let (entered, left, waited) = (DispatchSemaphore(value: 0), Gate(), DispatchSemaphore(value: 0))
      Thread {
        group.enter()
        entered.signal()
      }.start()
      entered.wait()
      for _ in 0..<3 {
        Thread {
          group.block()
          log.add(left.isOpen ? "waited" : "waited not long enough")
          waited.signal()
        }.start()
      }
      log.add(group.waits() == "success" ? "already" : "not yet")
      Thread {
        left.open()
        group.leave()
      }.start()
      for _ in 0..<3 { waited.wait() }
    },
    Scene("work that makes more work", ["511 notified", "511"]) { group, log in
      let (ran, notified) = (Counter(), Gate())
      @Sendable func walk(_ depth: Int) {
        ran.add()
        guard depth > 0 else { return }
        for _ in 0..<2 { group.run(on: .global()) { walk(depth - 1) } }
      }
      group.run(on: .global()) { walk(8) }
      group.onEmpty(.global()) {
        log.add("\(ran.value) notified")
        notified.open()
      }
      notified.block()
      group.block()
      log.add("\(ran.value)")
    },
  ]
}
