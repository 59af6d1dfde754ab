// One outstanding pass, as an object that can't be settled twice or be forgotten.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// One outstanding pass, settled once.
  ///
  /// ```swift
  /// let pass = baton.makePass("logo.png")
  /// loader.load(url) { error in
  ///   if let error { pass.cancel(error) } else { pass.finish() }
  /// }
  /// ```
  ///
  /// Settling it a second time does nothing, and is reported as misuse; letting it go without settling it settles it as
  /// cancelled, with an ``AbandonedError``, and is reported too. A pass may be settled on any thread.
  public final class Pass: Sendable {
    /// The baton whose pass this is.
    public let baton: Baton
    /// What the pass is called in failures and reports.
    public let label: String?
    // In this order the three of them share 24 bytes.
    private let fileID: StaticString
    private let flags: Atomic<UInt8>
    private let line: UInt32
    /// Made by the first `onCancel`.
    private let cancelHandlers = AtomicLazyReference<PassCancelHandlers>()

    /// Set by who settles, once; a pass whose callback is running just now is claimed already.
    private static let claimed: UInt8 = 1
    /// The pass holds a permit of the baton's limit.
    private static let holdsPermit: UInt8 = 2
    /// The pass was made when its baton had been abandoned already, and counts nothing.
    private static let inert: UInt8 = 4
    /// The pass has cancel handlers; set by who adds one.
    private static let listens: UInt8 = 8
    /// The pass was handed back, or is just being.
    private static let settled: UInt8 = 16
    /// The runner has not begun at once, and who watches was told so.
    private static let waited: UInt8 = 32

    init(_ baton: Baton, label: String?, location: Location, isInert: Bool) {
      self.baton = baton
      self.label = label
      fileID = location.fileID
      line = UInt32(clamping: location.line)
      flags = Atomic(isInert ? Self.inert : 0)
    }

    /// A pass that is forgotten is a bug, but not one that hangs (rule 3).
    deinit {
      // A look is enough: nobody else has the pass any more, and whoever let it go did so after what it did.
      let flags = flags.load(ordering: .relaxed)
      guard flags & Self.claimed == 0 else { return }
      reportDrop()
      handBack(flags, error: AbandonedError(outstanding: 1), cancels: true, reportsLate: false)
    }

    var location: Location { Location(fileID: fileID, line: UInt(line)) }

    // MARK: Settling

    /// Hands the pass back: this runner is done.
    public func finish() {
      if !tryFinish() { reportSecondSettle() }
    }

    /// Cancels the baton, and hands the pass back.
    /// - Parameter error: Why; it becomes a failure with this pass's label and place.
    public func cancel(_ error: (any Error)? = nil) {
      if !tryCancel(error) { reportSecondSettle() }
    }

    /// Hands the pass back, if it is still out. For honest races, such as a result against a timer.
    /// - Returns: False if it was settled already; nothing is changed, and nothing reported.
    public func tryFinish() -> Bool {
      guard let flags = claimToSettle() else { return false }
      handBack(flags, error: nil, cancels: false)
      return true
    }

    /// Cancels the baton and hands the pass back, if it is still out. For honest races, such as a result against a timer.
    /// - Parameter error: Why; it becomes a failure with this pass's label and place.
    /// - Returns: False if it was settled already; nothing is changed, and nothing reported.
    public func tryCancel(_ error: (any Error)? = nil) -> Bool {
      guard let flags = claimToSettle() else { return false }
      handBack(flags, error: error, cancels: true)
      return true
    }

    /// Whether the baton is cancelled, so that the runner may as well stop.
    public var isCancelled: Bool { baton.isCancelled }

    /// Adds a handler that runs when the baton is cancelled while the pass is out.
    ///
    /// It runs at once if the baton is cancelled already; never if the pass was settled; and is let go when it settles. A
    /// wrapped callback's pass settles when its handler has returned.
    ///
    /// - Parameter handler: Runs at most once, on the cancelling thread, without a lock. It may settle this pass.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
      baton.core.register()
      let handlers = cancelHandlers.storeIfNil(PassCancelHandlers())
      // Of these two changes of the flags one is first: either the settle finds the handlers, or this finds the settle.
      // Acquiring and releasing: what the settle finds was stored before.
      if flags.bitwiseOr(Self.listens, ordering: .acquiringAndReleasing).oldValue & Self.settled != 0 {
        return handlers.close()
      }
      guard handlers.add(handler) else { return }
      switch baton.core.add(.ofPass(handlers)) {
      case .waits(let key): handlers.wait(under: key, of: baton.core)
      case .runNow: handlers.runAll()
      case .never: handlers.close()
      }
    }

    // MARK: For wrapped callbacks and runners

    /// Takes the right to settle the pass.
    ///
    /// Relaxed: what the runner did is released when the pass is handed back, by whoever won this; who lost does nothing
    /// more.
    /// - Returns: Whether the caller is the one that has to settle it.
    @usableFromInline
    func claim() -> Bool {
      flags.bitwiseOr(Self.claimed, ordering: .relaxed).oldValue & Self.claimed == 0
    }

    /// Whether somebody has that right. Relaxed: for who can claim it, and wants to know whether it did.
    var isClaimed: Bool { has(Self.claimed) }

    /// Claims, for one who settles the pass at once: one change of the flags in place of two.
    ///
    /// Who comes too late changes nothing: the pass may be claimed only, its callback still running and adding handlers.
    /// - Returns: What `handBack` wants to know; nil to who comes too late.
    @usableFromInline
    func claimToSettle() -> UInt8? {
      // Relaxed: a guess, which the exchange checks. That one acquires and releases, as `settled` does in `settleClaimed`: it
      // pairs with `onCancel`, whose handlers are stored before it says that the pass listens.
      var old = flags.load(ordering: .relaxed)
      while old & Self.claimed == 0 {
        let (exchanged, original) = flags.compareExchange(
          expected: old, desired: old | Self.claimed | Self.settled, ordering: .acquiringAndReleasing)
        if exchanged { return old }
        old = original
      }
      return nil
    }

    /// Hands back a pass that the caller has claimed: cancels first, if it is to, and starts who waits for the permit.
    /// - Parameters:
    ///   - error: Why, if it cancels.
    ///   - cancels: Whether the baton is cancelled by this.
    ///   - told: What an observer hears instead, where an error doesn't cancel.
    ///   - reportsLate: Whether coming after abandonment is a misuse; not where the library itself settles.
    ///   - flags: What `claimToSettle` returned, where it was claimed by that.
    @usableFromInline
    func settleClaimed(
      error: (any Error)?, cancels: Bool, told: (any Error)? = nil, reportsLate: Bool = true, flags: UInt8? = nil
    ) {
      handBack(flags ?? markSettled(), error: error, cancels: cancels, told: told, reportsLate: reportsLate)
    }

    /// Hands back a claimed pass without cancelling.
    /// - Parameters:
    ///   - told: What an observer hears of, nil if all went well.
    ///   - lateLabel: What the pass is called if it comes after abandonment.
    @usableFromInline
    func settleClaimed(told: (any Error)?, lateLabel: () -> String?) {
      handBack(markSettled(), error: nil, cancels: false, told: told, lateLabel: lateLabel)
    }

    private func markSettled() -> UInt8 {
      flags.bitwiseOr(Self.settled, ordering: .acquiringAndReleasing).oldValue
    }

    /// The rest of it, by the flags as they were when `settled` was set: nothing that matters changes after that.
    private func handBack(
      _ flags: UInt8, error: (any Error)?, cancels: Bool, told: (any Error)? = nil, reportsLate: Bool = true,
      lateLabel: () -> String? = { nil }
    ) {
      if flags & Self.listens != 0 { cancelHandlers.load()?.close() }
      if flags & Self.inert != 0 { return }
      if cancels {
        baton.core.cancel(failure: error.map(failure))
      }
      baton.core.observe { .settled(.of(self, error: error ?? told ?? (cancels ? CancellationError() : nil))) }
      let old = baton.core.subtractOne()
      guard old.makesSettleUnusual else {
        if flags & Self.holdsPermit != 0 { baton.core.limiter?.release(handsOff: false) }
        return
      }
      let core = baton.core
      let limiter = flags & Self.holdsPermit == 0 ? nil : core.limiter
      if old.isAbandoned, reportsLate { core.report(.late, label: lateLabel() ?? label, location: location) }
      let ending = core.finishSettling(old)
      // The next runner gets the permit before a completion runs, which may take its time (or even wait for that runner).
      limiter?.release(handsOff: ending != nil)
      ending?.complete(core)
    }

    /// Hands back a claimed pass with which nothing went wrong: `settleClaimed` without all that is about errors.
    @usableFromInline
    func finishClaimed(reportsLate: Bool = true, flags: UInt8? = nil) {
      handBack(flags ?? markSettled(), error: nil, cancels: false, reportsLate: reportsLate)
    }

    /// Cancels, and hands back a claimed pass.
    @usableFromInline
    func cancelClaimed(_ error: any Error) { settleClaimed(error: error, cancels: true) }

    @usableFromInline
    func reportSecondSettle() { reportSecondSettle(label: label) }

    func reportSecondSettle(label: String?) { baton.core.report(.settledTwice, label: label, location: location) }

    func reportDrop() { reportDrop(label: label) }

    /// An inert pass is nobody's: its baton was abandoned before.
    func reportDrop(label: @autoclosure () -> String?) {
      if !has(Self.inert) { baton.core.report(.dropped, label: label(), location: location) }
    }

    /// A failure with this pass's label and place.
    func failure(_ error: any Error) -> Failure {
      Failure(error: error, label: label, location: location, lineage: baton.core.lineage)
    }

    func takePermit() { flags.bitwiseOr(Self.holdsPermit, ordering: .relaxed) }

    /// The runner can't begin yet, or never will. Who watches is told before another thread can tell that it begins.
    func waits(_ stage: RunnerStage) {
      guard baton.core.watchesRunners, !has(Self.inert) else { return }
      flags.bitwiseOr(Self.waited, ordering: .relaxed)
      baton.core.observe(self, stage)
    }

    /// The runner begins with a permit.
    @usableFromInline
    func starts() {
      takePermit()
      begins()
    }

    /// The runner begins.
    func begins() { if hasWaited { baton.core.observe(self, .begins) } }

    var hasWaited: Bool { has(Self.waited) }

    /// Relaxed: of what never changes, or is known to have changed.
    private func has(_ flag: UInt8) -> Bool { flags.load(ordering: .relaxed) & flag != 0 }
  }

  /// Passes the baton, as an object that can't be settled twice or be forgotten.
  ///
  /// Traps if the baton has completed; see ``tryMakePass(_:fileID:line:)``. After abandonment the pass counts nothing.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  /// - Returns: A pass that must be settled.
  public func makePass(_ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) -> Pass {
    let counts = core.passOne()
    let pass = Pass(self, label: label, location: Location(fileID: fileID, line: line), isInert: !counts)
    return counts ? made(pass) : pass
  }

  /// Passes the baton, unless it is complete.
  ///
  /// - Parameters:
  ///   - label: What the pass is called in failures and reports.
  ///   - fileID: Where the pass is made, for failures and reports.
  ///   - line: Where the pass is made, for failures and reports.
  /// - Returns: A pass that must be settled, or nil if the baton is complete.
  public func tryMakePass(_ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) -> Pass? {
    guard core.tryPass() else { return nil }
    return made(Pass(self, label: label, location: Location(fileID: fileID, line: line), isInert: false))
  }

  private func made(_ pass: Pass) -> Pass {
    core.observe { .passed(.of(pass)) }
    return pass
  }
}
