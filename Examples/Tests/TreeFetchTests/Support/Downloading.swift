// Downloads for tests: into a folder that is gone afterwards.
import Foundation
import TreeFetch

struct Download {
  let report: Report
  /// What the folder held at the end, what is hidden included, sorted.
  let files: [String]
}

extension URL {
  /// What the folder holds, what is hidden included, sorted.
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// Runs a body with a fresh folder, and removes it.
func withFolder<R>(_ body: (Folder) async throws -> R) async throws -> R {
  let folder = try Folder(nil)
  defer { try? FileManager.default.removeItem(at: folder.url) }
  return try await body(folder)
}

/// The same for a program that makes its own of it: there is nothing in the folder, not even a place for staging.
func withPlainFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
  try await withFolder { folder in
    folder.close()
    return try await body(folder.url)
  }
}

func download(
  _ root: URL, limit: Int = 8, timeout: TimeInterval = 30,
  onProgress: @escaping @Sendable (TreeDownload.Status) -> Void = { _ in }
) async throws -> Download {
  try await withFolder { folder in
    let tree = TreeDownload(from: root, into: folder, limit: limit, timeout: timeout, onProgress: onProgress)
    let report = await tree.run()
    return Download(report: report, files: try folder.url.files)
  }
}

/// Serves packages while a body runs; the first of them is the root.
func withServer<R>(
  _ packages: [Package], failing: Set<String> = [],
  beforeAnswer: @escaping @Sendable (String) async -> Void = { _ in },
  _ body: (URL, DemoServer) async throws -> R
) async throws -> R {
  let server = try DemoServer(packages, failing: failing, beforeAnswer: beforeAnswer)
  defer { server.stop() }
  let root = try await server.start().appending(path: "packages/\(packages[0].name)")
  return try await body(root, server)
}
