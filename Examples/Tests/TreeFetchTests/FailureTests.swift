// What goes wrong on the way: one clear line, no half a file, no hang.
import Foundation
import Testing
import TreeFetch

@Suite(.timeLimit(.minutes(2))) struct FailureTests {
  private static let notAResource = "the answer is not the JSON of a resource"
  private static let partial = #"{"name": "root", "child"#

  struct BadAnswer: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let head: String
    var body = ""
    let message: String
  }

  @Test(arguments: [
    BadAnswer(testDescription: "not found", head: "404 Not Found", message: "the server answered 404"),
    BadAnswer(
      testDescription: "not JSON", head: "200 OK", body: "hello",
      message: "\(notAResource): it is no JSON at all"),
    BadAnswer(
      testDescription: "other JSON", head: "200 OK", body: "{}",
      message: "\(notAResource): it has no \"name\""),
    BadAnswer(testDescription: "no content", head: "204 No Content", message: "\(notAResource): it is no JSON at all"),
    BadAnswer(
      testDescription: "part of the body", head: "200 OK\r\nContent-Length: 900", body: partial,
      message: "the body was cut short"),
    BadAnswer(
      testDescription: "none of the body", head: "200 OK\r\nContent-Length: 900", message: "the body was cut short"),
    BadAnswer(
      testDescription: "part of the chunks", head: "200 OK\r\nTransfer-Encoding: chunked",
      body: "17\r\n\(partial)\r\n", message: "the body was cut short"),
    BadAnswer(
      testDescription: "part of a body of unknown length", head: "200 OK", body: partial,
      message: "\(notAResource): it is no JSON at all"),
  ])
  func `a bad answer is one line, and leaves no file`(_ answer: BadAnswer) async throws {
    let download = try await download(RawServer(.text("HTTP/1.1 \(answer.head)\r\n\r\n\(answer.body)")).root)
    try Self.expect(download, at: "root", answer.message)
  }

  @Test(arguments: ["", "How do you do?\r\n"])
  func `an answer that is no HTTP is one line`(answer: String) async throws {
    try Self.expect(await download(RawServer(.text(answer)).root), at: "root", "the request failed: ")
  }

  @Test func `a size that the body doesn't have leaves no file`() async throws {
    let server = try RawServer(RawServer.ok(#"{"name": "root", "size": 10, "body": "short"}"#))
    let download = try await download(server.root)
    try Self.expect(download, at: "root", "the body is 5 bytes long, and its \"size\" says 10")
  }

  @Test func `a refused connection says where`() async throws {
    let port = try ClosedPort()
    let refusal = "the connection was refused: nothing listens at \(port.place)"
    try Self.expect(await download(port.root), at: "root", refusal)
  }

  @Test func `a server that never answers times out`() async throws {
    let server = try RawServer(.silence)
    let download = try await download(server.root, timeout: 0.2)
    try Self.expect(download, at: "root", "no answer in time from \(server.root)")
  }

  @Test func `redirections without end are an error`() async throws {
    let around = RawServer.Answer.text(
      "HTTP/1.1 302 Found\r\nLocation: /root\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    let server = try RawServer(Array(repeating: around, count: 50))
    try Self.expect(await download(server.root), at: "root", "the request failed: too many HTTP redirects")
  }

  @Test func `what a failed resource would have named is not asked for`() async throws {
    let chain = (0..<50).map { Package("p\($0)", children: ["p\($0 + 1)"]) } + [Package("p50")]
    try await withServer(chain, failing: ["p20"]) { root, server in
      let report = try await download(root).report
      #expect(!report.isComplete)
      #expect(report.status.saved == 20)
      #expect(server.traffic.requests == 21)
    }
  }

  @Test func `a folder that goes away while downloading fails the download`() async throws {
    try await withServer([Package("root")]) { root, _ in
      try await withFolder { folder in
        try FileManager.default.removeItem(at: folder.url)
        let report = await TreeDownload(from: root, into: folder, limit: 8).run()
        let path = folder.url.appending(path: "root.json").path
        #expect(report.problems == ["root: can't write to \(path): No such file or directory"])
        #expect(report.summary(limit: 8).hasPrefix("root: nothing of it is here.\n"))
      }
    }
  }

  @Test func `a download that is stopped at its root ends, and says so`() async throws {
    let server = try RawServer(.silence)
    try await withFolder { folder in
      let running = Task { await TreeDownload(from: server.root, into: folder, limit: 8).run() }
      for await _ in server.requests { break }
      running.cancel()
      let report = await running.value
      #expect(report.problems == ["root: interrupted"])
      #expect(report.summary(limit: 8).hasPrefix("root: interrupted.\n"))
      let files = try folder.url.files
      #expect(files == [])
    }
  }

  @Test func `a download that is stopped before it begins asks for nothing to be kept`() async throws {
    try await withServer([Package("root")]) { root, _ in
      try await withFolder { folder in
        let gate = AsyncStream.makeStream(of: Void.self)
        let running = Task {
          for await _ in gate.stream {}
          return await TreeDownload(from: root, into: folder, limit: 8).run()
        }
        running.cancel()
        #expect(await running.value.problems == ["root: interrupted"])
        let files = try folder.url.files
        #expect(files == [])
      }
    }
  }

  private static func expect(
    _ download: Download, at path: String, _ message: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(download.files == [], sourceLocation: location)
    let problem = try #require(download.report.problems.first, sourceLocation: location)
    #expect(download.report.problems.count == 1, sourceLocation: location)
    #expect(problem.hasPrefix("\(path): \(message)"), "\(problem)", sourceLocation: location)
    #expect(!problem.contains("NSURLErrorDomain") && !problem.contains("\n"), sourceLocation: location)
  }
}
