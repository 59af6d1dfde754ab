// The demo's data: what the Debian 12 package `gnome` needs, all the way down.
import Foundation

/// A package, and the packages that it needs.
package struct Package: Sendable, Equatable {
  package let name: String
  package let size: Int
  package let children: [String]

  package init(_ name: String, size: Int = 0, children: [String] = []) {
    self.name = name
    self.size = size
    self.children = children
  }
}

package enum PackageTable {
  /// The 1,139 packages of gnome.tsv, `gnome` first.
  package static func gnome() throws -> [Package] {
    guard let file = Bundle.module.url(forResource: "gnome", withExtension: "tsv") else {
      throw FetchError.serverFailed("gnome.tsv is not among the program's resources")
    }
    return try parse(String(contentsOf: file, encoding: .utf8))
  }

  /// Reads a header and then lines of name, size and children; the children are separated by spaces.
  package static func parse(_ text: String) throws(FetchError) -> [Package] {
    var packages: [Package] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().dropFirst() {
      if line.isEmpty { continue }
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard columns.count == 3, !columns[0].isEmpty, let size = Int(columns[1]), size >= 0 else {
        throw .damagedTable(line: index + 1)
      }
      let children = columns[2].split(separator: " ").map(String.init)
      packages.append(Package(String(columns[0]), size: size, children: children))
    }
    return packages
  }
}
