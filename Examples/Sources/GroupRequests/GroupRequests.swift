// GroupRequests: requests made inside a capture form a group, and their callers don't know of it.
import Baton
import Dispatch
import Synchronization

// MARK: - The server, as it is

struct NotFound: Error, CustomStringConvertible {
  let path: String
  var description: String { "there is no \(path)" }
}

/// Answers one request after another, when it is open. Addresses are `group/name`; "missing" ones fail.
final class Server: Sendable {
  private let queue = DispatchQueue(label: "server", attributes: .initiallyInactive)
  private let traffic = Mutex<[Substring: (now: Int, most: Int)]>([:])

  func send(_ path: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
    let group = path.prefix { $0 != "/" }
    traffic.withLock { traffic in
      let now = (traffic[group]?.now ?? 0) + 1
      traffic[group] = (now, max(now, traffic[group]?.most ?? 0))
    }
    queue.async { [self] in
      traffic.withLock { traffic in traffic[group]?.now -= 1 }
      if path.contains("missing") { completion(nil, NotFound(path: path)) } else { completion("the \(path)", nil) }
    }
  }

  func open() { queue.activate() }

  func mostAtOnce(in group: String) -> Int { traffic.withLock { $0[group[...]]?.most ?? 0 } }
}

// MARK: - The network layer, the one place that knows of Baton

struct Network: Sendable {
  let server: Server

  func get(_ path: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
    // Inside a capture, its group waits for the callback, and takes the error. Outside, this changes nothing.
    let completion = Baton.join(completion, label: path, failure: { _, error in error })
    guard let turn = Baton.current?.tryMakePass(path) else { return server.send(path, completion: completion) }

    // The request starts when the group has a permit for it…
    turn.baton.start(path) { permit in
      guard turn.tryFinish() else { return permit.finish() }
      server.send(path) { body, error in
        completion(body, error)
        permit.finish()
      }
    }
    // …or never, if the group is cancelled first; but its own callback runs in any case.
    turn.onCancel {
      if turn.tryFinish() { completion(nil, CancellationError()) }
    }
  }
}

// MARK: - Its callers, which don't change

func show(_ body: String?, _ error: (any Error)?) {
  print("  \(body ?? "\(error ?? CancellationError())")")
}

func loadProfile(_ network: Network) {
  network.get("profile/user") { body, error in
    show(body, error)
    network.get("profile/photo", completion: show)  // What a callback requests is in the group too.
  }
  for item in ["name", "city", "friends", "likes"] { network.get("profile/\(item)", completion: show) }
}

func loadFeed(_ network: Network) {
  for item in ["news", "missing ad", "missing film", "weather", "stars"] {
    network.get("feed/\(item)", completion: show)
  }
}

// MARK: - The groups

@main struct GroupRequests {
  static func main() async {
    let server = Server()
    let network = Network(server: server)
    let profile = Baton(name: "Profile", limit: 3)
    let feed = Baton(name: "Feed", limit: 3)
    for group in [profile, feed] {
      group.onCompletion { outcome in
        print("\(group.name ?? ""): \(outcome.isCancelled ? "failed" : "all is here")")
        for failure in outcome.failures { print("  \(failure.path.joined(separator: " › ")): \(failure.error)") }
      }
    }

    profile.capture { loadProfile(network) }
    feed.capture { loadFeed(network) }
    network.get("outside", completion: show)  // In no group.
    server.open()

    _ = await (profile.outcome, feed.outcome)
    for group in ["profile", "feed"] { print("\(group): at most \(server.mostAtOnce(in: group)) at once") }
  }
}
