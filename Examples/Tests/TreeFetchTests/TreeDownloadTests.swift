// The download of a tree: each resource once, whatever its shape, within the limit.
import Foundation
import Synchronization
import Testing
import TreeFetch

@Suite(.timeLimit(.minutes(2))) struct TreeDownloadTests {
  private static func wide(_ count: Int) -> [Package] {
    let leaves = (1...count).map { Package("leaf\($0)", size: 100) }
    return [Package("root", children: leaves.map(\.name))] + leaves
  }

  @Test func `all that gnome needs comes once`() async throws {
    let packages = try PackageTable.gnome()
    try await withServer(packages) { root, server in
      let download = try await download(root)
      #expect(download.report.isComplete)
      #expect(download.report.problems == [])
      #expect(download.report.status.saved == 1_139)
      #expect(download.report.status.found == 1_139)
      #expect(download.files == packages.map { "\($0.name).json" }.sorted())
      #expect(server.traffic.requests == 1_139)
      #expect(server.traffic.mostInFlight <= 8)
      #expect(download.report.status.traffic.mostInFlight == 8)
    }
  }

  @Test func `a shared resource comes once, and circles end`() async throws {
    let packages = [
      Package("root", children: ["a", "b", "root"]), Package("a", children: ["shared", "b"]),
      Package("b", children: ["shared", "a"]), Package("shared", children: ["shared", "root"]),
    ]
    try await withServer(packages) { root, server in
      let download = try await download(root)
      #expect(download.report.isComplete)
      #expect(download.files == ["a.json", "b.json", "root.json", "shared.json"])
      #expect(server.traffic.requests == 4)
    }
  }

  @Test func `a root without children is a whole tree`() async throws {
    try await withServer([Package("root", size: 700)]) { root, _ in
      let download = try await download(root)
      #expect(download.report.isComplete)
      #expect(download.files == ["root.json"])
    }
  }

  @Test func `a chain comes to its end`() async throws {
    let chain = (0..<300).map { Package("p\($0)", children: $0 == 299 ? [] : ["p\($0 + 1)"]) }
    try await withServer(chain) { root, server in
      let report = try await download(root).report
      #expect(report.isComplete)
      #expect(report.status.saved == 300)
      #expect(server.traffic.mostInFlight == 1)
    }
  }

  @Test(arguments: [1, 3])
  func `the limit is reached and never exceeded`(limit: Int) async throws {
    let gate = Gate(opensAt: limit)  // Would stay shut if fewer were ever in flight.
    let beforeAnswer: @Sendable (String) async -> Void = { if $0 != "root" { await gate.pass() } }
    try await withServer(Self.wide(60), beforeAnswer: beforeAnswer) { root, server in
      let report = try await download(root, limit: limit).report
      #expect(report.isComplete)
      #expect(server.traffic == report.status.traffic)
      #expect(server.traffic.requests == 61)
      #expect(server.traffic.mostInFlight == limit)
    }
  }

  @Test func `progress never goes back, and ends with all of it`() async throws {
    let seen = Mutex<[TreeDownload.Status]>([])
    try await withServer(Self.wide(60)) { root, _ in
      let report = try await download(root) { status in seen.withLock { $0.append(status) } }.report
      let statuses = seen.withLock { $0 }
      #expect(statuses.map(\.saved) == Array(1...61))
      #expect(statuses.allSatisfy { $0.saved <= $0.found })
      #expect(statuses.last?.bytes == report.status.bytes)
    }
  }

  @Test func `names that collide lose nothing`() async throws {
    let server = try RawServer([
      RawServer.ok(#"{"name": "../same", "children": ["/1", "/2"]}"#), RawServer.ok(#"{"name": "../same"}"#),
      RawServer.ok(#"{"name": "../SAME"}"#),
    ])
    let download = try await download(server.root, limit: 1)
    #expect(download.report.isComplete)
    #expect(download.files == ["%2E.%2FSAME~3.json", "%2E.%2Fsame.json", "%2E.%2Fsame~2.json"])
  }
}
