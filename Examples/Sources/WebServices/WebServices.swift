// WebServices: two unrelated services, one call that starts both, one end with one overall error.
import Baton
import Dispatch
import Synchronization

// MARK: - The services, as they are: each with a callback API of its own shape

struct ServiceError: Error, CustomStringConvertible {
  let description: String
}

func fetchConfiguration(completion: @escaping @Sendable (_ greeting: String?, (any Error)?) -> Void) {
  DispatchQueue.global().async { completion("Good morning", nil) }
}

func loadPreferences(of user: String, then callback: @escaping @Sendable (Result<String, ServiceError>) -> Void) {
  DispatchQueue.global().async {
    callback(user == "Ada" ? .success("dark") : .failure(ServiceError(description: "there is no user \(user)")))
  }
}

func countMessages(for user: String, onCount: @escaping @Sendable (Int) -> Void) {
  DispatchQueue.global().async { onCount(3) }
}

// MARK: - The app

struct Settings {
  var greeting = ""
  var theme = ""
  var unread: Int?
}

final class App: Sendable {
  let user: String
  /// Behind a lock, as the services call back on any thread.
  let settings = Mutex(Settings())

  init(user: String) { self.user = user }

  var screen: String {
    settings.withLock { settings in
      let messages = settings.unread.map { ", \($0) messages" } ?? ""
      return "\(settings.greeting), \(user) (\(settings.theme) theme\(messages))"
    }
  }
}

// MARK: - The launch, with Baton

extension App {
  /// Starts all that a launch needs. Who wants to hear of the end, asks the baton that is returned.
  private func startServices(countsMessages: Bool = false) -> Baton {
    let launch = Baton(name: "Launch")
    launch.withPass {  // Held until all have started: the first may be back before the second begins.
      fetchConfiguration(
        completion: launch.pass("configuration") { greeting, error in
          if let error { throw error }
          self.settings.withLock { $0.greeting = greeting ?? "" }
        })
      loadPreferences(
        of: user,
        then: launch.pass("preferences") { result in
          let theme = try result.get()
          self.settings.withLock { $0.theme = theme }
        })
      // The third service is one line:
      if countsMessages {
        countMessages(for: user, onCount: launch.pass { n in self.settings.withLock { $0.unread = n } })
      }
    }
    return launch
  }

  /// With one completion, on the main actor, and one overall error.
  func launch(countsMessages: Bool = false, completion: @escaping @MainActor @Sendable ((any Error)?) -> Void) {
    startServices(countsMessages: countsMessages).onCompletion(on: .main) { outcome in
      completion(outcome.failures.first?.error)
    }
  }

  /// The same with a blocking wait. Fine on the main thread of a program like this, as no handler needs that thread.
  func launchAndWait() throws { try startServices().wait().get() }

  /// The same with async/await.
  func launch() async throws { try await startServices().outcome.get() }
}

@main struct WebServices {
  static func main() async {
    for user in ["Ada", "Nobody"] {
      await completing(App(user: user))
      waiting(App(user: user))
      await awaiting(App(user: user))
    }
    await completing(App(user: "Ada"), countsMessages: true)
  }

  private static func completing(_ app: App, countsMessages: Bool = false) async {
    await withCheckedContinuation { done in
      app.launch(countsMessages: countsMessages) { error in
        print("completion:", error.map { "failed: \($0)" } ?? app.screen)
        done.resume()
      }
    }
  }

  /// Not async: a thread of the concurrency pool must not block, and the compiler sees to it.
  private static func waiting(_ app: App) {
    do { try app.launchAndWait() } catch { return print("wait:       failed: \(error)") }
    print("wait:      ", app.screen)
  }

  private static func awaiting(_ app: App) async {
    do { try await app.launch() } catch { return print("await:      failed: \(error)") }
    print("await:     ", app.screen)
  }
}
