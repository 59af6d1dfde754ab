// A run, recorded to be looked at.

#if BATON_EXPLORED
import Explored
#else
import Synchronization
#endif

extension Baton {
  /// An observer that records a run, and shows where the time went.
  ///
  /// ```swift
  /// let timeline = Baton.Timeline()
  /// let outcome = await download(tree, observer: timeline)
  /// try timeline.svg().write(toFile: "download.svg", atomically: true, encoding: .utf8)
  /// ```
  ///
  /// ``svg()`` is a picture for people, ``chromeTrace()`` a file for the Perfetto viewer. Both may be asked for while the
  /// run goes on: what is still running is drawn with an open end.
  ///
  /// One timeline may watch any number of batons; their children are watched with them. It keeps what it recorded for as
  /// long as it lives, about 100 bytes an event.
  public final class Timeline: Observer {
    private let state: Mutex<TimelineState>

    /// Makes an empty timeline, to be set as the `observer` of batons.
    ///
    /// - Parameter limit: How many events are recorded at most: two for a baton, two for a pass, one for a cancellation
    ///   and one for a misuse. What comes later is left out, and both outputs say how much that was.
    public init(limit: Int = 100_000) { state = Mutex(TimelineState(limit: max(0, limit))) }

    /// Records what happens. Called by the batons.
    ///
    /// - Parameters:
    ///   - identity: Which baton.
    ///   - event: What.
    /// - Complexity: O(1) on average.
    public func baton(_ identity: Identity, _ event: Event) {
      let (id, now) = (identity.id, ContinuousClock.now)
      switch event {
      case .made:
        let (parent, name) = (identity.parent?.id, identity.name)
        state.withLock { $0.made(id, parent: parent, name: name, at: now) }
      case .passed(let pass):
        guard pass.child == nil else { return }
        state.withLock {
          $0.passed(
            id, pass: pass.id, label: pass.label, location: pass.location, count: pass.count, at: pass.instant)
        }
      case .settled(let pass):
        guard pass.child == nil else { return }
        let result = TimelineState.Result(pass.error)
        state.withLock { $0.settled(id, pass: pass.id, count: pass.count, result, at: pass.instant) }
      case .cancelled(let failure):
        // Here, since an error's description is a user's code.
        let text = failure.map { ($0.label.map { "\($0): " } ?? "") + "\($0.error)" }
        state.withLock { $0.cancelled(id, failure: text, at: now) }
      case .completed(let cancelled): state.withLock { $0.completed(id, cancelled: cancelled, at: now) }
      case .misused(let misuse):
        let text = misuse.description
        // The lane says which baton.
        let baton = misuse.path.isEmpty ? "Baton: " : "Baton \"\(misuse.path.joined(separator: " › "))\": "
        let short = text.hasPrefix(baton) ? String(text.dropFirst(baton.count)) : text
        state.withLock { $0.misused(id, short, at: now) }
      }
    }

    /// The recording as a Chrome trace: JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open.
    ///
    /// A track per baton in tree order, and more of them where its passes overlap; a slice per pass with its label, place
    /// and error; cancellations and misuse as instants. Times are whole microseconds since the first baton was made. A
    /// pass that is still out has a begin without an end.
    ///
    /// - Returns: The text of the file, in UTF-8 about 200 bytes a pass.
    /// - Complexity: O(*n* log *n*) for *n* recorded events.
    public func chromeTrace() -> String { ChromeTrace.text(of: chart(at: .now)) }

    /// The recording as a picture: a self-contained SVG, light or dark as the reader's system is.
    ///
    /// A lane per baton in tree order, a bar per pass with its label where there is room for it, and always in its
    /// tooltip; cancellations, failures and misuse are marked; the slowest passes are listed and numbered. A runner's bar
    /// begins when it has its permit. At most 5,000 passes are drawn, the longest; the picture says how many it leaves out.
    ///
    /// - Returns: The text of the file.
    /// - Complexity: O(*n* log *n*) for *n* recorded events.
    public func svg() -> String { TimelineSvg(chart(at: .now)).text }

    private func chart(at instant: ContinuousClock.Instant) -> TimelineChart {
      // Put in order and drawn outside the lock, so that no runner waits for it.
      TimelineChart(state.withLock { $0 }, at: instant)
    }
  }
}

extension Baton.Timeline: RunnerWatching {
  func baton(_ identity: Baton.Identity, pass id: UInt64, _ stage: RunnerStage, at instant: ContinuousClock.Instant) {
    state.withLock { $0.runner(pass: id, stage, at: instant) }
  }
}

extension TimelineState.Result {
  /// Not under a lock, since an error's description is a user's code.
  fileprivate init(_ error: (any Error)?) {
    self = error.map { $0 is CancellationError ? .cancelled : .failed("\($0)") } ?? .finished
  }
}
