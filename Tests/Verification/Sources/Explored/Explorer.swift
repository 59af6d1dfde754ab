// The explorer's calls: searching and replaying, and what a program under it may ask.

/// One execution's content: made anew for each schedule.
public protocol Subject: AnyObject {
  /// What its threads do.
  var threads: [() -> Void] { get }
  /// Looks at what they did, when all have ended, and lets everything go.
  func end()
}

/// Runs a program under every schedule.
public enum Explorer {
  /// Searches through the schedules of a program until one fails.
  ///
  /// - Parameters:
  ///   - options: What is to be searched.
  ///   - make: Sets the scene; called for each schedule.
  /// - Returns: What was found.
  public static func search(_ options: Options, _ make: () -> any Subject) -> Findings {
    world.search = SearchState()
    world.search.options = options
    if let (count, seed) = options.random {
      for index in 0..<count {
        world.search.random = SplitMix(seed: seed &+ UInt64(index))
        guard runOnce(make) else { break }
        world.search.path = []
      }
    } else {
      repeat {
        guard runOnce(make) else { break }
      } while world.backtrack()
    }
    world.search.findings.states = world.search.visited.count
    return world.search.findings
  }

  /// Runs a program once, under the schedule that failed, and tells each operation.
  ///
  /// - Parameters:
  ///   - schedule: Its choices; when they are used up, the threads are brought to their end.
  ///   - trace: Gets each operation as it is done.
  ///   - make: Sets the scene.
  /// - Returns: What was found.
  public static func replay(
    _ schedule: Schedule, trace: @escaping (TraceEntry) -> Void, _ make: () -> any Subject
  ) -> Findings {
    world.search = SearchState()
    world.search.path = schedule.choices
    world.trace = trace
    defer { world.trace = nil }
    _ = runOnce(make)
    return world.search.findings
  }

  /// Returns whether all went well.
  private static func runOnce(_ make: () -> any Subject) -> Bool {
    world.rewind()
    world.begin()
    runSubject(make)
    world.search.findings.schedules += 1
    world.search.findings.steps += world.steps
    if world.failure == nil, world.live != 0 { world.failure = "\(world.live) atomics and locks were never let go" }
    guard let failure = world.failure else { return true }
    world.search.findings.failure = (failure, Schedule(choices: world.search.path))
    return false
  }

  /// Out of line, so that the subject is gone when what is left is counted.
  @inline(never)
  private static func runSubject(_ make: () -> any Subject) {
    let subject = make()
    world.run(subject.threads)
    // After a failure the threads still stand where they were; nothing may be looked at, or let go.
    if world.failure == nil { subject.end() } else { world.wrecks.append(subject) }
  }

  /// Ends this execution as a failure.
  /// - Parameter message: What is wrong.
  public static func fail(_ message: @autoclosure () -> String) { world.fail(message()) }

  /// How many locks the running thread holds.
  public static var locksHeld: Int { world.threads[world.current].locks.count }

  /// The schedule up to now.
  public static var schedule: Schedule { Schedule(choices: Array(world.search.path.prefix(world.search.position))) }

  /// The running thread: 0, 1, 2, or 3 for main.
  public static var thread: Int { world.current }
}

/// One operation of a replayed schedule.
public struct TraceEntry: CustomStringConvertible {
  let thread: Int
  let operation: Operation
  let back: Int
  let read: UInt64

  /// The thread that did it, 3 for main.
  public var threadNumber: Int { thread }
  /// The value that was read, or 0.
  public var valueRead: UInt64 { read }
  /// The value that was left behind, if it is another one.
  public var valueWritten: UInt64? {
    let isWrite = back == 0 && !operation.onlyReads(read)
    return isWrite && operation.place.pointee.kind == .atomic ? operation.updated(read) : nil
  }
  /// Whether it is about an atomic.
  public var isAtomic: Bool { operation.place.pointee.kind == .atomic }
  /// The place where the location was made, with its number among all.
  public var location: String { "\(operation.place.pointee.site)#\(operation.place.pointee.serial)" }
  /// Where the operation stands.
  public var site: String { operation.site.description }
  /// How many newer stores there are than the one that was read.
  public var staleness: Int { back }

  /// What was done, without the values.
  public var description: String { operation.description }
}
