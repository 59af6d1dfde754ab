// A web server on this machine with a tree to download.
import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// Serves packages on a free port of 127.0.0.1, one JSON resource each, and counts its requests.
package final class DemoServer: Sendable {
  private let answers: [String: Data]
  private let failing: Set<String>
  private let beforeAnswer: @Sendable (String) async -> Void
  private let counter = Mutex(Traffic())
  private let task = Mutex<Task<Void, any Error>?>(nil)

  /// A server that isn't listening yet. It answers 500 to the names in `failing`, and each request waits for
  /// `beforeAnswer`, which is given its name.
  package init(
    _ packages: [Package], failing: Set<String> = [],
    beforeAnswer: @escaping @Sendable (String) async -> Void = { _ in }
  ) throws {
    answers = try Dictionary(uniqueKeysWithValues: packages.map { ("/packages/\($0.name)", try $0.json()) })
    self.failing = failing
    self.beforeAnswer = beforeAnswer
  }

  package var traffic: Traffic { counter.withLock { $0 } }

  /// Returns the server's address, when it listens there.
  package func start() async throws -> URL {
    let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: 0)
    let server = HTTPServer(
      address: address, pool: PromptPool(), logger: .disabled,
      handler: ClosureHTTPHandler { request in await self.answer(to: request) })
    task.withLock { $0 = Task { try await server.run() } }
    try await server.waitUntilListening()
    guard case .ip4(let host, let port) = await server.listeningAddress else {
      throw FetchError.serverFailed("it has no address")
    }
    return try URL(web: "http://\(host):\(port)")
  }

  package func stop() {
    task.withLock { $0?.cancel() }
  }

  private func answer(to request: HTTPRequest) async -> HTTPResponse {
    let name = String(request.path.split(separator: "/").last ?? "")
    counter.withLock { $0.begin() }
    defer { counter.withLock { $0.end() } }
    await beforeAnswer(name)
    guard let body = answers[request.path] else { return HTTPResponse(statusCode: .notFound) }
    guard !failing.contains(name) else { return HTTPResponse(statusCode: .internalServerError) }
    return HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: body)
  }
}

extension Package {
  /// The resource that stands for this package: a hundredth of its size, and the addresses of its children.
  fileprivate func json() throws -> Data {
    let document = Document(
      name: name, children: children.map { "/packages/\($0)" }, size: size / 100,
      body: String(repeating: ".", count: size / 100))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(document)
  }
}
