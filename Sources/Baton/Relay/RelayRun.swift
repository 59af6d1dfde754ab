// One run of a relay.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

/// The stages of a relay: linked backwards, so that adding one is O(1) although each description is a value.
struct RelayStages: Sendable {
  /// A leg or a step, its types erased: what it gets and what it brings are `any Sendable`.
  struct Leg: Sendable {
    let name: String?
    let run: @Sendable (any Sendable, Baton, @escaping @Sendable (RelayState.Arrival) -> Void) -> Void
  }

  /// One stage behind all that were added before. Its chain is released in a loop, which the compiler makes of the deinit
  /// of a final class with one such field.
  final class Link<Stage: Sendable>: Sendable {
    let stage: Stage
    let count: Int
    let previous: Link?

    init(_ stage: Stage, after previous: Link?) {
      self.stage = stage
      self.previous = previous
      count = (previous?.count ?? 0) + 1
    }

    /// All up to this one, in order.
    var all: [Stage] {
      var stages: [Stage] = []
      stages.reserveCapacity(count)
      var link: Link? = self
      while let current = link {
        stages.append(current.stage)
        link = current.previous
      }
      stages.reverse()
      return stages
    }
  }

  var legs: Link<Leg>?
  var finallies: Link<@Sendable (Baton.Outcome) async -> Void>?
  var watchers: [@Sendable (String) -> Void] = []
}

/// One run of a relay: a baton, of which the run holds a pass until the last `finally` is over.
final class RelayRun<Input: Sendable, Output: Sendable>: Sendable {
  let baton: Baton
  /// Passed for the baton and for the stages: usually the baton is complete last, but after abandonment the `finally`s are.
  private let end = Baton()
  private let legs: [RelayStages.Leg]
  private let finallies: [@Sendable (Baton.Outcome) async -> Void]
  private let watchers: [@Sendable (String) -> Void]
  private let state: Mutex<RelayState>

  init(_ relay: Baton.Relay<Input, Output>, _ input: Input) {
    baton = Baton(name: relay.name, limit: relay.limit, observer: relay.observer)
    legs = relay.stages.legs?.all ?? []
    finallies = relay.stages.finallies?.all ?? []
    watchers = relay.stages.watchers
    state = Mutex(RelayState(input: input, legs: legs.count, finallies: finallies.count))
  }

  func start(_ completion: @escaping @Sendable (Result<Output, any Error>) -> Void) {
    end.pass(count: 2)
    end.onCompletion { _ in completion(self.result) }
    baton.pass()
    baton.onCompletion { outcome in
      if self.state.withLock({ $0.abandoned(outcome.failures) }) { self.drive() }
      self.end.finish()
    }
    drive()
  }

  /// Runs stage after stage, until one is still running when its beginning returns: then its end goes on here.
  private func drive() {
    while true {
      let failures = baton.isCancelled ? baton.core.failuresSoFar : nil
      switch state.withLock({ $0.next(cancelled: failures) }) {
      case .leg(let index, let input):
        let leg = legs[index]
        if let name = leg.name { for watcher in watchers { watcher(name) } }
        leg.run(input, baton) { arrival in
          if self.state.withLock({ $0.arrived(index, arrival) }) { self.drive() }
        }
      case .finally(let index, let outcome):
        let body = finallies[index]
        Task.detached {
          await body(outcome)
          if self.state.withLock({ $0.arrived() }) { self.drive() }
        }
      case .end:
        // In this order the completion runs before the handlers that others have added to the baton.
        end.finish()
        return baton.finish()
      }
      guard state.withLock({ $0.begun() }) else { return }
    }
  }

  /// What the legs have come to, whatever happened to the baton since.
  private var result: Result<Output, any Error> {
    state.withLock { $0.result }.map { value in
      guard let value = value as? Output else {
        fatalError("A relay's last leg has brought \(Swift.type(of: value)), not \(Output.self).")
      }
      return value
    }
  }
}
