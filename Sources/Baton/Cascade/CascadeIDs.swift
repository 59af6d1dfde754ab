// CascadeIDs: gives every id that a cascade discovers an index, and finds it again.

/// Ids with their hashes: made where no lock is held, so that the user's `hash(into:)` runs there.
@usableFromInline
struct CascadeChildren<ID: Hashable & Sendable>: Sendable {
  @usableFromInline let ids: [ID]
  @usableFromInline let hashes: [UInt32]

  @inlinable
  init(_ ids: [ID]) {
    self.ids = ids
    var hashes: [UInt32] = []
    hashes.reserveCapacity(ids.count)
    for id in ids { hashes.append(Self.hash(id)) }
    self.hashes = hashes
  }

  /// By `Hasher` rather than `hashValue`, which a type may have written itself, and badly.
  @inlinable
  static func hash(_ id: ID) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(id)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}

/// The ids of a run in the order of their discovery, and a table of their indices by hash.
///
/// A `[ID: Int]` would hash under the owner's lock, hash each id again whenever it grows, and hold each id twice, where
/// the index must lead back to it. Here `==` is the only code of the user's that runs, and only where hashes agree.
///
/// Nothing is ever removed: an id that is already there is compared, and left to its caller.
@usableFromInline
struct CascadeIDs<ID: Hashable & Sendable>: Sendable {
  @usableFromInline var ids: [ID] = []
  @usableFromInline var table = CascadeTable()

  @inlinable var count: Int { ids.count }

  @inlinable subscript(index: Int) -> ID { ids[index] }

  @inlinable subscript(range: Range<Int>) -> [ID] { Array(ids[range]) }

  /// Appends to `indices` those of ids, in their order. An id that is new gets the next free one.
  @inlinable
  mutating func add(_ children: CascadeChildren<ID>, to indices: inout [Int32]) {
    let first = indices.count
    table.appendCandidates(of: children.hashes, to: &indices)
    for offset in children.hashes.indices {
      let candidate = indices[first + offset]
      if candidate >= 0, ids[Int(candidate)] == children.ids[offset] { continue }
      // New, or listed twice, or another id has its hash.
      indices[first + offset] = index(adding: children.ids[offset], hash: children.hashes[offset])
    }
  }

  /// The index of an id, if it has one.
  func index(of id: ID) -> Int? {
    let slot = slot(of: id, hash: CascadeChildren.hash(id))
    return table.index(in: slot).map(Int.init)
  }

  @inlinable
  mutating func index(adding id: ID, hash: UInt32) -> Int32 {
    let slot = slot(of: id, hash: hash)
    if let index = table.index(in: slot) { return index }
    if ids.count >= Int32.max { Self.trapTooMany() }
    let index = Int32(ids.count)
    ids.append(id)
    table.insert(index, hash: hash, in: slot)
    return index
  }

  /// Out of line, as a precondition would be an assumption in a client that is compiled unchecked.
  @usableFromInline
  @inline(never)
  static func trapTooMany() -> Never { fatalError("Cascade: more than \(Int32.max) ids") }

  /// The slot that holds an id, or the empty one in which it would be put.
  @inlinable
  func slot(of id: ID, hash: UInt32) -> Int {
    var slot = table.firstSlot(of: hash)
    while let index = table.index(in: slot) {
      if table.hash(in: slot) == hash, ids[Int(index)] == id { break }
      slot = table.slot(after: slot)
    }
    return slot
  }
}

/// Indices by hash: open addressing, linear probing. It holds 32 bits of each hash and so grows without asking anyone.
@usableFromInline
struct CascadeTable: Sendable {
  /// The lower half of a slot is an index plus one, the upper half its hash; 0 is an empty slot. The number of slots is
  /// a power of two, and at most three quarters are in use.
  @usableFromInline private(set) var slots: [UInt64] = [0, 0, 0, 0, 0, 0, 0, 0]
  private var count = 0

  @inlinable func firstSlot(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }
  @inlinable func slot(after slot: Int) -> Int { (slot + 1) & (slots.count - 1) }
  @inlinable func index(in slot: Int) -> Int32? {
    slots[slot] == 0 ? nil : Int32(truncatingIfNeeded: slots[slot]) &- 1
  }
  @inlinable func hash(in slot: Int) -> UInt32 { UInt32(truncatingIfNeeded: slots[slot] >> 32) }

  /// Appends for each hash the first index that has it, or -1.
  ///
  /// In a loop of its own since a large table is in no cache: with nothing of the user's in between, the processor
  /// waits for several slots at a time, which makes 1,000,000 ids a third faster.
  @usableFromInline
  func appendCandidates(of hashes: [UInt32], to candidates: inout [Int32]) {
    for hash in hashes {
      var slot = firstSlot(of: hash)
      while slots[slot] != 0, self.hash(in: slot) != hash { slot = self.slot(after: slot) }
      candidates.append(Int32(truncatingIfNeeded: slots[slot]) &- 1)
    }
  }

  /// Puts an index into the empty slot to which probing for its hash has led.
  @usableFromInline
  mutating func insert(_ index: Int32, hash: UInt32, in slot: Int) {
    slots[slot] = UInt64(hash) << 32 | UInt64(UInt32(index) + 1)
    count += 1
    if count * 4 > slots.count * 3 { grow() }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: 0, count: old.count * 2)
    for entry in old where entry != 0 {
      var slot = firstSlot(of: UInt32(entry >> 32))
      while slots[slot] != 0 { slot = self.slot(after: slot) }
      slots[slot] = entry
    }
  }
}
