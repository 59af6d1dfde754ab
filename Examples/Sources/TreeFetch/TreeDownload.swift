// The download of a tree, each of whose main branches is useful only as a whole.
import Baton
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads a resource, whatever it names, whatever that names in its turn, and so on down: each resource once,
/// however many others name it, and never more than `limit` at the same time.
///
/// What the root names are the tree's branches. A branch's files are put into the folder together, as soon as all that
/// it reaches is in; a resource that can't be had fails the branches that reach it, and no other. The root's own file
/// says that all of it is here, so it comes with the last branch, if none has failed. A download runs once.
package final class TreeDownload: Sendable {
  private let root: Address
  private let folder: Folder
  private let limit: Int
  private let observer: (any Baton.Observer)?
  private let session: URLSession
  private let state: Mutex<State>
  private let onProgress: @Sendable (Status) -> Void

  /// - Parameters:
  ///   - root: the first resource's address.
  ///   - folder: where the files go; closed at the end.
  ///   - limit: the most requests in flight, at least 1.
  ///   - timeout: seconds without a byte after which a request fails.
  ///   - observer: is told of each request, and of what comes of it.
  ///   - onProgress: called after each resource that came, on the session's queue.
  package init(
    from root: URL, into folder: Folder, limit: Int, timeout: TimeInterval = 30, observer: (any Baton.Observer)? = nil,
    onProgress: @escaping @Sendable (Status) -> Void = { _ in }
  ) {
    let configuration = URLSessionConfiguration.ephemeral
    // The session must not queue what the limit has let through: a request's timeout runs in that queue too.
    configuration.httpMaximumConnectionsPerHost = limit
    configuration.timeoutIntervalForRequest = timeout

    self.root = Address(root)
    self.folder = folder
    self.limit = limit
    self.observer = observer
    self.onProgress = onProgress
    session = URLSession(configuration: configuration)
    state = Mutex(State(known: [Address(root)]))
  }

  /// Downloads the tree, and returns when the last of it is in, or has failed. Cancelling the calling task stops it.
  package func run() async -> Report {
    let start = ContinuousClock.now
    var branches: [Report.Branch] = []
    var children: Set<Address> = []
    var failure: (any Error)?
    do {
      let root = try await loadRoot()
      children = Set(root.children)
      for await branch in cascade(below: root).branches(from: root.children) { branches.append(commit(branch)) }
      try Task.checkCancellation()
      if branches.allSatisfy(\.isWhole) { try folder.commit([root.file]) }
    } catch {
      failure = Task.isCancelled ? FetchError.interrupted : error
    }
    // After an interrupt there may be requests that don't know it yet. A closed folder takes nothing in.
    folder.close()
    session.finishTasksAndInvalidate()
    return Report(
      name: "\(root)", failure: failure, branches: branches, branchCount: children.count, fileCount: folder.count,
      status: state.withLock { $0.status }, duration: start.duration(to: .now), folder: folder.url)
  }

  /// The root comes first, alone: it names the branches.
  private func loadRoot() async throws -> Staged {
    let gather = Baton.Gather<Staged>(name: "\(root) itself", observer: observer)
    let request = send(
      root,
      completion: gather.pass("\(root)") { data, response, error in try self.stage(self.root, data, response, error) })
    gather.baton.onCancel { request.cancel() }
    return try await withTaskCancellationHandler {
      try await gather.values[0]
    } onCancel: {
      gather.baton.cancelAll()
    }
  }

  /// All bookkeeping of the tree is Baton's: what to load, what is known already, which branch reaches what.
  private func cascade(below rootResource: Staged) -> Baton.Cascade<Address, String> {
    Baton.Cascade(
      name: "\(root)", limit: Baton.Limiter(limit), observer: observer,
      // Circles may lead back to the root.
      alreadyHave: { [root] in $0 == root ? .init(rootResource.file, children: rootResource.children) : nil },
      load: { address, pass in
        let request = self.send(
          address,
          completion: pass.callback { data, response, error in
            let resource = try self.stage(address, data, response, error)
            return .init(resource.file, children: resource.children)
          })
        pass.onCancel { request.cancel() }
      })
  }

  private func commit(_ branch: Baton.Cascade<Address, String>.Branch) -> Report.Branch {
    var problems = branch.outcome.failures.map { Report.Problem(path: $0.path, error: $0.error) }
    do {
      try branch.outcome.get()
      let ids = branch.ids
      try folder.commit(state.withLock { state in ids.compactMap { state.files[$0] } })
    } catch {
      if problems.isEmpty { problems = [Report.Problem(path: ["\(root)", "\(branch.root)"], error: error)] }
    }
    return Report.Branch(root: "\(branch.root)", problems: problems)
  }

  // MARK: One resource

  /// Starts a request, whose answer comes on the session's queue.
  private func send(
    _ address: Address, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    state.withLock { $0.status.traffic.begin() }
    let request = session.dataTask(with: address.url) { data, response, error in
      self.state.withLock { $0.status.traffic.end() }
      completion(data, response, error)
    }
    request.resume()
    return request
  }

  /// Takes an answer for a resource, and stages that.
  private func stage(
    _ address: Address, _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
  ) throws -> Staged {
    let resource = try Resource(at: address.url, data, response, error)
    let staged = Staged(
      file: try folder.stage(resource.data, as: resource.name), children: resource.children.map(Address.init))
    onProgress(
      state.withLock { state in
        state.files[address] = staged.file
        state.known.formUnion(staged.children)
        state.status.found = state.known.count
        state.status.saved += 1
        state.status.bytes += resource.data.count
        return state.status
      })
    return staged
  }
}

extension TreeDownload {
  /// How far a download has come.
  package struct Status: Sendable {
    /// How many resources are known of: those that came, and those still to come.
    package var found = 1
    package var saved = 0
    package var bytes = 0
    package var traffic = Traffic()

    package init() {}
  }

  private struct State: Sendable {
    var status = Status()
    var known: Set<Address>
    var files: [Address: String] = [:]

    init(known: Set<Address>) { self.known = known }
  }

  /// A resource that lies in the folder, and waits for the rest of its branch.
  private struct Staged: Sendable {
    let file: String
    let children: [Address]
  }
}
