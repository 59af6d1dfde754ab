// The folder that a tree is downloaded into.
import Foundation
import Synchronization

/// A folder with one file per resource. A file has its final name only when it is whole.
package final class Folder: Sendable {
  package let url: URL
  private let names = Mutex(FileNames())

  /// The folder at a path, made with its parents if it isn't there; at nil, a fresh temporary one.
  package init(_ path: String?) throws(FetchError) {
    let fresh = { FileManager.default.temporaryDirectory.appending(path: "treefetch-\(UUID().uuidString.prefix(8))") }
    url = path.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? fresh()
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw .failedWrite(error, to: url.path)
    }
  }

  /// Writes one resource, and returns its file's name. A file left by an earlier download is replaced.
  @discardableResult
  package func save(_ data: Data, as name: String) throws(FetchError) -> String {
    let file = names.withLock { $0.claim(name) }
    do {
      // `.atomic` writes to a temporary name in the same folder, renames, and removes it if that fails.
      try data.write(to: url.appending(path: file, directoryHint: .notDirectory), options: .atomic)
    } catch {
      throw .failedWrite(error, to: url.appending(path: file).path)
    }
    return file
  }
}
