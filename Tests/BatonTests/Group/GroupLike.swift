// One set of calls for DispatchGroup and for what stands in for it.

import Dispatch

@testable import Baton

/// What a script does to a group: DispatchGroup's calls, under names of their own.
protocol GroupLike: AnyObject, Sendable {
  func enter()
  func leave()
  func onEmpty(
    _ queue: DispatchQueue, qos: DispatchQoS, flags: DispatchWorkItemFlags, _ work: @escaping @Sendable () -> Void)
  func onEmpty(_ queue: DispatchQueue, item: DispatchWorkItem)
  func block()
  func block(until time: DispatchTime) -> DispatchTimeoutResult
  func block(untilWall time: DispatchWallTime) -> DispatchTimeoutResult
  func run(
    on queue: DispatchQueue, qos: DispatchQoS, flags: DispatchWorkItemFlags, _ work: @escaping @Sendable () -> Void)
}

extension GroupLike {
  func onEmpty(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    onEmpty(queue, qos: .unspecified, flags: [], work)
  }

  func run(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    run(on: queue, qos: .unspecified, flags: [], work)
  }

  /// Says what a wait came to: at once, or after some milliseconds that nobody should need.
  func waits(_ milliseconds: Int? = nil) -> String {
    block(until: milliseconds.map { .now() + .milliseconds($0) } ?? .now()) == .success ? "success" : "timed out"
  }
}

extension DispatchGroup: GroupLike {
  func onEmpty(
    _ queue: DispatchQueue, qos: DispatchQoS, flags: DispatchWorkItemFlags, _ work: @escaping @Sendable () -> Void
  ) {
    notify(qos: qos, flags: flags, queue: queue, execute: work)
  }

  func onEmpty(_ queue: DispatchQueue, item: DispatchWorkItem) { notify(queue: queue, work: item) }
  func block() { wait() }
  func block(until time: DispatchTime) -> DispatchTimeoutResult { wait(timeout: time) }
  func block(untilWall time: DispatchWallTime) -> DispatchTimeoutResult { wait(wallTimeout: time) }

  func run(
    on queue: DispatchQueue, qos: DispatchQoS, flags: DispatchWorkItemFlags, _ work: @escaping @Sendable () -> Void
  ) {
    queue.async(group: self, qos: qos, flags: flags, execute: work)
  }
}

extension Baton.Group: GroupLike {
  func onEmpty(
    _ queue: DispatchQueue, qos: DispatchQoS, flags: DispatchWorkItemFlags, _ work: @escaping @Sendable () -> Void
  ) {
    notify(qos: qos, flags: flags, queue: queue, execute: work)
  }

  func onEmpty(_ queue: DispatchQueue, item: DispatchWorkItem) { notify(queue: queue, work: item) }
  func block() { wait() }
  func block(until time: DispatchTime) -> DispatchTimeoutResult { wait(timeout: time) }
  func block(untilWall time: DispatchWallTime) -> DispatchTimeoutResult { wait(wallTimeout: time) }

  func run(
    on queue: DispatchQueue, qos: DispatchQoS, flags: DispatchWorkItemFlags, _ work: @escaping @Sendable () -> Void
  ) {
    queue.async(group: self, qos: qos, flags: flags, execute: work)
  }
}
