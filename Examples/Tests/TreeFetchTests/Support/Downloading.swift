// Downloads for tests: into a folder that is gone afterwards.
import Foundation
import TreeFetch

struct Download {
  let report: Report
  /// What the folder held at the end, hidden files included, sorted.
  let files: [String]
}

/// Runs a body with a fresh folder, and removes it.
func withFolder<R>(_ body: (Folder) async throws -> R) async throws -> R {
  let folder = try Folder(nil)
  defer { try? FileManager.default.removeItem(at: folder.url) }
  return try await body(folder)
}

func download(
  _ root: URL, limit: Int = 8, timeout: TimeInterval = 30,
  onProgress: @escaping @Sendable (TreeDownload.Status) -> Void = { _ in }
) async throws -> Download {
  try await withFolder { folder in
    let tree = TreeDownload(from: root, into: folder, limit: limit, timeout: timeout, onProgress: onProgress)
    let report = await tree.run()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    return Download(report: report, files: files.sorted())
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
