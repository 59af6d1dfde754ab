// The folder: whole sets of whole files under safe names, or nothing.
import Foundation
import Testing
import TreeFetch

@Suite struct FolderTests {
  private static func text(_ file: String, in folder: Folder) throws -> String {
    try String(contentsOf: folder.url.appending(path: file), encoding: .utf8)
  }

  @Test func `a staged file is not there yet, and a committed one is`() async throws {
    try await withFolder { folder in
      let names = try ["a/b", "a/b", ".."].map { try folder.stage(Data($0.utf8), as: $0) }
      #expect(names == ["a%2Fb.json", "a%2Fb~2.json", "%2E..json"])
      #expect(try folder.url.files.filter { !$0.hasPrefix(".partial-") } == [])
      try folder.commit([names[0], names[2]])
      folder.close()
      #expect(try folder.url.files == ["%2E..json", "a%2Fb.json"])
      #expect(try Self.text("%2E..json", in: folder) == "..")
      #expect(folder.count == 2)
    }
  }

  @Test func `a file that sets share is committed once`() async throws {
    try await withFolder { folder in
      for name in ["a", "b", "shared"] { _ = try folder.stage(Data(name.utf8), as: name) }
      try folder.commit(["a.json", "shared.json"])
      try Data("touched".utf8).write(to: folder.url.appending(path: "shared.json"))
      try folder.commit(["b.json", "shared.json"])
      #expect(try Self.text("shared.json", in: folder) == "touched")
      #expect(folder.count == 3)
    }
  }

  @Test func `a set that can't be put in place leaves everything as it was`() async throws {
    try await withFolder { folder in
      try Data("old".utf8).write(to: folder.url.appending(path: "a.json"))
      let inTheWay = folder.url.appending(path: "y.json", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: false)
      for name in ["a", "x", "y", "z"] { _ = try folder.stage(Data("new".utf8), as: name) }
      #expect(throws: FetchError.unwritable(folder.url.appending(path: "y.json").path, reason: "Is a directory")) {
        try folder.commit(["a.json", "x.json", "y.json", "z.json"])
      }
      #expect(try folder.url.files.filter { !$0.hasPrefix(".partial-") } == ["a.json", "y.json"])
      #expect(try Self.text("a.json", in: folder) == "old")

      try folder.commit(["x.json", "a.json"])  // Still staged, so another set may take them along.
      folder.close()
      #expect(try folder.url.files == ["a.json", "x.json", "y.json"])
      #expect(try Self.text("a.json", in: folder) == "new")
    }
  }

  @Test func `a closed folder takes nothing in`() async throws {
    try await withFolder { folder in
      _ = try folder.stage(Data(), as: "x")
      folder.close()
      folder.close()
      #expect(throws: FetchError.interrupted) { try folder.stage(Data(), as: "y") }
      try folder.commit(["x.json", "y.json"])
      #expect(try folder.url.files == [])
    }
  }

  @Test func `a folder that is forgotten leaves nothing staged behind`() async throws {
    try await withFolder { parent in
      do { _ = try Folder(parent.url.path).stage(Data(), as: "x") }
      parent.close()
      #expect(try parent.url.files == [])
    }
  }

  @Test func `a folder that isn't there is made, with its parents`() async throws {
    try await withFolder { parent in
      let folder = try Folder(parent.url.appending(path: "a/b/c").path)
      try folder.commit([folder.stage(Data("x".utf8), as: "x")])
      #expect(FileManager.default.fileExists(atPath: parent.url.appending(path: "a/b/c/x.json").path))
    }
  }

  @Test func `a later download replaces an earlier one's files`() async throws {
    try await withFolder { folder in
      try folder.commit([folder.stage(Data("old".utf8), as: "x")])
      folder.close()
      let later = try Folder(folder.url.path)
      try later.commit([later.stage(Data("new".utf8), as: "x")])
      later.close()
      #expect(try later.url.files == ["x.json"])
      #expect(try Self.text("x.json", in: later) == "new")
    }
  }

  @Test func `a fresh folder is nobody else's`() async throws {
    try await withFolder { one in try await withFolder { other in #expect(one.url != other.url) } }
  }

  @Test func `a file in the way is said in one line`() async throws {
    try await withFolder { folder in
      try folder.commit([folder.stage(Data(), as: "x")])
      let path = folder.url.appending(path: "x.json").path
      let inside = path + "/inside"
      for path in [path, inside] {
        #expect(throws: FetchError.unwritable(path, reason: "Not a directory")) { try Folder(path) }
      }
    }
  }

  @Test func `a folder that has gone is said in one line`() async throws {
    try await withFolder { folder in
      let gone = FetchError.unwritable(folder.url.appending(path: "x.json").path, reason: "No such file or directory")
      let file = try folder.stage(Data(), as: "x")
      try FileManager.default.removeItem(at: folder.url)
      #expect(throws: gone) { try folder.commit([file]) }
      #expect(throws: FetchError.self) { try folder.stage(Data(), as: "y") }
    }
  }
}
