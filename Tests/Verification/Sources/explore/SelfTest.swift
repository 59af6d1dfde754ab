// What the explorer itself is held to: the memory model's litmus tests, and that the reduction loses nothing.

import BatonExplored
import Explored

/// A small program for the explorer alone.
final class Litmus: Subject {
  let threads: [() -> Void]
  private let atEnd: () -> Void

  init(_ threads: [() -> Void], end: @escaping () -> Void) {
    self.threads = threads
    atEnd = end
  }

  func end() { atEnd() }
}

/// Atomics to share, and what the threads read.
final class Shared: @unchecked Sendable {
  let x = Atomic<Int>(0)
  let y = Atomic<Int>(0)
  let plain = Plain(0, "plain")
  var read = [0, 0, 0, 0]
}

enum SelfTest {
  /// Whether all that must hold of the explorer holds; says what doesn't.
  static func run() -> Bool {
    let all = [messagePassing, storeBuffering, coherence, releaseSequence, locks, deadlock, counting, reduction]
    return all.map { $0() }.allSatisfy { $0 }
  }

  /// The values that threads can have read at the end, and whether some schedule failed.
  private static func ends(
    reduces: Bool = true, _ program: @escaping (Shared) -> [() -> Void]
  ) -> (reads: Set<[Int]>, failure: String?) {
    var options = Options()
    options.reduces = reduces
    var reads: Set<[Int]> = []
    let found = Explorer.search(options) {
      let shared = Shared()
      return Litmus(program(shared)) { reads.insert(shared.read) }
    }
    return (reads, found.failure?.message)
  }

  private static func expect(_ holds: Bool, _ what: String) -> Bool {
    if !holds { print("FAILED: self-test: \(what)") }
    return holds
  }

  private static func messagePassing() -> Bool {
    func program(_ store: AtomicStoreOrdering, _ load: AtomicLoadOrdering) -> String? {
      ends { shared in
        [
          {
            shared.plain.write(1)
            shared.x.store(1, ordering: store)
          },
          { if shared.x.load(ordering: load) == 1 { _ = shared.plain.read() } },
        ]
      }.failure
    }
    return expect(program(.releasing, .acquiring) == nil, "a released message is received")
      && expect(program(.relaxed, .acquiring) != nil, "a relaxed store publishes nothing")
      && expect(program(.releasing, .relaxed) != nil, "a relaxed load receives nothing")
  }

  private static func storeBuffering() -> Bool {
    let reads = ends { shared in
      [
        {
          shared.x.store(1, ordering: .releasing)
          shared.read[0] = shared.y.load(ordering: .acquiring)
        },
        {
          shared.y.store(1, ordering: .releasing)
          shared.read[1] = shared.x.load(ordering: .acquiring)
        },
      ]
    }.reads
    let all: Set = [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]]
    return expect(reads == all, "both may read what was before")
  }

  private static func coherence() -> Bool {
    let reads = ends { shared in
      [
        {
          shared.x.store(1, ordering: .relaxed)
          shared.x.store(2, ordering: .relaxed)
        },
        {
          shared.read[0] = shared.x.load(ordering: .relaxed)
          shared.read[1] = shared.x.load(ordering: .relaxed)
        },
      ]
    }.reads
    return expect(reads.allSatisfy { $0[0] <= $0[1] } && reads.count == 6, "one location is never read backwards")
  }

  private static func releaseSequence() -> Bool {
    func program(_ middle: @escaping (Shared) -> Void) -> String? {
      ends { shared in
        [
          {
            shared.plain.write(1)
            shared.x.store(1, ordering: .releasing)
          },
          { middle(shared) },
          { if shared.x.load(ordering: .acquiring) == 3 { _ = shared.plain.read() } },
        ]
      }.failure
    }
    return expect(program { $0.x.wrappingAdd(2, ordering: .relaxed) } == nil, "a relaxed addition goes on releasing")
      && expect(
        program { if $0.x.load(ordering: .relaxed) == 1 { $0.x.store(3, ordering: .relaxed) } } != nil,
        "a relaxed store does not")
  }

  private static func locks() -> Bool {
    let found = Explorer.search(Options()) {
      let box = LockBox()
      return Litmus(Array(repeating: { box.add() }, count: 3)) {
        if box.value != 3 { Explorer.fail("lost") }
      }
    }
    return expect(found.failure == nil && found.schedules == 6, "three critical sections have six orders")
  }

  private static func deadlock() -> Bool {
    let failure = ends { shared in
      let (one, other) = (LockBox(), OtherBox())
      return [{ one.add { other.add {} } }, { other.add { one.add() } }]
    }.failure
    return expect(failure?.hasPrefix("deadlock") == true, "a deadlock is found, not \(failure ?? "nothing")")
  }

  /// The class of 2013: decrement, then read again and compare with zero.
  private static func counting() -> Bool {
    let failure = ends { shared in
      shared.x.store(2, ordering: .relaxed)
      return Array(
        repeating: {
          shared.x.wrappingSubtract(1, ordering: .acquiringAndReleasing)
          if shared.x.load(ordering: .acquiring) == 0 {
            if shared.plain.peek == 1 { Explorer.fail("twice") }
            shared.plain.write(1)
          }
        }, count: 2)
    }.failure
    return expect(failure != nil, "a count that is read again completes twice")
  }

  /// The ends that the reduced search finds are those that a search of all schedules finds, with a bound and without.
  private static func reduction() -> Bool {
    let texts = ["f-f", "f-a", "f-t", "c-f", "x-f", "F-a", "c:A-F", "f-h", "n:N-a", "a-n", "q-r", "D-F"]
    return texts.allSatisfy { text in
      guard let scenario = Scenario(text) else { return expect(false, "\(text) is no scenario") }
      return [nil, 2, 1].allSatisfy { (bound: Int?) in
        var options = Options(preemptions: bound)
        options.staleReads = bound.map { $0 - 1 }
        let reduced = ends(of: scenario, options)
        options.reduces = false
        let all = ends(of: scenario, options)
        return expect(
          all.ends == reduced.ends && all.schedules >= reduced.schedules && !all.ends.isEmpty,
          """
          \(scenario): \(reduced.ends.count) of \(all.ends.count) ends found, \
          in \(reduced.schedules) schedules for \(all.schedules)
          """)
      }
    }
  }

  private static func ends(of scenario: Scenario, _ options: Options) -> (ends: Set<String>, schedules: Int) {
    var ends: Set<String> = []
    let found = Explorer.search(options) {
      let stage = Stage(scenario)
      stage.atEnd = { ends.insert($0) }
      return stage
    }
    return (found.failure == nil ? ends : [], found.schedules)
  }
}

/// A number behind a lock.
final class LockBox: Sendable {
  private let count = Mutex(0)

  func add(_ then: () -> Void = {}) {
    count.withLock { count in
      then()
      count += 1
    }
  }

  var value: Int { count.withLock { $0 } }
}

/// A lock of another kind.
final class OtherBox: Sendable {
  private let nothing = Mutex(())

  func add(_ then: () -> Void) { nothing.withLock { _ in then() } }
}
