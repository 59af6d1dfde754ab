// Baton and swift-metrics: how much work is out, how much comes and goes, and how long it takes. Copy this file.
//
//     let downloads = MetricsObserver(dimensions: [("work", "downloads")])      // one for all batons of a kind
//     let query = Baton(name: "Query", observer: downloads) { cancelled in … }
//
// The metrics are made once, and so are their dimensions: a baton's own name may be another for each request. A pass that a
// child holds is not counted; what the child is passed for is. Always: passes = settles + abandoned + outstanding.
import Baton
import Metrics
import Synchronization

final class MetricsObserver: Baton.Observer {
  /// An open baton: how many passes are out, and since when, of those that can be told apart (bare ones can't).
  private struct Open {
    var out = 0
    var since: [UInt64: ContinuousClock.Instant] = [:]
  }

  private let passes, settles, failures, abandoned, cancels, misuses: Counter
  private let outstanding: Meter
  private let duration: Timer
  private let open = Mutex<[UInt64: Open]>([:])

  /// - Parameters:
  ///   - prefix: What the labels begin with, as in `baton.pass.duration`.
  ///   - dimensions: Those of all metrics; few values, known beforehand.
  init(prefix: String = "baton", dimensions: [(String, String)] = []) {
    passes = Counter(label: "\(prefix).passes", dimensions: dimensions)
    settles = Counter(label: "\(prefix).settles", dimensions: dimensions)
    failures = Counter(label: "\(prefix).failures", dimensions: dimensions)
    abandoned = Counter(label: "\(prefix).abandoned", dimensions: dimensions)
    cancels = Counter(label: "\(prefix).cancels", dimensions: dimensions)
    misuses = Counter(label: "\(prefix).misuses", dimensions: dimensions)
    outstanding = Meter(label: "\(prefix).outstanding", dimensions: dimensions)
    duration = Timer(label: "\(prefix).pass.duration", dimensions: dimensions)
  }

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    switch event {
    case .made: open.withLock { $0[identity.id] = Open() }
    case .passed(let pass) where pass.child == nil:
      let instant: ContinuousClock.Instant? = change(identity, by: pass.count) { open in
        if let id = pass.id { open.since[id] = pass.instant }
        return pass.instant
      }
      if instant != nil { passes.increment(by: pass.count) }
    case .settled(let pass) where pass.child == nil:
      guard
        let since = change(
          identity, by: -pass.count, { open in pass.id.flatMap { open.since.removeValue(forKey: $0) } })
      else { return }  // It was abandoned, and is counted as that.
      settles.increment(by: pass.count)
      if let since { duration.record(duration: since.duration(to: pass.instant)) }
      if let error = pass.error, !(error is CancellationError) { failures.increment() }
    case .passed, .settled: break
    case .cancelled: cancels.increment()
    case .completed:
      let left = open.withLock { $0.removeValue(forKey: identity.id) }?.out ?? 0
      guard left > 0 else { return }
      outstanding.decrement(by: Double(left))
      abandoned.increment(by: left)
    case .misused: misuses.increment()
    }
  }

  /// Nil for a baton that is complete: what comes late changes nothing.
  private func change<R>(_ identity: Baton.Identity, by count: Int, _ body: (inout Open) -> R) -> R? {
    let result = open.withLock { open -> R? in
      open[identity.id]?.out += count
      return open[identity.id] == nil ? nil : body(&open[identity.id, default: Open()])
    }
    guard result != nil else { return nil }
    if count > 0 { outstanding.increment(by: Double(count)) } else { outstanding.decrement(by: Double(-count)) }
    return result
  }
}
