// The program as a person starts it.
import Foundation
import Testing
import TreeFetch

@Suite(.timeLimit(.minutes(2))) struct CommandTests {
  @Test func `the demo downloads all of it and says so`() async throws {
    try await withFolder { folder in
      let end = try await Program(["--demo", "--output", folder.url.path]).run()
      #expect(end.status == 0)
      #expect(!end.errors.contains("Error"))
      let rows = Dictionary(
        uniqueKeysWithValues: end.output.split(separator: "\n").dropFirst().map {
          (String($0.prefix(18)).trimmingCharacters(in: .whitespaces), String($0.dropFirst(18)))
        })
      #expect(end.output.hasPrefix("gnome: all of it is here.\n"))
      #expect(rows["resources"] == "1,139")
      #expect(rows["requests"] == "1,139")
      #expect((1...8).contains { rows["most in flight"] == "\($0) (limit 8)" })  // On a busy machine it may see fewer.
      #expect(rows["files"] == folder.url.path)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1_139)
    }
  }

  @Test func `a resource that fails is named with its path`() async throws {
    try await withFolder { folder in
      let end = try await Program(["--demo", "--fail", "libc6", "--output", folder.url.path]).run()
      #expect(end.status == 1)
      #expect(end.errors.contains("Error: gnome › libc6: the server answered 500"))
      #expect(end.output.hasPrefix("gnome: incomplete, because of libc6.\n"))
      #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "libc6.json").path))
    }
  }

  @Test func `any server will do`() async throws {
    try await withServer([Package("root", children: ["a", "b"]), Package("a"), Package("b")]) { root, _ in
      try await withFolder { folder in
        let end = try await Program([root.absoluteString, "--limit", "2", "--output", folder.url.path]).run()
        #expect(end.status == 0)
        #expect(end.output.hasPrefix("root: all of it is here.\n  resources       3\n"))
      }
    }
  }

  @Test func `control-C ends the download with a summary`() async throws {
    let server = try RawServer(.silence)
    try await withFolder { folder in
      let end = try await Program([server.root.absoluteString, "--output", folder.url.path]).run { process in
        for await _ in server.requests { break }
        process.interrupt()
      }
      #expect(end.status == 1)
      #expect(end.errors == "Error: root: interrupted\n")
      #expect(end.output.hasPrefix("root: interrupted.\n"))
    }
  }

  @Test(arguments: [
    (["--demo", "--limit", "0"], 64, "--limit must be at least 1, and is 0."),
    (["--demo", "--limit", "-3"], 64, "--limit must be at least 1, and is -3."),
    ([], 64, "Give either an address or --demo."),
    (["http://127.0.0.1:1/x", "--demo"], 64, "Give either an address or --demo."),
    (["http://127.0.0.1:1/x", "--fail", "x"], 64, "--fail is for the demo server: give --demo too."),
    (["--demo", "--fail", "no-such-thing"], 64, "The demo has no resource \"no-such-thing\" that could fail."),
    (["nonsense"], 1, "\"nonsense\" is not an http or https address"),
    (["ftp://127.0.0.1/x"], 1, "\"ftp://127.0.0.1/x\" is not an http or https address"),
    (["--demo", "--output", "/dev/null/x"], 1, "can't write to /dev/null/x: Not a directory"),
  ])
  func `a call that can't work says why at once`(arguments: [String], status: Int32, message: String) async throws {
    let end = try await Program(arguments).run()
    #expect(end.status == status)
    #expect(end.errors.hasPrefix("Error: \(message)\n"), "\(end.errors)")
    #expect(end.output == "")
  }
}
