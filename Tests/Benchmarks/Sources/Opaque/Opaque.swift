// The call boundary that all contenders share: the optimiser doesn't see through it in either direction.

import Synchronization

private let sink = Atomic<Int>(0)

/// Makes use of a value, so that what made it can't be left out.
@inline(never) @_optimize(none)
public func consume(_ value: Int) {
  // Not a read-modify-write: it must cost next to nothing beside what is measured. A lost addition does no harm.
  sink.store(sink.load(ordering: .relaxed) &+ value, ordering: .relaxed)
}

/// What somebody's API does with a completion when the answer is at hand: it calls it with the answer.
@inline(never) @_optimize(none)
public func load(_ index: Int, completion: @escaping @Sendable (Int) -> Void) { completion(index) }

/// The same without an answer.
@inline(never) @_optimize(none)
public func perform(_ completion: @escaping @Sendable () -> Void) { completion() }
