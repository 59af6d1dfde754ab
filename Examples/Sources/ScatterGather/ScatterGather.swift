// ScatterGather: a query names resources, which name others, some already at hand. Written twice.
import Baton
import Dispatch
import Synchronization

// MARK: - The service, as it is: callback APIs

struct ServiceError: Error, CustomStringConvertible {
  let description: String
}

struct Resource: Sendable {
  let id: String
  let needs: [String]
}

/// Answers one request after another, on a queue of its own.
struct Service: Sendable {
  private let queue = DispatchQueue(label: "service")
  private let needs = [
    "page": ["style", "photo"], "style": ["font", "colours"], "photo": ["colours"], "colours": ["style"], "font": [],
    "broken page": ["style", "logo"],
  ]

  func query(_ text: String, completion: @escaping @Sendable (_ ids: [String]?, (any Error)?) -> Void) {
    queue.async { completion([text, "photo"], nil) }
  }

  func download(_ id: String, completion: @escaping @Sendable (Resource?, (any Error)?) -> Void) {
    queue.async {
      if let needs = needs[id] { return completion(Resource(id: id, needs: needs), nil) }
      completion(nil, ServiceError(description: "there is no \(id)"))
    }
  }
}

/// What is at hand, and what was downloaded.
final class Store: Sendable {
  private let known = Mutex<Set<String>>(["font"])
  private let downloads = Mutex<[String]>([])

  /// True once for each id that is neither at hand nor on its way.
  func wants(_ id: String) -> Bool { known.withLock { $0.insert(id).inserted } }
  func add(_ resource: Resource) { downloads.withLock { $0.append(resource.id) } }
  var downloaded: String { downloads.withLock { $0.joined(separator: ", ") } }
}

// MARK: - With bare calls, as the class of 2013 was used: every path must hand back exactly one pass

func loadBare(
  _ text: String, from service: Service, into store: Store, completion: @escaping @Sendable (_ cancelled: Bool) -> Void
) {
  let baton = Baton(name: "Query", completion: completion)

  @Sendable func load(_ id: String) {
    guard !baton.isCancelled, store.wants(id) else { return }
    baton.pass()
    service.download(id) { resource, error in
      guard let resource else { return baton.cancel() }
      store.add(resource)
      for id in resource.needs { load(id) }  // They are passed before this one is handed back.
      baton.finish()
    }
  }

  baton.pass()
  service.query(text) { ids, error in
    guard let ids else { return baton.cancel() }
    for id in ids { load(id) }
    baton.finish()
  }
}

// MARK: - With wrapped callbacks: passed when wrapped, handed back when called, cancelled when they throw

func loadWrapped(
  _ text: String, from service: Service, into store: Store, completion: @escaping @Sendable (Baton.Outcome) -> Void
) {
  let baton = Baton(name: "Query")
  baton.onCompletion(completion)

  @Sendable func load(_ id: String) {
    guard !baton.isCancelled, store.wants(id) else { return }
    service.download(
      id,
      completion: baton.pass(id) { resource, error in
        guard let resource else { throw error ?? CancellationError() }
        store.add(resource)
        for id in resource.needs { load(id) }
      })
  }

  service.query(
    text,
    completion: baton.pass("query") { ids, error in
      guard let ids else { throw error ?? CancellationError() }
      for id in ids { load(id) }
    })
}

@main struct ScatterGather {
  static func main() async {
    for page in ["page", "broken page"] {
      let bare = Store()
      let cancelled = await withCheckedContinuation { done in
        loadBare(page, from: Service(), into: bare) { cancelled in done.resume(returning: cancelled) }
      }
      print("\(page), bare: \(cancelled ? "cancelled" : "finished") with \(bare.downloaded)")

      let wrapped = Store()
      let outcome = await withCheckedContinuation { done in
        loadWrapped(page, from: Service(), into: wrapped) { outcome in done.resume(returning: outcome) }
      }
      print("\(page), wrapped: \(outcome.isCancelled ? "cancelled" : "finished") with \(wrapped.downloaded)")
      for failure in outcome.failures { print("  \(failure.path.joined(separator: " › ")): \(failure.error)") }
    }
  }
}
