// Branches: each is in the folder as a whole, or not at all.
import Foundation
import Testing
import TreeFetch

@Suite(.timeLimit(.minutes(2))) struct BranchTests {
  /// The names of the branches that failed, with the resources through which they did.
  private static func failed(_ report: Report) -> [String: Set<String>] {
    let failed = report.branches.filter { !$0.isWhole }
    return Dictionary(uniqueKeysWithValues: failed.map { ($0.root, Set($0.culprits)) })
  }

  @Test func `a failing resource fails each branch that reaches it, and no other`() async throws {
    let packages = [
      Package("root", children: ["a", "b", "c"]), Package("a", children: ["x", "y"]), Package("b", children: ["x"]),
      Package("c", children: ["y"]), Package("x"), Package("y"),
    ]
    try await withServer(packages, failing: ["x"]) { root, server in
      let download = try await download(root)
      #expect(Self.failed(download.report) == ["a": ["x"], "b": ["x"]])
      #expect(download.files == ["c.json", "y.json"])  // `y` came with `c`, though `a` reaches it too.
      #expect(download.report.problems.count == 1)
      #expect(download.report.problems[0].hasPrefix("root › x: the server answered 500"))
      #expect(server.traffic.requests == 6)
    }
  }

  @Test func `a branch inside another is a branch of its own`() async throws {
    let packages = [
      Package("root", children: ["outer", "inner"]), Package("outer", children: ["inner", "own"]),
      Package("inner", children: ["leaf"]), Package("own"), Package("leaf"),
    ]
    try await withServer(packages, failing: ["own"]) { root, _ in
      let download = try await download(root)
      #expect(Self.failed(download.report) == ["outer": ["own"]])
      #expect(download.files == ["inner.json", "leaf.json"])
    }
    try await withServer(packages, failing: ["leaf"]) { root, _ in
      let download = try await download(root)
      #expect(Self.failed(download.report) == ["outer": ["leaf"], "inner": ["leaf"]])
      #expect(download.files == [])
    }
  }

  @Test(arguments: [[], ["x"]])
  func `a branch that leads back to the root reaches all of it`(failing: Set<String>) async throws {
    let packages = [
      Package("root", children: ["a", "b", "c"]), Package("a", children: ["root"]), Package("b", children: ["x"]),
      Package("c"), Package("x"),
    ]
    try await withServer(packages, failing: failing) { root, server in
      let download = try await download(root)
      #expect(Self.failed(download.report) == (failing.isEmpty ? [:] : ["a": ["x"], "b": ["x"]]))
      #expect(
        download.files == (failing.isEmpty ? ["a.json", "b.json", "c.json", "root.json", "x.json"] : ["c.json"]))
      #expect(server.traffic.requests == 5)
    }
  }

  @Test func `a branch says all the resources through which it failed`() async throws {
    let packages = [
      Package("root", children: ["a", "missing"]), Package("a", children: ["missing", "bad"]), Package("bad"),
    ]
    try await withServer(packages, failing: ["bad"]) { root, _ in
      let download = try await download(root)
      #expect(Self.failed(download.report) == ["a": ["missing", "bad"], "missing": ["missing"]])
      #expect(download.report.problems.count == 2)
    }
  }

  @Test(arguments: ["libc6", "fonts-quicksand", "libusb-1.0-0", "gnome-core"])
  func `of gnome, what branches without a failure reach is there, and nothing else`(failing: String) async throws {
    let packages = try PackageTable.gnome()
    let children = Dictionary(uniqueKeysWithValues: packages.map { ($0.name, $0.children) })
    let reached = Dictionary(uniqueKeysWithValues: packages[0].children.map { ($0, Self.reached(from: $0, children)) })
    let whole = reached.filter { !$0.value.contains(failing) }
    try await withServer(packages, failing: [failing]) { root, server in
      let download = try await download(root)
      #expect(Set(Self.failed(download.report).keys) == Set(reached.keys).subtracting(whole.keys))
      #expect(Set(Self.failed(download.report).values) == [[failing]])
      #expect(download.files == Set(whole.values.joined()).map { "\($0).json" }.sorted())
      #expect(download.report.fileCount == download.files.count)
      #expect(server.traffic.mostInFlight <= 8)
    }
  }

  /// All that a package reaches, worked out without Baton.
  private static func reached(from root: String, _ children: [String: [String]]) -> Set<String> {
    var reached: Set<String> = []
    var open = [root]
    while let name = open.popLast() {
      if reached.insert(name).inserted { open += children[name] ?? [] }
    }
    return reached
  }

  @Test func `a branch is in place as soon as it is whole, and stays there when the rest is stopped`() async throws {
    let slow = try RawServer(.silence)
    let server = try RawServer([
      RawServer.ok(#"{"name": "root", "children": ["/a", "\#(slow.root)"]}"#),
      RawServer.ok(#"{"name": "a", "children": ["/b"]}"#), RawServer.ok(#"{"name": "b"}"#),
    ])
    try await withFolder { folder in
      let running = Task { await TreeDownload(from: server.root, into: folder, limit: 2).run() }
      for await _ in slow.requests { break }
      while try folder.url.files.count < 3 { await Task.yield() }  // Two files, and what is staged.
      running.cancel()
      let report = await running.value  // Ends at all only if the slow one is cancelled.
      #expect(report.problems == ["root: interrupted"])
      #expect(report.summary(limit: 2).contains("\n  2 of at least 4 resources in 1 of 2 branches\n"))
      #expect(try folder.url.files == ["a.json", "b.json"])
    }
  }

  @Test func `a branch that can't be put in place fails alone`() async throws {
    let packages = [
      Package("root", children: ["a", "c"]), Package("a", children: ["b"]), Package("b"), Package("c"),
    ]
    try await withServer(packages) { root, _ in
      try await withFolder { folder in
        let inTheWay = folder.url.appending(path: "b.json", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: false)
        let report = await TreeDownload(from: root, into: folder, limit: 8).run()
        let path = folder.url.appending(path: "b.json").path
        #expect(report.problems == ["root › a: can't write to \(path): Is a directory"])
        #expect(try folder.url.files == ["b.json", "c.json"])
      }
    }
  }
}
