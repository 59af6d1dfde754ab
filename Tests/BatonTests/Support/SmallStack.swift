// A thread with little stack, for what must not recurse.

import Foundation
import Synchronization

/// Runs a body on a thread with a stack of 512 KiB, and returns when it is done.
func onSmallStack<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = 512 << 10
    thread.start()
  }
}
