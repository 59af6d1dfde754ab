// The folder: whole files under safe names, or nothing.
import Foundation
import Testing
import TreeFetch

@Suite struct FolderTests {
  @Test func `a file is written whole, under a safe name, and nothing else`() async throws {
    try await withFolder { folder in
      let names = try ["a/b", "a/b", ".."].map { try folder.save(Data($0.utf8), as: $0) }
      #expect(names == ["a%2Fb.json", "a%2Fb~2.json", "%2E..json"])
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(Set(files) == Set(names))
      #expect(try Data(contentsOf: folder.url.appending(path: "%2E..json")) == Data("..".utf8))
    }
  }

  @Test func `a folder that isn't there is made, with its parents`() async throws {
    try await withFolder { parent in
      let path = parent.url.appending(path: "a/b/c").path
      try Folder(path).save(Data("x".utf8), as: "x")
      #expect(FileManager.default.fileExists(atPath: path + "/x.json"))
    }
  }

  @Test func `a later download replaces an earlier one's files`() async throws {
    try await withFolder { folder in
      try folder.save(Data("old".utf8), as: "x")
      try Folder(folder.url.path).save(Data("new".utf8), as: "x")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["x.json"])
      #expect(try Data(contentsOf: folder.url.appending(path: "x.json")) == Data("new".utf8))
    }
  }

  @Test func `a fresh folder is nobody else's`() async throws {
    try await withFolder { one in try await withFolder { other in #expect(one.url != other.url) } }
  }

  @Test func `a file in the way is said in one line`() async throws {
    try await withFolder { folder in
      try folder.save(Data(), as: "x")
      let path = folder.url.appending(path: "x.json").path
      let inside = path + "/inside"
      #expect(throws: FetchError.unwritable(path, reason: "File exists")) { try Folder(path) }
      #expect(throws: FetchError.unwritable(inside, reason: "Not a directory")) { try Folder(inside) }
    }
  }

  @Test func `a folder that has gone is said in one line`() async throws {
    try await withFolder { folder in
      try FileManager.default.removeItem(at: folder.url)
      let path = folder.url.appending(path: "x.json").path
      #expect(throws: FetchError.unwritable(path, reason: "No such file or directory")) {
        try folder.save(Data(), as: "x")
      }
    }
  }
}
