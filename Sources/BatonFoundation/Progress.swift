// A baton as a Foundation progress.

public import Baton
public import Foundation
import Synchronization

extension Baton {
  /// How far the baton is, as a Foundation progress.
  ///
  /// ```swift
  /// let baton = Baton(name: "Photos") { _ in … }
  /// importing.addChild(baton.progress, withPendingUnitCount: 80)
  /// ```
  ///
  /// Its counts are the tally's: `totalUnitCount` passes, of which `completedUnitCount` have come back. While the work still
  /// grows, `fractionCompleted` never goes back; it goes on more slowly then, and its units become millionths. It is 1 when
  /// the baton completes, also if that is by cancellation or abandonment, and never before. A child of the baton counts as one
  /// pass; add its own `progress` as a child to see inside it.
  ///
  /// `cancel()` is ``Baton/cancelAll(_:)``, and a baton that is cancelled cancels its progress. A progress that you add as a
  /// child brings its units with it: they are added to the total.
  ///
  /// It is brought up to date whenever this property is read, about ten times a second otherwise, and at once by
  /// cancellation and completion. It keeps the baton neither alive nor from completing. While the baton is open, this is the
  /// same object each time.
  ///
  /// - Note: Foundation's `Progress` is not safe to be changed and read at the same time on every platform; on Linux, look at
  ///   it from one thread.
  public var progress: Progress { BatonProgress.following(self) }
}

/// A progress that reads its counts from a baton.
///
/// Getters that look at the baton were rejected: `fractionCompleted` can't be overridden outside Foundation on Linux, and a
/// parent doesn't ask its children, it waits to be told. So the counts are pushed: they are set when they have changed.
final class BatonProgress: Progress, @unchecked Sendable {
  // Unchecked, since the superclass says so of itself: what this class adds is immutable, or behind a lock.

  private weak let baton: Baton?
  private let state = Mutex(State())

  fileprivate struct State: Sendable {
    var estimate = ProgressEstimate()
    /// The units that other progresses brought, and those of them that are done.
    var others = 0
    var settledByOthers = 0
    var isCancelled = false
    #if canImport(Darwin)
    /// Whether a thread is setting the counts, and whether they have changed meanwhile.
    var isSetting = false
    var isStale = false
    #endif
  }

  private init(_ baton: Baton) {
    self.baton = baton
    super.init(parent: nil, userInfo: nil)
    isCancellable = true
    #if canImport(Darwin)
    // Where a parent's cancellation reaches its children by their handlers only.
    cancellationHandler = { [weak baton] in baton?.cancelAll() }
    #endif
  }

  // MARK: One for each open baton

  private struct Weak: Sendable {
    weak let progress: BatonProgress?
  }

  /// The progresses of open batons; held weakly, as the baton's completion handler holds them.
  private static let all = Mutex<[ObjectIdentifier: Weak]>([:])

  static func following(_ baton: Baton) -> BatonProgress {
    let key = ObjectIdentifier(baton)
    if let known = all.withLock({ $0[key]?.progress }) {
      known.update()
      return known
    }
    let made = BatonProgress(baton)
    let progress = all.withLock { all in
      // Another thread may have been first.
      if let known = all[key]?.progress { return known }
      all[key] = Weak(progress: made)
      return made
    }
    guard progress === made else { return progress }
    // The handler keeps the progress until the baton completes, as nobody else may: its parent does, if it has one. A baton
    // that is complete already runs it at once.
    baton.onCompletion { _ in
      _ = all.withLock { $0.removeValue(forKey: key) }
      progress.update()
    }
    baton.onCancel { [weak progress] in progress?.cancelWithoutBaton() }
    progress.update()
    if !baton.isComplete { baton.follow { [weak progress] in progress?.update() } }
    return progress
  }

  // MARK: Setting the counts

  #if !canImport(Darwin)
  /// Foundation's counts have no lock of their own here, nor have those of a parent that two batons may share.
  private static let onlyOne = Mutex(())
  #endif

