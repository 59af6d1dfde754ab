// Who a baton descends from: what paths are built of, and what an observer is told.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// A named or observed baton's place in its tree. It outlives the baton in the failures that came out of it.
  ///
  /// An unnamed, unobserved child shares its parent's lineage, since it would add nothing to a path.
  ///
  /// The chain of `parent`s is released in a loop, which the compiler makes of the deinit of a final class with one such
  /// field (measured at a million levels in `DepthTests`).
  final class Lineage: Sendable {
    let name: String?
    /// Unique among the observed batons of this process, 0 for one that nobody observes.
    let id: UInt64
    let parent: Lineage?

    private init(name: String?, id: UInt64, parent: Lineage?) {
      self.name = name
      self.id = id
      self.parent = parent
    }

    private static let lastID = Atomic<UInt64>(0)

    static func make(name: String?, parent: Lineage?, observed: Bool) -> Lineage? {
      guard name != nil || observed else { return parent }
      // Relaxed: only the number's uniqueness matters.
      let id = observed ? lastID.wrappingAdd(1, ordering: .relaxed).newValue : 0
      return Lineage(name: name, id: id, parent: parent)
    }

    /// The names from the root down.
    var names: [String] {
      var names: [String] = []
      var lineage: Lineage? = self
      while let current = lineage {
        if let name = current.name { names.append(name) }
        lineage = current.parent
      }
      return names.reversed()
    }
  }
}
