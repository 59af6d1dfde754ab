// The decisions of a limiter, as a pure struct.

/// Who has a permit, and who waits for one.
///
/// Invariants, checked after every transition in debug builds:
/// 1. Never more permits are out than there are.
/// 2. Something waits only when all permits are out.
struct LimiterState: Sendable {
  let permits: Int
  private(set) var out = 0
  private var waiting = Queue<any PermitSeeker>()

  init(permits: Int) { self.permits = permits }

  var waitingCount: Int { waiting.count }

  /// Gives a permit if one is there.
  mutating func acquire() -> Bool {
    defer { checkInvariants() }
    guard out < permits else { return false }
    out += 1
    return true
  }

  /// Gives a permit if one is there; else the runner goes to the end of the line.
  /// - Returns: Whether the runner has its permit.
  mutating func acquire(_ runner: any PermitSeeker) -> Bool {
    defer { checkInvariants() }
    if acquire() { return true }
    waiting.append(runner)
    return false
  }

  /// Takes a permit back, and gives it to the first in the line.
  /// - Returns: Who has it now, if anybody waited.
  mutating func release() -> (any PermitSeeker)? {
    defer { checkInvariants() }
    if let next = waiting.popFirst() { return next }
    out -= 1
    return nil
  }

  private func checkInvariants() {
    assert(0...permits ~= out, "\(out) of \(permits) permits are out")
    assert(waiting.isEmpty || out == permits, "\(waiting.count) wait while \(permits - out) permits are idle")
  }
}

/// First in, first out, in an array whose dead front is cut off when it is half of all.
@usableFromInline
struct Queue<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable init() {}

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }

  @inlinable mutating func append(_ element: Element) { elements.append(element) }

  /// - Complexity: Amortised O(1).
  @inlinable
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head >= 32, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}

extension Queue: Sendable where Element: Sendable {}
