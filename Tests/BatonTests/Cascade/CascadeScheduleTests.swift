// The time that a cascade needs, compared with an ideal schedule, in virtual time.

import Foundation
import Synchronization
import Testing

@testable import Baton

/// Loads that come back in the order of their times, which are nobody's but the test's.
private final class EventQueue: Sendable {
  typealias Pass = Tree<String>.Cascade.Pass

  private struct Event {
    let time: Int
    let number: Int
    let id: String
    let pass: Pass
  }

  private struct State {
    var now = 0
    var started = 0
    var events: [Event] = []
  }

  private let state = Mutex(State())

  var now: Int { state.withLock { $0.now } }

  func add(_ id: String, _ pass: Pass, after latency: Int) {
    state.withLock { state in
      state.started += 1
      state.events.append(Event(time: state.now + latency, number: state.started, id: id, pass: pass))
    }
  }

  /// Sets the time to that of the next event; of several, the first that started.
  private func next() -> Event? {
    state.withLock { state in
      let first = state.events.indices.min {
        (state.events[$0].time, state.events[$0].number) < (state.events[$1].time, state.events[$1].number)
      }
      guard let first else { return nil }
      state.now = state.events[first].time
      return state.events.remove(at: first)
    }
  }

  func run(_ tree: Tree<String>) { while let event = next() { event.pass.finish(with: tree.result(event.id)) } }
}

@Suite(.timeLimit(.minutes(10))) struct CascadeScheduleTests {
  /// Microseconds: a round trip of 20 ms, then 10 MB/s.
  private func latency(_ bytes: Int) -> Int { 20_000 + bytes / 10 }

  /// The time in which a list schedule loads everything breadth first: whenever a permit is free, the first that has
  /// been discovered starts. Worked out with nothing of Baton's.
  private func idealTime(_ gnome: Gnome, limit: Int) -> Int {
    var (seen, queue, head) = (Set([gnome.root]), [gnome.root], 0)
    var out: [(end: Int, number: Int, id: String)] = []
    var now = 0
    while head < queue.count || !out.isEmpty {
      while head < queue.count, out.count < limit {
        out.append((now + latency(gnome.bytes[queue[head]] ?? 0), head, queue[head]))
        head += 1
      }
      out.sort { ($0.end, $0.number) < ($1.end, $1.number) }
      let first = out.removeFirst()
      now = first.end
      for child in gnome.tree.children[first.id] ?? [] where seen.insert(child).inserted { queue.append(child) }
    }
    return now
  }

  /// No schedule is faster than all work divided by the permits, nor than the quickest way to the last id to be known.
  private func lowerBound(_ gnome: Gnome, limit: Int) -> Int {
    let latencies = gnome.bytes.mapValues(latency)
    var known = [gnome.root: 0]
    var changed = [gnome.root]
    while let id = changed.popLast() {
      let end = (known[id] ?? 0) + (latencies[id] ?? 0)
      for child in gnome.tree.children[id] ?? [] where end < known[child] ?? .max {
        known[child] = end
        changed.append(child)
      }
    }
    let longest = known.map { $1 + (latencies[$0] ?? 0) }.max() ?? 0
    return max(longest, latencies.values.reduce(0, +) / limit)
  }

  @Test func `gnome takes no longer than an ideal breadth-first schedule`() async throws {
    let gnome = try Gnome.shared.get()
    var table = "Cascade on gnome.tsv, virtual seconds\nlimit  cascade    ideal    ratio    bound\n"
    for limit in [1, 4, 8, 64] {
      let events = EventQueue()
      let cascade = Tree<String>.Cascade(limit: Baton.Limiter(limit)) { id, pass in
        events.add(id, pass, after: latency(gnome.bytes[id] ?? 0))
      }
      let loaded = Counter()
      cascade.start([gnome.root]) { loaded.add($0.resources.count) }
      events.run(gnome.tree)
      let (time, ideal) = (events.now, idealTime(gnome, limit: limit))
      #expect(loaded.value == 1_139)
      #expect(abs(Double(time) / Double(ideal) - 1) < 0.02, "limit \(limit): \(time) µs, ideally \(ideal) µs")
      let numbers = [time, ideal].map { Double($0) / 1_000_000 }
      let bound = Double(lowerBound(gnome, limit: limit)) / 1_000_000
      let row = [numbers[0], numbers[1], numbers[0] / numbers[1], bound].map {
        $0.formatted(.number.precision(.fractionLength(3)).grouping(.never)).leftPadded(to: 9)
      }
      table += "\(limit)".leftPadded(to: 5) + row.joined() + "\n"
    }
    print(table)
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
