// Numbers that one seed decides.

/// SplitMix64: small, and good from any seed.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// For one thing in one round of one scenario: the same numbers whoever asks, and in whatever order.
  init(seed: UInt64, scenario: Int, round: Int, part: Int) {
    state = seed
    for number in [scenario, round, part] { state = next() ^ UInt64(truncatingIfNeeded: number) }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func below(_ limit: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % limit }
  mutating func oneIn(_ number: Int) -> Bool { below(number) == 0 }
}
