// The program as a person starts it.
import Foundation
import ProgramSupport
import Testing
import TreeFetch

@Suite(.timeLimit(.minutes(2))) struct CommandTests {
  @Test func `the demo downloads all of it and says so`() async throws {
    try await withPlainFolder { folder in
      let end = try await Program("treefetch", ["--demo", "--output", folder.path]).run()
      #expect(end.status == 0)
      #expect(!end.errors.contains("Error"))
      let rows = end.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(rows.first == "gnome: all of it is here.")
      #expect(rows.contains("1,139 resources in 36 branches"))
      // On a busy machine it may see fewer at the same time.
      #expect((1...8).contains { rows.contains("1,139 requests, at most \($0) in flight (limit 8)") })
      #expect(rows.last == "files in \(folder.path)")
      #expect(try folder.files.count == 1_139)
    }
  }

  @Test func `a resource that fails is named with its path, and with each branch that it fails`() async throws {
    try await withPlainFolder { folder in
      let end = try await Program("treefetch", ["--demo", "--fail", "libc6", "--output", folder.path]).run()
      #expect(end.status == 1)
      #expect(end.errors.contains("Error: gnome › libc6: the server answered 500"))
      #expect(end.output.hasPrefix("gnome: incomplete, because of libc6.\n"))
      #expect(end.output.contains("\n  branch failed: gnome-core, through libc6\n"))
      #expect(end.output.split(separator: "\n").count { $0.hasSuffix(", through libc6") } == 36)
      #expect(try folder.files == [])
    }
  }

  @Test func `a disk that takes no more fails the branches that don't fit, and keeps the others`() async throws {
    let packages = [
      Package("root", children: ["big", "small", "bigger"]), Package("big", children: ["huge"]), Package("small"),
      Package("huge", size: 10_000_000), Package("bigger", children: ["small", "huge"]),
    ]
    try await withServer(packages) { root, _ in
      try await withPlainFolder { folder in
        // No file may be longer than 20 blocks of 512 or 1,024 bytes; `huge` has 100,000.
        let program = try Program(
          "treefetch", [root.absoluteString, "--output", folder.path], after: "trap '' XFSZ; ulimit -f 20")
        let end = try await program.run()
        let path = folder.appending(path: "huge.json").path
        #expect(end.status == 1)
        #expect(end.errors.hasSuffix("Error: root › huge: can't write to \(path): File too large\n"))
        #expect(end.output.contains("\n  branch failed: big, through huge\n"))
        #expect(try folder.files == ["small.json"])
      }
    }
  }

  @Test func `any server will do`() async throws {
    try await withServer([Package("root", children: ["a", "b"]), Package("a"), Package("b")]) { root, _ in
      try await withPlainFolder { folder in
        let end = try await Program("treefetch", [root.absoluteString, "--limit", "2", "--output", folder.path])
          .run()
        #expect(end.status == 0)
        #expect(end.output.hasPrefix("root: all of it is here.\n  3 resources in 2 branches\n"))
      }
    }
  }

  @Test func `a part of the demo can be had by its root, with a picture of the download`() async throws {
    try await withPlainFolder { folder in
      let picture = folder.appending(path: "run.svg")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(repeating: 32, count: 1_000_000).write(to: picture)  // What was there before is gone.
      let end = try await Program("treefetch", ["--demo", "--root", "libgl1", "--timeline", picture.path]).run()
      #expect(end.status == 0)
      #expect(end.output.hasPrefix("libgl1: all of it is here.\n  51 resources in 3 branches\n"))
      #expect(end.output.hasSuffix("\n  timeline in \(picture.path)\n"))
      let svg = try String(contentsOf: picture, encoding: .utf8)
      #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
      #expect(svg.contains(">libgl1, libgl1 itself: ") && svg.contains("libgl1 › libc6"))
    }
  }

  @Test func `the trace of a download that fails has a slice for each request, and the error`() async throws {
    try await withServer([Package("root", children: ["a", "b"]), Package("a"), Package("b")], failing: ["b"]) {
      root, _ in
      try await withPlainFolder { folder in
        let file = folder.appendingPathExtension("JSON")
        defer { try? FileManager.default.removeItem(at: file) }
        let arguments = [root.absoluteString, "--output", folder.path, "--timeline", file.path]
        let end = try await Program("treefetch", arguments).run()
        #expect(end.status == 1 && end.output.contains("\n  timeline in \(file.path)\n"))
        let trace = try JSONDecoder().decode(Trace.self, from: Data(contentsOf: file))
        let slices = trace.traceEvents.filter { $0.ph == "X" && $0.cat?.hasPrefix("pass") == true }
        #expect(Set(slices.map(\.name)).isSuperset(of: ["root", "a", "b"]))
        #expect(slices.filter { $0.args?["error"] != nil }.map(\.name) == ["b"])
        #expect(slices.first { $0.name == "b" }?.args?["error"]?.hasPrefix("the server answered 500") == true)
      }
    }
  }

  @Test func `a timeline that can't be written is known before anything is asked for`() async throws {
    try await withServer([Package("root")]) { root, server in
      let end = try await Program("treefetch", [root.absoluteString, "--timeline", "/dev/null/x.json"]).run()
      #expect(end.status == 1 && server.traffic.requests == 0)
    }
  }

  @Test func `control-C ends the download with a summary`() async throws {
    let server = try RawServer(.silence)
    try await withPlainFolder { folder in
      let end = try await Program("treefetch", [server.root.absoluteString, "--output", folder.path]).run {
        process in
        for await _ in server.requests { break }
        process.interrupt()
      }
      #expect(end.status == 1)
      #expect(end.errors == "Error: root: interrupted\n")
      #expect(try folder.files == [])
      #expect(end.output.hasPrefix("root: interrupted.\n"))
    }
  }

  @Test(arguments: [
    (["--demo", "--limit", "0"], 64, "--limit must be at least 1, and is 0."),
    (["--demo", "--limit", "-3"], 64, "--limit must be at least 1, and is -3."),
    ([], 64, "Give either an address or --demo."),
    (["http://127.0.0.1:1/x", "--demo"], 64, "Give either an address or --demo."),
    (["http://127.0.0.1:1/x", "--fail", "x"], 64, "--fail is for the demo server: give --demo too."),
    (["--demo", "--fail", "no-such-thing"], 64, "The demo has no resource \"no-such-thing\"."),
    (["--demo", "--root", "no-such-thing"], 64, "The demo has no resource \"no-such-thing\"."),
    (["http://127.0.0.1:1/x", "--root", "x"], 64, "--root is for the demo server: give --demo too."),
    (["--demo", "--timeline", "x.txt"], 64, "--timeline must end in .svg or .json, and is x.txt."),
    (["--demo", "--timeline", ".svg"], 64, "--timeline must end in .svg or .json, and is .svg."),
    (["--demo", "--timeline", "/dev/null/x.svg"], 1, "can't write to /dev/null/x.svg: Not a directory"),
    (["nonsense"], 1, "\"nonsense\" is not an http or https address"),
    (["ftp://127.0.0.1/x"], 1, "\"ftp://127.0.0.1/x\" is not an http or https address"),
    (["--demo", "--output", "/dev/null/x"], 1, "can't write to /dev/null/x: Not a directory"),
  ])
  func `a call that can't work says why at once`(arguments: [String], status: Int32, message: String) async throws {
    let end = try await Program("treefetch", arguments).run()
    #expect(end.status == status)
    #expect(end.errors.hasPrefix("Error: \(message)\n"), "\(end.errors)")
    #expect(end.output == "")
  }
}

/// What the tests look at in a trace.
private struct Trace: Decodable {
  struct Event: Decodable {
    let ph: String
    let name: String
    let cat: String?
    let args: [String: String]?

    private enum Key: CodingKey { case ph, name, cat, args }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      (ph, name) = (try values.decode(String.self, forKey: .ph), try values.decode(String.self, forKey: .name))
      cat = try values.decodeIfPresent(String.self, forKey: .cat)
      // Those of a counter, and of metadata, are no texts.
      args = try? values.decodeIfPresent([String: String].self, forKey: .args)
    }
  }

  let traceEvents: [Event]
}
