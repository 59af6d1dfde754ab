// What happened, in order.

import Synchronization

/// A list that any thread may add to.
final class Log<Element: Sendable>: Sendable {
  private let list = Mutex<[Element]>([])

  func add(_ element: Element) { list.withLock { $0.append(element) } }

  var all: [Element] { list.withLock { $0 } }
  var count: Int { all.count }

  /// Lets go of all, outside the lock.
  func removeAll() {
    let old = list.withLock { list in
      defer { list = [] }
      return list
    }
    _ = old
  }
}

extension Log where Element == String {
  /// A handler that adds a line.
  func adder(_ line: String) -> @Sendable () -> Void { { self.add(line) } }
}

/// A number that any thread may add to.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  @discardableResult
  func add(_ amount: Int = 1) -> Int { number.wrappingAdd(amount, ordering: .acquiringAndReleasing).newValue }

  var value: Int { number.load(ordering: .acquiring) }
}
