// Scatter and gather: passes that bring values back.

#if BATON_EXPLORED
public import Explored
#else
public import Synchronization
#endif

extension Baton {
  /// Counts with a baton whose passes bring values back, and keeps them in the order in which they were passed.
  ///
  /// ```swift
  /// let images = Baton.Gather<Image>(name: "Images") { results in show(results) }
  /// images.baton.withPass {                          // so that no images at all are an end as well
  ///   for url in urls {
  ///     fetch(url, completion: images.pass(url.path) { data, error in
  ///       if let error { throw error }
  ///       return try decode(data)
  ///     })
  ///   }
  /// }
  /// let all = try await images.values
  /// ```
  ///
  /// There are as many results as passes. A runner that never started leaves a `CancellationError` in its slot, a pass that
  /// was dropped, or was out at abandonment, an ``AbandonedError``.
  public final class Gather<Value: Sendable>: Sendable {
    /// What the first failure means for the others.
    public enum FailurePolicy: Sendable, Hashable {
      /// It cancels the baton: nothing new is started, and tasks are cancelled.
      case cancelsRest
      /// It fills its own slot, and everything else goes on. The baton's outcome doesn't know of it, the results do.
      case continues
    }

    /// What counts. Cancel it, watch it, make children of it.
    public let baton: Baton
    @usableFromInline let policy: FailurePolicy
    @usableFromInline let slots: Slots

    /// Gathers, and calls a completion with the results.
    ///
    /// - Parameters:
    ///   - name: The baton's name.
    ///   - executor: Where the completion runs.
    ///   - limit: How many runners may be at work at the same time.
    ///   - policy: What the first failure means for the others.
    ///   - observer: Who is told what happens.
    ///   - completion: Runs exactly once.
    @inlinable
    public convenience init(
      name: String? = nil, on executor: Executor = .inline, limit: Limiter? = nil,
      onFailure policy: FailurePolicy = .cancelsRest, observer: (any Observer)? = nil,
      completion: @escaping @Sendable (Results) -> Void
    ) {
      self.init(Baton(name: name, limit: limit, observer: observer), policy)
      onCompletion(on: executor, completion)
    }

    /// Gathers, and calls a completion on the main actor with the results.
    ///
    /// - Parameters:
    ///   - name: The baton's name.
    ///   - executor: `.main`.
    ///   - limit: How many runners may be at work at the same time.
    ///   - policy: What the first failure means for the others.
    ///   - observer: Who is told what happens.
    ///   - completion: Runs exactly once, on the main actor.
    @inlinable
    public convenience init(
      name: String? = nil, on executor: MainExecutor, limit: Limiter? = nil,
      onFailure policy: FailurePolicy = .cancelsRest, observer: (any Observer)? = nil,
      completion: @escaping @MainActor @Sendable (Results) -> Void
    ) {
      self.init(Baton(name: name, limit: limit, observer: observer), policy)
      onCompletion(on: executor.executor) { results in MainActor.assumeIsolated { completion(results) } }
    }

    /// Gathers for `values` and `results`, which are waited for.
    ///
    /// - Parameters:
    ///   - name: The baton's name.
    ///   - limit: How many runners may be at work at the same time.
    ///   - policy: What the first failure means for the others.
    ///   - observer: Who is told what happens.
    public convenience init(
      name: String? = nil, limit: Limiter? = nil, onFailure policy: FailurePolicy = .cancelsRest,
      observer: (any Observer)? = nil
    ) {
      self.init(Baton(name: name, limit: limit, observer: observer), policy)
    }

    /// Gathers with a baton that nobody has passed yet.
    @usableFromInline
    init(_ baton: Baton, _ policy: FailurePolicy) {
      self.baton = baton
      self.policy = policy
      slots = Slots()
    }

    // MARK: The end

    /// Each result, in pass order, as soon as the baton is complete.
    ///
    /// Cancelling the waiting task doesn't end the wait.
    @inlinable
    public var results: Results {
      get async { slots.complete(await baton.outcome) }
    }

