// A door that a test opens.

import Dispatch
import Synchronization

@testable import Baton

/// How long something may take that is about to happen on another thread: only a broken library needs all of it.
let patience = Duration.seconds(300)

/// A door that is opened once. Threads block before it, tasks wait for it.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var lastKey = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  var isOpen: Bool { state.withLock { $0.isOpen } }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    semaphore.signal()
    for continuation in waiting { continuation.resume() }
  }

  /// Blocks the thread until the door is open.
  /// - Returns: False if nobody opened it in 300 seconds.
  @discardableResult
  func block() -> Bool {
    guard semaphore.wait(timeout: .now() + 300) == .success else { return false }
    // For the next one.
    semaphore.signal()
    return true
  }

  /// Waits until the door is open, or the task is cancelled.
  func wait() async {
    let key = state.withLock { state in
      state.lastKey += 1
      return state.lastKey
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen, !Task.isCancelled { state.waiting[key] = continuation }
          return state.waiting[key] == nil
        }
        if isOpen { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiting.removeValue(forKey: key) }
      continuation?.resume()
    }
  }
}

extension Baton {
  /// The outcome, or nil where a broken baton would hang.
  var ending: Outcome? { get async { await outcome(within: patience) } }
}
