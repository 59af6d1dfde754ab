// What resources are known by.
import Foundation

/// The address of a resource.
///
/// Baton names an id in a failure's path as it describes itself, so this describes itself as a person calls it.
package struct Address: Sendable, Hashable, CustomStringConvertible {
  package let url: URL

  package init(_ url: URL) { self.url = url }

  /// The last part of the address, or its host.
  package var description: String {
    let last = url.lastPathComponent
    return last.isEmpty || last == "/" ? url.host ?? url.absoluteString : last
  }
}
