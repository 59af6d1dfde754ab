// One baton over a tree of resources that nobody could count beforehand.
import Baton
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads a resource, whatever it names, whatever that names in its turn, and so on down: each resource once,
/// however many others name it, and never more than `limit` at the same time.
///
/// The tree is useful only as a whole, so the first failure stops it: no further request starts, and those in flight
/// are cancelled. A download runs once.
package final class TreeDownload: Sendable {
  private let root: URL
  private let folder: Folder
  private let session: URLSession
  private let baton: Baton
  private let requested = Mutex<Set<URL>>([])
  private let status = Mutex(Status())
  private let onProgress: @Sendable (Status) -> Void

  /// - Parameters:
  ///   - root: the first resource's address.
  ///   - folder: where the files go.
  ///   - limit: the most requests in flight, at least 1.
  ///   - timeout: seconds without a byte after which a request fails.
  ///   - onProgress: called after each resource that was saved, on the session's queue.
  package init(
    from root: URL, into folder: Folder, limit: Int, timeout: TimeInterval = 30,
    onProgress: @escaping @Sendable (Status) -> Void = { _ in }
  ) {
    let configuration = URLSessionConfiguration.ephemeral
    // The session must not queue what the baton has let through: a request's timeout runs in that queue too.
    configuration.httpMaximumConnectionsPerHost = limit
    configuration.timeoutIntervalForRequest = timeout
    let session = URLSession(configuration: configuration)

    self.root = root
    self.folder = folder
    self.session = session
    self.onProgress = onProgress
    baton = Baton(name: root.label, limit: Baton.Limiter(limit)) { _ in session.finishTasksAndInvalidate() }
  }

  /// Downloads the tree, and returns when the last of it is in, or has failed.
  package func run() async -> Report {
    let start = ContinuousClock.now
    fetch(root)
    let outcome = await baton.outcome
    return Report(
      name: root.label, outcome: outcome, status: status.withLock { $0 }, duration: start.duration(to: .now),
      folder: folder.url)
  }

  /// Stops the download: `run` returns as soon as the requests in flight have been told.
  package func stop() {
    baton.cancelAll(FetchError.interrupted)
  }

  private func fetch(_ url: URL) {
    guard requested.withLock({ $0.insert(url).inserted }) else { return }  // Shared, or the end of a circle.
    status.withLock { $0.found += 1 }

    // `start` waits for one of the limit's permits; the permit goes back when the request is over.
    baton.start(url.label) { permit in
      // The wrapped callback carries the answer. What it throws cancels the baton, with this label.
      let request = self.session.dataTask(
        with: url,
        completionHandler: self.baton.pass(url.label) { data, response, error in
          defer { permit.finish() }
          self.status.withLock { $0.traffic.end() }
          let resource = try Resource(at: url, data, response, error)
          try self.folder.save(resource.data, as: resource.name)
          for child in resource.children { self.fetch(child) }  // Passed before this one is handed back.
          self.onProgress(self.count(resource))
        })
      permit.onCancel { request.cancel() }
      self.status.withLock { $0.traffic.begin() }
      request.resume()
    }
  }

  private func count(_ resource: Resource) -> Status {
    status.withLock {
      $0.saved += 1
      $0.bytes += resource.data.count
      return $0
    }
  }
}

extension TreeDownload {
  /// How far a download has come.
  package struct Status: Sendable {
    /// How many resources are known of: those saved, and those still to come.
    package var found = 0
    package var saved = 0
    package var bytes = 0
    package var traffic = Traffic()

    package init() {}
  }
}

extension URL {
  /// What a person calls the resource: the last part of its address.
  var label: String {
    let last = lastPathComponent
    return last.isEmpty || last == "/" ? host ?? absoluteString : last
  }
}
