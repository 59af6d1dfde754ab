// A line in which one can wait and which one can leave.

/// Elements in the order in which they came, each of which can be taken out by the key that it got.
///
/// - Complexity: `append` is amortised O(1), `remove` amortised O(log count).
struct Line<Element> {
  private var places: [(key: UInt64, element: Element?)] = []
  private var lastKey: UInt64 = 0
  private(set) var count = 0

  /// Adds an element at the end and returns its key; keys start at 1 and are never used again.
  mutating func append(_ element: Element) -> UInt64 {
    lastKey += 1
    places.append((lastKey, element))
    count += 1
    return lastKey
  }

  /// Takes an element out, or returns nil if it isn't there any more.
  mutating func remove(_ key: UInt64) -> Element? {
    // Keys only grow, so the places are sorted.
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].key < key { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].key == key, let element = places[low].element.take() else { return nil }
    count -= 1
    if places.count > 16, count < places.count / 2 { places.removeAll { $0.element == nil } }
    return element
  }

  /// Takes everything out, in order.
  mutating func removeAll() -> [Element] {
    defer {
      places = []
      count = 0
    }
    return places.compactMap(\.element)
  }
}

extension Line: Sendable where Element: Sendable {}
