// The works and their peers as benchmarks: figures and percentiles. The ratios are the program `ratios`'s.

import Benchmark
import Peers
import Works

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .cpuTotal, .throughput], warmupIterations: 1, scalingFactor: .kilo,
    maxDuration: .milliseconds(500), maxIterations: 1000)
  let rows: [(String, [Work])] = [
    ("1 pass, finish", [Works.passAndFinish, Works.bareCounter, Peers.enterAndLeave, Peers.lockedCounter]),
    ("2 life", [Works.life, Works.bareLife, Peers.groupLife, Peers.lockedLife, Peers.promiseLife]),
    ("3 tree of 2", [Works.tree(fan: 2), Works.bareTree(fan: 2), Peers.groupTree(fan: 2), Peers.taskTree(fan: 2)]),
    ("5 end", [Works.endInline, Works.endOnQueue, Works.endAwaited]),
    ("6 callback", [Works.callback, Works.onceFlag, Peers.checkedContinuation]),
    ("7 gather", [Works.gather, Works.gatherList, Works.bareGather, Peers.groupGather, Peers.taskGather]),
    ("8 limiter", [Works.limitedInline, Works.limitedWaiting, Peers.operationQueue, Peers.limitedTasks]),
  ]
  for (title, works) in rows {
    for work in works {
      Benchmark("\(title): \(work.name)") { benchmark in
        let round = work.prepare(benchmark.scaledIterations.count)
        benchmark.startMeasurement()
        round()
        benchmark.stopMeasurement()
      }
    }
  }
}
