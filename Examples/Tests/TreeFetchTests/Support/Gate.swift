// Holds callers back until enough of them are there.

/// Opens, for good, when a given number of callers wait at it.
actor Gate {
  private let size: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isOpen = false

  init(opensAt size: Int) { self.size = size }

  func pass() async {
    if isOpen { return }
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == size else { return }
      isOpen = true
      for waiter in waiting { waiter.resume() }
      waiting = []
    }
  }
}
