// Recorder: save, then submit if saving succeeded; error handlers for each step and for all; an end in any case.
import Baton
import Dispatch
import Synchronization

// MARK: - The recorder, as it is: callback APIs

enum Trouble: Error { case diskFull, offline }

final class Recorder: Sendable {
  private let queue = DispatchQueue(label: "recorder", attributes: .initiallyInactive)
  private let trouble: Trouble?
  private let saving = Mutex((now: 0, most: 0, saved: 0))

  init(_ trouble: Trouble? = nil) { self.trouble = trouble }

  /// Saves a record, and says under which number.
  func save(_ record: String, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
    saving.withLock { saving in
      saving.now += 1
      saving.most = max(saving.most, saving.now)
    }
    queue.async { [self] in
      let number = saving.withLock { saving in
        saving.now -= 1
        saving.saved += trouble == .diskFull ? 0 : 1
        return saving.saved
      }
      if trouble == .diskFull { completion(nil, Trouble.diskFull) } else { completion(number, nil) }
    }
  }

  /// Submits all records that are saved, and says how many.
  func submitAll(completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
    queue.async { [self] in
      completion(trouble == .offline ? .failure(Trouble.offline) : .success(saving.withLock { $0.saved }))
    }
  }

  /// Nothing is answered before this, so that the output is the same each time.
  func open() { queue.activate() }

  var mostAtOnce: Int { saving.withLock { $0.most } }
}

@MainActor func showAlert(_ text: String) { print("  alert: \(text)") }

// MARK: - The chain, with Baton

/// Saves records, at most `limit` at the same time, and submits all that are saved if every one of them was.
func submission(by recorder: Recorder, limit: Baton.Limiter? = nil) -> Baton.Relay<[String], [Int]> {
  Baton.Relay(name: "Telemetry", of: [String].self)
    .leg("save", of: Int.self, limit: limit) { records, gather in
      for record in records {
        gather.start(record) { pass in
          recorder.save(
            record,
            completion: pass.callback { number, error in
              guard let number else {
                print("  save's own handler: \(error ?? CancellationError())")
                throw error ?? CancellationError()
              }
              return number
            })
        }
      }
    }
    .leg("submit", of: Int.self) { _, gather in
      recorder.submitAll(
        completion: gather.pass { result in
          if case .failure(let error) = result { print("  submit's own handler: \(error)") }
          return try result.get()
        })
    }
    .finally("errors") { outcome in  // One handler for the whole chain: the path says which step it was.
      for failure in outcome.failures { print("  the chain's handler: \(failure.path.joined(separator: " › "))") }
    }
    .finally("continue") { _ in print("  in any case: the log is closed") }
    .finally("alert") { @MainActor outcome in showAlert(outcome.isCancelled ? "Nothing was sent." : "Sent. Thank you!")
    }
    .onLeg { step in print("  \(step)…") }
}

@main struct Story {
  static func main() async {
    let hundred = (1...100).map { "record \($0)" }
    await run("one record", ["record"], Recorder())
    await run("saving fails", ["record"], Recorder(.diskFull))
    await run("submitting fails", ["record"], Recorder(.offline))
    await run("100 records in sequence", hundred, Recorder(), limit: 1)
    await run("100 records in parallel", hundred, Recorder())
    await run("100 in sequence, and saving fails", hundred, Recorder(.diskFull), limit: 1)
  }

  private static func run(
    _ title: String, _ records: [String], _ recorder: Recorder, limit: Baton.Limiter? = nil
  ) async {
    print("\(title):")
    let result = await withCheckedContinuation { done in
      submission(by: recorder, limit: limit).start(records) { result in done.resume(returning: result) }
      recorder.open()
    }
    let submitted = (try? result.get().first) ?? 0
    print("  end: \(submitted) submitted, saved at most \(recorder.mostAtOnce) at once")
  }
}