    /// All values, in pass order, as soon as the baton is complete.
    ///
    /// Throws the first failure that was recorded, or `CancellationError` if the baton was cancelled without one.
    @inlinable
    public var values: [Value] {
      get async throws { try await results.values() }
    }

    /// Adds a handler that gets the results.
    @inlinable
    func onCompletion(on executor: Executor, _ handler: @escaping @Sendable (Results) -> Void) {
      // Of the slots only: holding the gather, the handler would keep the baton's handle alive, and so from ending when
      // nobody else holds it (rule 3).
      baton.onCompletion(on: executor) { [slots] outcome in handler(slots.complete(outcome)) }
    }

    // MARK: The slots

    @inlinable
    func reserve(_ count: Int) { slots.state.withLock { $0.reserve(count) } }
    @inlinable
    func begin(_ index: Int) { slots.state.withLock { $0.begin(index) } }

    /// Adds a slot for a pass that was just made. After abandonment it isn't one, as the pass isn't.
    @inlinable
    func open(waiting: Bool) -> Int { baton.isComplete ? 0 : slots.state.withLock { $0.open(waiting: waiting) } }

    /// Makes a result of what a callback got, and settles with it.
    @inlinable
    func settle<each Argument>(
      _ pass: Baton.Pass, _ index: Int, by handler: (repeat each Argument) throws -> Value,
      _ argument: repeat each Argument
    ) {
      guard pass.claim() else { return pass.reportSecondSettle() }
      let result: Result<Value, any Error>
      do { result = .success(try handler(repeat each argument)) } catch { result = .failure(error) }
      settle(pass, index, with: result, reportsLate: true)
    }

    /// Fills a slot and hands its pass back, in this order: the result is there when the count falls.
    @inlinable
    func settle(
      _ pass: Baton.Pass, _ index: Int, with result: Result<Value, any Error>, reportsLate: Bool, flags: UInt8? = nil
    ) {
      if case .failure(let error) = result {
        return settle(pass, index, failing: error, reportsLate: reportsLate, flags: flags)
      }
      // After abandonment nothing is taken in.
      if !baton.isComplete { slots.state.withLock { $0.fill(index, with: result, failure: nil) } }
      pass.finishClaimed(reportsLate: reportsLate, flags: flags)
    }

    /// Out of line: few fail, and what they need would make the way of all others longer.
    @inlinable
    @inline(never)
    func settle(_ pass: Baton.Pass, _ index: Int, failing error: any Error, reportsLate: Bool, flags: UInt8?) {
      if !baton.isComplete {
        let recorded = policy == .continues ? recordable(error, pass) : nil
        slots.state.withLock { $0.fill(index, with: .failure(error), failure: recorded) }
      }
      let cancels = policy == .cancelsRest
      pass.settleClaimed(
        error: cancels ? error : nil, cancels: cancels, told: error, reportsLate: reportsLate, flags: flags)
    }

    /// A failure of which the outcome won't know; nil for what is noise after a cancellation, as in rule 5.
    @usableFromInline
    func recordable(_ error: any Error, _ pass: Baton.Pass) -> GatherState<Value>.Recorded? {
      if error is CancellationError, baton.isCancelled { return nil }
      let before = baton.core.lifecycle.withLock { $0.failures.count }
      return GatherState.Recorded(failure: pass.failure(error), after: before)
    }

    /// The state with its lock. An object of its own, which the completion can hold without holding the gather.
    @usableFromInline
    final class Slots: Sendable {
      @usableFromInline let state: Mutex<GatherState<Value>>

      init() { state = Mutex(GatherState()) }

      /// The results; whoever asks first makes them.
      @inlinable
      func complete(_ outcome: Outcome) -> Results {
        state.withLock { state in state.completed ?? state.complete(outcome) }
      }
    }
  }
}
