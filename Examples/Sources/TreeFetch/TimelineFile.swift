// Where the picture of a download goes.
import Baton
import Foundation

/// A file that a timeline is written to: a picture, or a trace for ui.perfetto.dev, as its name says.
package struct TimelineFile {
  private enum Format: String { case svg, json }

  package let timeline = Baton.Timeline()
  package let url: URL
  private let format: Format
  private let file: FileHandle

  /// Whether a name says what is to be written.
  package static func knows(_ path: String) -> Bool { format(of: path) != nil }

  private static func format(of path: String) -> Format? {
    Format(rawValue: URL(filePath: path).pathExtension.lowercased())
  }

  /// The file at a path, opened now, so that one that can't be written is known before there is anything to be lost.
  package init(_ path: String) throws(FetchError) {
    guard let format = Self.format(of: path) else {
      throw .unwritable(path, reason: "a timeline's name ends in .svg or .json")
    }
    self.format = format
    url = URL(filePath: path)
    let descriptor = open(url.path, O_WRONLY | O_CREAT, 0o666)
    guard descriptor >= 0 else { throw .unwritable(url.path, reason: String(cString: strerror(errno))) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes what was recorded, in the place of what was in the file before.
  package func write() throws(FetchError) {
    let text = format == .svg ? timeline.svg() : timeline.chromeTrace()
    do {
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(text.utf8))
    } catch {
      throw .failedWrite(error, to: url.path)
    }
  }
}
