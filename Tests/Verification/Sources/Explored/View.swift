// What a thread knows of the stores of others.

import CExplorer

/// For each location the newest store that a thread can't fail to see, as in the view-based models of C11: it may read
/// that store or any newer one. The first few places are the threads' own clocks, by which plain data is ordered.
struct View {
  /// How many locations one execution may have, clocks included.
  static let capacity = 64
  /// How far a place counts.
  static let limit = 250

  private var places = SIMD64<UInt8>(repeating: 0)

  /// A view of one location alone.
  init(_ slot: Int, _ time: Int) { self[slot] = time }

  init() {}

  subscript(slot: Int) -> Int {
    get { withUnsafeBytes(of: places) { Int($0[slot]) } }
    set { withUnsafeMutableBytes(of: &places) { $0[slot] = UInt8(newValue) } }
  }

  /// Takes in what another view knows.
  mutating func join(_ other: View) {
    withUnsafeBytes(of: other.places) { other in
      withUnsafeMutableBytes(of: &places) { places in
        guard let places = places.baseAddress, let other = other.baseAddress else { return }
        view_join(
          places.assumingMemoryBound(to: UInt8.self), other.assumingMemoryBound(to: UInt8.self))
      }
    }
  }
}

/// Mixes numbers into one that stands for all of them, in their order.
func mixed(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> UInt64 {
  var hash = (first &* 0x9e37_79b9_7f4a_7c15) ^ second
  hash = (hash ^ hash >> 32) &* 0xbf58_476d_1ce4_e5b9 &+ third
  hash = (hash ^ hash >> 29) &* 0x94d0_49bb_1331_11eb
  return hash ^ hash >> 32
}
