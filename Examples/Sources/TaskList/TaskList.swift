// TaskList: a list of functions that each take a completion, run one after another or at the same time.
import Baton
import Dispatch

// MARK: - The functions, as they are

let worker = DispatchQueue(label: "worker")

func work(_ name: String, completion: @escaping @Sendable () -> Void) {
  print("  \(name) begins")
  worker.async {
    print("  \(name) ends")
    completion()
  }
}

@Sendable func clearCache(completion: @escaping @Sendable () -> Void) {
  work("clear the cache", completion: completion)
}
@Sendable func openStore(completion: @escaping @Sendable () -> Void) { work("open the store", completion: completion) }
@Sendable func loadFonts(completion: @escaping @Sendable () -> Void) { work("load the fonts", completion: completion) }

// MARK: - The list, with Baton

let tasks: [Baton.Step] = [clearCache, openStore, loadFonts]

/// Runs the list under a label, at most `limit` of them at the same time; completes on the main actor when all are done.
func run(_ label: String, limit: Baton.Limiter?, completion: @escaping @MainActor @Sendable () -> Void) {
  Baton.scatter(tasks, name: label, limit: limit, on: .main) { _ in completion() }
}

@main struct TaskList {
  static func main() async {
    await show("one after another", limit: 1)
    await show("two at a time", limit: 2)
    await show("all at the same time", limit: nil)
  }

  private static func show(_ label: String, limit: Baton.Limiter?) async {
    print("\(label):")
    worker.suspend()  // Nothing ends before all that may begin has begun, so that the output is the same each time.
    await withCheckedContinuation { done in
      run(label, limit: limit) {
        print("\(label): all done")
        done.resume()
      }
      worker.resume()
    }
  }
}
