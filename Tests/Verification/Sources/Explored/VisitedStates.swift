// The states that a search has been in.

/// A set of hashes, each with the most preemptions that were left when the search came there.
struct VisitedStates {
  private var keys: [UInt64]
  private var left: [UInt8]
  private(set) var count = 0

  init() {
    keys = [UInt64](repeating: 0, count: 1 << 10)
    left = [UInt8](repeating: 0, count: 1 << 10)
  }

  /// Adds a state; false if it is there with as many preemptions left.
  mutating func insert(_ state: UInt64, left more: UInt8) -> Bool {
    let key = state == 0 ? 1 : state
    let place = find(key)
    if keys[place] == key {
      guard left[place] < more else { return false }
      left[place] = more
      return true
    }
    keys[place] = key
    left[place] = more
    count += 1
    if count * 2 > keys.count { grow() }
    return true
  }

  private func find(_ key: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: key) & (keys.count - 1)
    while keys[place] != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
    return place
  }

  private mutating func grow() {
    let (oldKeys, oldLeft) = (keys, left)
    keys = [UInt64](repeating: 0, count: oldKeys.count * 2)
    left = [UInt8](repeating: 0, count: oldKeys.count * 2)
    for (key, more) in zip(oldKeys, oldLeft) where key != 0 {
      let place = find(key)
      keys[place] = key
      left[place] = more
    }
  }
}

/// Random numbers from a seed, the same everywhere.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator.
  /// - Parameter seed: What the numbers follow from.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  /// - Returns: 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return mixed(state, 0, 0)
  }
}
