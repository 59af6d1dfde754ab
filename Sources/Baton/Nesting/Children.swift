// Batons inside batons.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// Makes a child: a baton that holds one pass of this one until its own completion has returned.
  ///
  /// ```swift
  /// let branch = tree.makeChild(name: "Catalogue", cancellation: .contained) { cancelled in
  ///   if !cancelled { commit() }                    // before the tree says that it is done
  /// }
  /// ```
  ///
  /// Cancelling this baton cancels the child at once, and all below it; the child has no failure of its own by that. What
  /// the child's own cancellation means for this baton is its policy. Its failures join this one's, unless it is
  /// `.contained`. It inherits limit and observer.
  ///
  /// Traps if this baton has completed. After abandonment the child counts on its own, cancelled from the start.
  ///
  /// - Parameters:
  ///   - name: The child's name, part of the path of its failures. A child with a name shows in `debugDescription`.
  ///   - cancellation: What the child's own cancellation means for this baton.
  ///   - limit: The child's limit instead of this baton's; `.unlimited` for none.
  ///   - executor: Where the completion runs.
  ///   - completion: Runs exactly once. The pass of this baton is handed back when it has returned.
  /// - Returns: The child.
  public func makeChild(
    name: String? = nil, cancellation: CancellationPolicy = .propagates, limit: Limiter? = nil,
    on executor: Executor = .inline, completion: @escaping @Sendable (_ cancelled: Bool) -> Void
  ) -> Baton {
    makeChild(name, cancellation, limit, Lifecycle.Completion(executor: executor, body: completion))
  }

  /// Makes a child whose completion runs on the main actor.
  ///
  /// Like ``makeChild(name:cancellation:limit:on:completion:)`` otherwise.
  ///
  /// - Parameters:
  ///   - name: The child's name, part of the path of its failures.
  ///   - cancellation: What the child's own cancellation means for this baton.
  ///   - limit: The child's limit instead of this baton's; `.unlimited` for none.
  ///   - executor: `.main`.
  ///   - completion: Runs exactly once, on the main actor. The pass of this baton is handed back when it has returned.
  /// - Returns: The child.
  public func makeChild(
    name: String? = nil, cancellation: CancellationPolicy = .propagates, limit: Limiter? = nil,
    on executor: MainExecutor, completion: @escaping @MainActor @Sendable (_ cancelled: Bool) -> Void
  ) -> Baton {
    makeChild(name, cancellation, limit, .onMain(executor, completion))
  }

  /// Makes a child without a completion.
  ///
  /// Like ``makeChild(name:cancellation:limit:on:completion:)`` otherwise.
  ///
  /// - Parameters:
  ///   - name: The child's name, part of the path of its failures.
  ///   - cancellation: What the child's own cancellation means for this baton.
  ///   - limit: The child's limit instead of this baton's; `.unlimited` for none.
  /// - Returns: The child.
  public func makeChild(
    name: String? = nil, cancellation: CancellationPolicy = .propagates, limit: Limiter? = nil
  ) -> Baton {
    makeChild(name, cancellation, limit, nil)
  }

  private func makeChild(
    _ name: consuming String?, _ policy: CancellationPolicy, _ limit: consuming Limiter?,
    _ completion: consuming Lifecycle.Completion?
  ) -> Baton {
    let counts = core.passOne()
    core.register()
    let child = Baton(
      core: Core(
        name: name, parent: counts ? self : nil, policy: policy, flags: counts ? BatonWord(0) : .cancelled,
        limit: limit, inheriting: core, completion: completion))
    if counts { core.observe { .passed(.child(child.core)) } }
    // A name is a wish to be seen.
    if child.name != nil || core.isObserved { child.core.register() }
    return child
  }
}

extension Baton.Core {
  /// Makes this baton known to its parent, so that a cancellation reaches it.
  ///
  /// Done when there is first need of it: for the first child, the first cancel handler or look at `isCancelled`, for a
  /// name. A leaf that needs none of this looks at its parent's flag when it seals (`isCancelledFromAbove`), and saves
  /// the parent's lock twice. The parent of an unregistered baton is registered itself, since it has a child.
  ///
  /// Beside it may run: this baton's completion, the parent's cancellation, another registration of this baton. Linked
  /// first, flagged `registered` second: a completion that doesn't see the flag doesn't unlink, but then the flag finds the
  /// seal, and it is unlinked here. A cancellation of the parent that doesn't find this child in its list came before
  /// the link, which finds the parent's flag; then `cancelled` is set together with `registered`, as until then whoever
  /// asks looks upward, and from then on nobody does.
  func register() {
    guard !current.isRegistered, let parent = lifecycle.withLock({ $0.parent }) else { return }
    let isCancelled = parent.core.link(self)
    let alarm = lifecycle.withLock { life -> Lifecycle.Alarm? in
      let isNews = isCancelled && !current.isSealed && !current.isCancelled
      _ = insert(isNews ? BatonWord.registered.union(.cancelled) : .registered)
      return isNews ? life.cancel(self, heard: nil) : nil
    }
    if current.isSealed {
      let unlinked = parent.core.lifecycle.withLock { parent.core.unlink(self, &$0) }
      _ = unlinked
    }
    if let alarm { spread(alarm, upwards: false) }
  }

  /// Puts a child in the list of those who are told of a cancellation.
  /// - Returns: Whether this baton is cancelled, so that the child has to see to itself.
  private func link(_ child: Baton.Core) -> Bool {
    lifecycle.withLock { life in
      let word = current
      // Linked already by a registration beside this one.
      guard child.slot.load(ordering: .relaxed) < 0, !word.isSealed else { return word.isCancelled }
      child.slot.store(life.children.count, ordering: .relaxed)
      life.children.append(child)
      return word.isCancelled
    }
  }

  /// Takes a child out of the list, under the lock.
  /// - Returns: The child, to be let go after unlocking.
  func unlink(_ child: Baton.Core, _ life: inout Lifecycle) -> Baton.Core? {
    let slot = child.slot.load(ordering: .relaxed)
    // Abandonment has emptied the list.
    guard slot >= 0, slot < life.children.count else { return nil }
    child.slot.store(-1, ordering: .relaxed)
    let last = life.children.removeLast()
    guard slot < life.children.count else { return last }
    // The last one moves to the free place.
    last.slot.store(slot, ordering: .relaxed)
    let unlinked = life.children[slot]
    life.children[slot] = last
    return unlinked
  }

  /// Hands back a child's pass; what follows from it is `finishSettling`'s.
  func subtractChild(_ child: Baton.Core) -> BatonWord {
    observe { .settled(.child(child)) }
    return subtractOne()
  }
}