  /// Brings the counts up to date.
  func update() {
    // Held until after the lock: if this is the last reference, the baton completes by its release, and that comes here.
    let baton = baton
    defer { withExtendedLifetime(baton) {} }
    #if canImport(Darwin)
    // Observers of the values are a user's code, which runs in the middle of this: no lock then. Who finds another thread at
    // it, or itself, leaves the rest to that one.
    guard state.withLock({ $0.begin() }) else { return }
    repeat { setCounts(of: baton) } while state.withLock({ $0.goesOn() })
    #else
    Self.onlyOne.withLock { _ in setCounts(of: baton) }
    #endif
  }

  private func setCounts(of baton: Baton?) {
    // In this order: what is complete has its final tally. A baton that is gone is complete.
    let isComplete = baton?.isComplete ?? true
    let tally = isComplete ? nil : baton?.tally
    setCounts { $0.take(tally, shown: $1, share: $2) }
  }

  /// Sets what is decided from the state, the units that are shown as completed, and the fraction that is.
  private func setCounts(_ decide: (inout State, Int64, Double) -> ProgressEstimate?) {
    let (shown, share) = (super.completedUnitCount, super.fractionCompleted)
    guard let estimate = state.withLock({ decide(&$0, shown, share) }) else { return }
    if super.totalUnitCount != estimate.total { super.totalUnitCount = estimate.total }
    if super.completedUnitCount != estimate.completed { super.completedUnitCount = estimate.completed }
  }

  /// Adds a progress whose units come on top of the baton's passes.
  override func addChild(_ child: Progress, withPendingUnitCount units: Int64) {
    update()
    let passed = baton?.tally.passed ?? 0
    let isComplete = state.withLock { $0.estimate.isComplete }
    if !isComplete, units > 0 { setCounts { $0.make(room: Int(units), passed: passed, shown: $1, share: $2) } }
    super.addChild(child, withPendingUnitCount: units)
  }

  // MARK: Cancelling

  override func cancel() {
    // Its handler cancels this progress.
    baton?.cancelAll()
    cancelWithoutBaton()
  }

  private func cancelWithoutBaton() {
    let isFirst = state.withLock { state in
      defer { state.isCancelled = true }
      return !state.isCancelled
    }
    if isFirst { super.cancel() }
  }
}

extension BatonProgress.State {
  /// Takes in the baton's counts, nil when it is complete, and what Foundation shows: of that, what it has added by itself
  /// are the units of other progresses that are done.
  /// - Returns: What is to be shown; nil when the last word has been said.
  fileprivate mutating func take(_ tally: Baton.Tally?, shown: Int64, share: Double) -> ProgressEstimate? {
    guard !estimate.isComplete else { return nil }
    addWhatOthersDid(shown)
    if let tally, others > 0 {
      estimate.update(
        passed: tally.passed + others, settled: tally.settled + settledByOthers, partial: partial(share))
    } else if let tally {
      estimate.update(passed: tally.passed, settled: tally.settled)
    } else {
      estimate.complete(leaving: others - settledByOthers)
    }
    return estimate
  }

  /// Makes room for the units of another progress.
  fileprivate mutating func make(room: Int, passed: Int, shown: Int64, share: Double) -> ProgressEstimate? {
    guard !estimate.isComplete else { return nil }
    addWhatOthersDid(shown)
    others += room
    estimate.useUnits(of: passed + others, share: share, partial: partial(share))
    return estimate
  }

  private mutating func addWhatOthersDid(_ shown: Int64) {
    let more = min(Int64(others - settledByOthers), max(0, shown - estimate.completed))
    settledByOthers += Int(more)
    estimate.add(more)
  }

  /// The units that others have done of what they have not finished.
  private func partial(_ share: Double) -> Double {
    others == settledByOthers ? 0 : max(0, share * Double(estimate.total) - Double(estimate.completed))
  }

  #if canImport(Darwin)
  fileprivate mutating func begin() -> Bool {
    isStale = isSetting
    guard !isSetting else { return false }
    isSetting = true
    return true
  }

  fileprivate mutating func goesOn() -> Bool {
    isSetting = isStale
    isStale = false
    return isSetting
  }
  #endif
}
