// The folder that a tree is downloaded into, a set of files at a time.
import Foundation
import Synchronization

/// A folder with one file per resource, whose files come in sets: each set as a whole, or not at all.
///
/// A file is staged first, in a hidden folder inside: there it may be half written, and a disk that is full shows before
/// anything is in place. Being on the same disk, a set is then put in place by renaming, which is undone if it fails.
package final class Folder: Sendable {
  package let url: URL
  private let staging: URL
  private let state = Mutex(State())

  private struct State: Sendable {
    var names = FileNames()
    /// Whole, and not committed yet.
    var staged: Set<String> = []
    var committed = 0
    var isClosed = false
  }

  /// The folder at a path, made with its parents if it isn't there; at nil, a fresh temporary one.
  package init(_ path: String?) throws(FetchError) {
    let tag = UUID().uuidString.prefix(8)
    let fresh = { FileManager.default.temporaryDirectory.appending(path: "treefetch-\(tag)") }
    url = path.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? fresh()
    staging = url.appending(path: ".partial-\(tag)", directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
    } catch {
      throw .failedWrite(error, to: url.path)
    }
  }

  deinit { close() }

  /// How many files were committed.
  package var count: Int { state.withLock { $0.committed } }

  /// Writes one resource where nobody sees it, and returns the name that its file will have.
  package func stage(_ data: Data, as name: String) throws(FetchError) -> String {
    // Under the lock, so that nothing is written any more when `close` removes it all.
    try state.withLock { state throws(FetchError) in
      guard !state.isClosed else { throw .interrupted }
      let file = state.names.claim(name)
      do {
        try data.write(to: staged(file))
      } catch {
        throw .failedWrite(error, to: final(file).path)
      }
      state.staged.insert(file)
      return file
    }
  }

  /// Puts staged files in place: all of them, or none. What an earlier call has put in place already stays there; files
  /// that an earlier download left are replaced.
  package func commit(_ files: [String]) throws(FetchError) {
    try state.withLock { state throws(FetchError) in
      let set = state.staged.intersection(files)
      var renames = Renames()
      do throws(FetchError) {
        for file in set.sorted() {
          if isFile(final(file)) { try renames.rename(final(file), to: staged(file).appendingPathExtension("old")) }
          try renames.rename(staged(file), to: final(file))
        }
      } catch {
        renames.undo()
        throw error
      }
      state.staged.subtract(set)
      state.committed += set.count
    }
  }

  /// Removes what was staged and not committed. Nothing can be staged any more.
  package func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      state.staged = []
      try? FileManager.default.removeItem(at: staging)  // It may have gone, with all of the folder.
    }
  }

  private func final(_ file: String) -> URL { url.appending(path: file, directoryHint: .notDirectory) }
  private func staged(_ file: String) -> URL { staging.appending(path: file, directoryHint: .notDirectory) }

  /// Not a folder: that would be somebody else's, and is in the way.
  private func isFile(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && !isDirectory.boolValue
  }
}

/// Renames that can be undone.
private struct Renames {
  private var done: [(old: String, new: String)] = []

  mutating func rename(_ old: URL, to new: URL) throws(FetchError) {
    guard Foundation.rename(old.path, new.path) == 0 else {
      throw .unwritable(new.path, reason: String(cString: strerror(errno)))
    }
    done.append((old.path, new.path))
  }

  /// Best effort: what could be renamed a moment ago can be renamed back, unless somebody else is at work in there.
  mutating func undo() {
    while let (old, new) = done.popLast() { _ = Foundation.rename(new, old) }
  }
}
