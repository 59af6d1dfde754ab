// How many runners may be at work at the same time.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// Permits for runners: at most so many of them are at work at the same time, first come, first served.
  ///
  /// ```swift
  /// let baton = Baton(name: "Thumbnails", limit: 4) { … }        // its own
  /// let network = Baton.Limiter(8)                               // or shared, by as many batons as you like
  /// ```
  ///
  /// A runner that was begun with ``Baton/start(_:fileID:line:_:)`` or ``Baton/addTask(_:priority:fileID:line:operation:)``
  /// holds a permit from its start until its pass settles. `pass` and `makePass` take none. Children inherit the limit of
  /// their parent unless they bring their own; `.unlimited` opts out.
  ///
  /// There are never more permits out than there are, and none is idle while something waits.
  ///
  /// - Important: A runner that waits for others of the same limiter while it holds a permit can wait for ever: with one
  ///   permit, the second never starts. Let it settle first and go on in a completion handler, or give the others a limiter
  ///   of their own:
  ///
  /// ```swift
  /// baton.addTask("album") {
  ///   try await baton.withChild(limit: .unlimited) { album in … }     // don't wait here for baton.start's runners
  /// }
  /// ```
  public final class Limiter: Sendable, ExpressibleByIntegerLiteral {
    private let state: Mutex<LimiterState>
    /// How many bodies are being run by threads that came to hand a permit back.
    private let nested = Atomic<Int>(0)

    /// How many such bodies may be on stacks at the same time, and so at most on one: then a body goes elsewhere.
    ///
    /// Bodies that settle their own pass at once would otherwise nest as deep as the line is long. A loop that waits for
    /// the body to return before it looks for the next would not nest, but it would delay everybody behind a body that
    /// settles and then blocks. So many, since a hand-off costs a thread's waking, which is shared by as many; few enough
    /// for 512 KiB in debug, as the tests of a long line show.
    private static let deepestNesting = 48

    /// Makes a limiter.
    /// - Parameter permits: How many runners may be at work at the same time. Traps if it is not positive.
    public init(_ permits: Int) {
      guard permits > 0 else { Self.trapTooFew(permits) }
      state = Mutex(LimiterState(permits: permits))
      self.permits = permits
    }

    /// Makes a limiter, so that `limit: 3` reads as it should.
    /// - Parameter value: How many runners may be at work at the same time. Traps if it is not positive.
    public convenience init(integerLiteral value: Int) { self.init(value) }

    /// No limit: for a child that is not to inherit its parent's.
    public static let unlimited = Limiter(Int.max)

    /// How many runners may be at work at the same time.
    public let permits: Int

    var isUnlimited: Bool { permits == .max }

    /// Takes a permit if one is there; then nobody waits, and nothing is overtaken.
    func takesPermit() -> Bool { state.withLock { $0.acquire() } }

    /// Starts a runner as soon as there is a permit for it: now, on this thread, or on the thread that hands one back.
    func start(_ runner: any PermitSeeker) {
      if state.withLock({ $0.acquire(runner) }), !runner.run() { release(handsOff: false) }
    }

    /// Hands a permit back, and starts the next runner with it.
    /// - Parameter handsOff: Whether the runner must start on another thread.
    func release(handsOff: Bool) {
      while let runner = state.withLock({ $0.release() }) {
        // Relaxed: a number of frames, which publishes nothing.
        if handsOff || nested.load(ordering: .relaxed) >= Self.deepestNesting {
          if runner.isWithdrawn { continue }
          Executor.elsewhere { if !runner.run() { self.release(handsOff: false) } }
          return
        }
        nested.wrappingAdd(1, ordering: .relaxed)
        let started = runner.run()
        nested.wrappingSubtract(1, ordering: .relaxed)
        if started { return }
      }
    }

    /// Out, waiting: for tests and descriptions.
    var counts: (out: Int, waiting: Int) { state.withLock { ($0.out, $0.waitingCount) } }

    @inline(never)
    private static func trapTooFew(_ permits: Int) -> Never {
      fatalError("A limiter needs at least one permit, not \(permits).")
    }
  }
}

/// Something that waits for a permit.
protocol PermitSeeker: AnyObject, Sendable {
  /// Whether it doesn't want one any more.
  var isWithdrawn: Bool { get }
  /// Starts with the permit that the caller got for it.
  /// - Returns: False if it didn't start; the permit is the caller's again.
  func run() -> Bool
}

/// A body that waits for its permit, with its pass.
///
/// It starts once, or is withdrawn when its baton is cancelled before that: whichever takes it first.
final class Runner: PermitSeeker {
  private struct Contents: Sendable {
    let pass: Baton.Pass
    /// The capture in which it was begun: whoever hands a permit back may be in another one.
    let capture: Baton?
    let body: @Sendable (Baton.Pass) -> Void
  }

  private struct State: Sendable {
    /// Nil once it has started, or was withdrawn.
    var contents: Contents?
    /// Where it waits in the baton's line of cancel handlers.
    var key: UInt64?
  }

  private let state: Mutex<State>
  /// The baton's, of whose cancellation it wants to hear.
  private let core: Baton.Core

  init(_ pass: Baton.Pass, _ body: @escaping @Sendable (Baton.Pass) -> Void) {
    core = pass.baton.core
    state = Mutex(State(contents: Contents(pass: pass, capture: Baton.current, body: body)))
  }

  /// Has itself withdrawn when the baton is cancelled: now, if it is already.
  ///
  /// Not by the pass's `onCancel`, which makes four objects that would serve as long as the pass is out; this ends when the
  /// runner starts.
  func listen() {
    core.register()
    guard case .waits(let key) = core.add(.ofRunner(self)) else { return withdraw() }
    // Withdrawn meanwhile, by whoever took it out of the line: or else it will leave the line when it starts.
    state.withLock { state in if state.contents != nil { state.key = key } }
  }

  private func take() -> Contents? {
    let taken = state.withLock { state in
      defer { state = State() }
      return state
    }
    if let key = taken.key { core.removeCancelHandler(key) }
    return taken.contents
  }

  var isWithdrawn: Bool { state.withLock { $0.contents == nil } }

  /// Runs the body with the permit that the caller got for it.
  /// - Returns: False if the body didn't start, because the baton was cancelled before; the permit is the caller's again.
  func run() -> Bool {
    guard let contents = take() else { return false }
    guard !contents.pass.isCancelled else {
      settle(contents)
      return false
    }
    contents.pass.starts()
    Baton.withCurrent(contents.capture) { contents.body(contents.pass) }
    return true
  }

  /// The baton was cancelled before there was a permit: the body never runs, and the pass goes back as cancelled.
  func withdraw() { if let contents = take() { settle(contents) } }

  /// The pass first, then the body: its captures may hold what would settle on its own when it is let go.
  private func settle(_ contents: Contents) { withExtendedLifetime(contents) { contents.pass.settleUnstarted() } }
}

extension Baton.Pass {
  /// Settles as cancelled without having started. The cancellation was recorded by whoever cancelled.
  func settleUnstarted() {
    guard claim() else { return }
    if !hasWaited { waits(.waitsForPermit) }
    settleClaimed(error: nil, cancels: true, reportsLate: false)
  }
}
