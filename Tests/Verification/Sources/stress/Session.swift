// All rounds, one batch after another.

import Baton
import Foundation
import Synchronization

/// One run of the program.
final class Session: Sendable {
  private let options: Options
  private let scenarios: [Int]
  let crew: Crew

  var seed: UInt64 { options.seed }

  init(_ options: Options, _ scenarios: [Int]) {
    self.options = options
    self.scenarios = scenarios
    crew = Crew(seed: options.seed)
  }

  /// Runs the rounds, the scenarios in turn, so that each is tried early.
  /// - Returns: Whether none failed. The first batch with a failure is the last.
  func run() -> Bool {
    print("stress: seed \(options.seed), \(options.rounds) rounds of \(scenarios.count) scenarios")
    // A trap would swallow what is not out.
    fflush(nil)
    let start = ContinuousClock.now
    var rounds = [Int](repeating: 0, count: Scenario.all.count)
    var times = [Duration](repeating: .zero, count: Scenario.all.count)
    var total = 0
    while total < options.rounds {
      for index in scenarios {
        let begin = ContinuousClock.now
        for _ in 0..<Scenario.all[index].share where total < options.rounds {
          let failures = crew.run(index, from: rounds[index])
          rounds[index] += Crew.batch
          total += Crew.batch
          if failures.isEmpty { continue }
          for failure in failures.prefix(5) { print("FAILED \(name(index, failure.round)): \(failure.text)") }
          report(total, start, failures: failures.count)
          return false
        }
        times[index] += ContinuousClock.now - begin
      }
    }
    crew.end()
    for index in scenarios where rounds[index] > 0 {
      let each = times[index] / .microseconds(1) / Double(rounds[index])
      print(String(format: "  %9d rounds, %6.2f us each: ", rounds[index], each) + Scenario.all[index].name)
    }
    let left = leftovers()
    if left > 0 { print("FAILED in the end: \(left) records are still held by something") }
    report(total, start, failures: left)
    return left == 0
  }

  func name(_ index: Int, _ round: Int) -> String {
    "'\(Scenario.all[index].name)', seed \(options.seed), round \(round)"
  }

  /// Records that are alive although all rounds are over; tasks that are just ending get their time.
  private func leftovers() -> Int {
    let end = ContinuousClock.now + .seconds(20)
    while Record.alive.load(ordering: .acquiring) > 0, ContinuousClock.now < end { sched_yield() }
    return Record.alive.load(ordering: .acquiring)
  }

  private func report(_ total: Int, _ start: ContinuousClock.Instant, failures: Int) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    var used = tms()
    times(&used)
    func time(_ ticks: clock_t) -> Double { Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))) }
    print(
      String(
        format: "stress: %d rounds in %.1f s (%.0f rounds/s; %.1f s of user and %.1f s of system time), %d failures",
        total, seconds, Double(total) / seconds, time(used.tms_utime), time(used.tms_stime), failures))
  }
}
