// DispatchGroup's calls over batons.

#if canImport(Dispatch)
public import Dispatch
#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// Stands in for `DispatchGroup`: the same calls, so that a codebase moves over one file at a time.
  ///
  /// ```swift
  /// let group = Baton.Group(name: "Services")     // was: DispatchGroup()
  /// group.enter()
  /// load { group.leave() }
  /// group.notify(queue: .main) { show() }
  /// ```
  ///
  /// What it gains: `baton` tells the counts of the running cycle, an observer hears of it, a leave too many says whose it
  /// was. What differs: closures are `@Sendable`, so that one which is written inside a `@MainActor` type and runs on another
  /// queue is refused by the compiler, where `DispatchGroup` traps at run time.
  ///
  /// A group is used again and again: each cycle, from zero to zero, is a baton of its own. A wait, or a notify, is about
  /// the cycle that runs when it is called; on an empty group it is over at once.
  public final class Group: Sendable {
    private let name: String?
    private let observer: (any Observer)?
    /// The running cycle, or one that has ended: then the next `enter` begins another.
    private let cycle = Mutex<Baton?>(nil)

    /// Makes an empty group.
    ///
    /// - Parameters:
    ///   - name: What its batons are called in reports, descriptions and traps.
    ///   - observer: Who is told what happens.
    public init(name: String? = nil, observer: (any Observer)? = nil) {
      self.name = name
      self.observer = observer
    }

    /// The running cycle's baton, nil while the group is empty.
    public var baton: Baton? { cycle.withLock { $0 }.flatMap { $0.isComplete ? nil : $0 } }

    /// One more piece of work is out.
    public func enter() {
      // Most of the time there is a cycle; one that ends just now lets nobody in.
      if let running = cycle.withLock({ $0 }), running.tryPass() { return }
      let fresh = Baton(name: name, observer: observer)
      fresh.pass()
      while true {
        let (entered, old) = cycle.withLock { cycle -> (Bool, Baton?) in
          let old = cycle
          guard old?.isComplete ?? true else { return (false, old) }
          cycle = fresh
          return (true, old)
        }
        if entered { return }
        // Another thread began a cycle meanwhile; enter that one, if it isn't over as well.
        if old?.tryPass() == true { return fresh.finish() }
      }
    }

    /// One piece of work is back. Traps if none is out, with the name and the counts.
    public func leave() {
      guard let running = cycle.withLock({ $0 }) else { trapEmpty() }
      running.finish()
    }

    @inline(never)
    private func trapEmpty() -> Never {
      let title = name.map { "Baton.Group \"\($0)\"" } ?? "Baton.Group"
      fatalError("\(title) was left before it was entered (\(Tally(passed: 0, outstanding: 0))).")
    }

    /// Runs work on a queue when the group is empty: at the end of the running cycle, or now if there is none.
    ///
    /// - Parameters:
    ///   - qos: The quality of service of the work.
    ///   - flags: How the work is run.
    ///   - queue: Where it is run.
    ///   - work: Runs once.
    public func notify(
      qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
      execute work: @escaping @Sendable () -> Void
    ) {
      // The flags are an option set, though not marked Sendable.
      let flags = flags.rawValue
      notify(
        on: Executor { _ in
          queue.async(qos: qos, flags: DispatchWorkItemFlags(rawValue: flags), execute: work)
        })
    }

    /// Runs a work item on a queue when the group is empty: at the end of the running cycle, or now if there is none.
    ///
    /// - Parameters:
    ///   - queue: Where it is run.
    ///   - work: What is run.
    public func notify(queue: DispatchQueue, work: DispatchWorkItem) {
      let item = SendableWorkItem(item: work)
      notify(on: Executor { _ in queue.async(execute: item.item) })
    }

    /// The executor ignores what it is given: it knows what to enqueue, and how.
    private func notify(on executor: Executor) {
      if let running = baton {
        running.onCompletion(on: executor) { _ in }
      } else {
        executor.run {}
      }
    }

    /// Blocks the calling thread until the group is empty.
    public func wait() { blockingWait(nil) }

    /// Blocks the calling thread until the group is empty, or the time has come.
    ///
    /// - Parameter timeout: When to stop waiting.
    /// - Returns: Which of the two it was.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
      if timeout == .distantFuture { return blockingWait(nil) }
      return blockingWait(.until(timeout, now: .now()))
    }

    /// Blocks the calling thread until the group is empty, or the time of day has come.
    ///
    /// - Parameter wallTimeout: When to stop waiting, by the wall clock as it is when the wait begins.
    /// - Returns: Which of the two it was.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
      if wallTimeout == .distantFuture { return blockingWait(nil) }
      return blockingWait(.until(wallTimeout, now: .now()))
    }

    @discardableResult
    private func blockingWait(_ limit: Duration?) -> DispatchTimeoutResult {
      guard let running = baton else { return .success }
      guard let limit else {
        running.wait()
        return .success
      }
      return running.wait(timeout: limit) == nil ? .timedOut : .success
    }
  }

  /// A `DispatchWorkItem` is not marked `Sendable`, though Dispatch itself runs, cancels and waits for it on any thread.
  private struct SendableWorkItem: @unchecked Sendable {
    let item: DispatchWorkItem
  }
}

extension DispatchQueue {
  /// Runs work on this queue, as a part of a group.
  ///
  /// - Parameters:
  ///   - group: Is entered now, and left when the work has run.
  ///   - qos: The quality of service of the work.
  ///   - flags: How the work is run.
  ///   - work: Runs once.
  public func async(
    group: Baton.Group, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable () -> Void
  ) {
    group.enter()
    async(qos: qos, flags: flags) {
      work()
      group.leave()
    }
  }
}

extension Duration {
  fileprivate static func until(_ time: DispatchTime, now: DispatchTime) -> Duration {
    .nanoseconds(time > now ? Int64(clamping: time.uptimeNanoseconds - now.uptimeNanoseconds) : 0)
  }

  /// A wall time counts nanoseconds since 1970 downwards from zero in its raw value.
  fileprivate static func until(_ time: DispatchWallTime, now: DispatchWallTime) -> Duration {
    let nanoseconds = Int64(bitPattern: now.rawValue) &- Int64(bitPattern: time.rawValue)
    return .nanoseconds(max(0, nanoseconds))
  }
}
#endif
