// Trees of resources, of which each main branch succeeds or fails as a set.

extension Baton {
  /// Loads resources that name other resources, each once, and says of each root whether all that it reaches is there.
  ///
  /// ```swift
  /// let cascade = Baton.Cascade<URL, Manifest>(
  ///   name: "Catalogue", limit: 8, retry: .attempts(3, backoff: .exponential(from: .milliseconds(100)))
  /// ) { url in
  ///   let manifest = try await download(url)
  ///   return .init(manifest, children: manifest.resources)
  /// }
  /// for await branch in cascade.branches(from: roots) {
  ///   if !branch.outcome.isCancelled { commit(branch.ids) }
  /// }
  /// ```
  ///
  /// An id is loaded once in a run, however many parents and roots reach it, and circles end. A failed load fails every
  /// branch that reaches it, and no other; a load belongs to the run, not to the branch that found it first. Discovery is
  /// breadth first. Never more loads run than the limit says, and none is idle while something could start. A load that
  /// waits for its next attempt gives its permit back. Nothing is remembered from one run to the next.
  ///
  /// A cascade is a description: it can be run many times, and at the same time; the runs share its limit.
  ///
  /// - Complexity: Time and memory are O(ids + edges) for one root; each further root that shares them adds a bit for each id
  ///   and a look at each edge.
  public struct Cascade<ID: Hashable & Sendable, Resource: Sendable>: Sendable {
    /// What a load brings: the resource, and the ids that it names.
    public struct Loaded: Sendable {
      /// What was loaded.
      public let resource: Resource
      /// What it names, to be loaded in this order.
      public let children: [ID]

      /// Makes what a load brings.
      ///
      /// - Parameters:
      ///   - resource: What was loaded.
      ///   - children: What it names, to be loaded in this order; ids that are known already do no harm.
      @inlinable
      public init(_ resource: Resource, children: some Sequence<ID>) {
        self.resource = resource
        self.children = Array(children)
      }
    }

    let name: String?
    let limit: Limiter?
    let retry: Retry
    let observer: (any Observer)?
    @usableFromInline let alreadyHave: (@Sendable (ID) -> Loaded?)?
    let location: Location
    @usableFromInline let load: @Sendable (ID, Pass) -> Void

    /// Describes loads by an async function.
    ///
    /// Its tasks are cancelled with the run.
    ///
    /// - Parameters:
    ///   - name: The name of the baton of each run.
    ///   - limit: How many loads may run at the same time, over all runs.
    ///   - retry: How often, and when, a failed load is tried again.
    ///   - observer: Who is told what happens in each run.
    ///   - alreadyHave: Returns what is at hand already, nil for what isn't. Asked once for each id, without a permit, on the
    ///     thread that discovers it; the children of what it returns are followed.
    ///   - fileID: Where the cascade is described, for failures and reports.
    ///   - line: Where the cascade is described, for failures and reports.
    ///   - load: Loads one id.
    @inlinable
    public init(
      name: String? = nil, limit: Limiter? = nil, retry: Retry = .never, observer: (any Observer)? = nil,
      alreadyHave: (@Sendable (ID) -> Loaded?)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
      load: @escaping @Sendable (ID) async throws -> Loaded
    ) {
      self.init(
        name: name, limit: limit, retry: retry, observer: observer, alreadyHave: alreadyHave, fileID: fileID, line: line
      ) { id, pass in
        let task = Task {
          do { pass.finish(try await load(id)) } catch { pass.cancel(error) }
        }
        pass.onCancel { task.cancel() }
      }
    }

    /// Describes loads by a function that starts one, and settles a pass when it is done.
    ///
    /// - Parameters:
    ///   - name: The name of the baton of each run.
    ///   - limit: How many loads may run at the same time, over all runs.
    ///   - retry: How often, and when, a failed load is tried again.
    ///   - observer: Who is told what happens in each run.
    ///   - alreadyHave: Returns what is at hand already, nil for what isn't. Asked once for each id, without a permit, on the
    ///     thread that discovers it; the children of what it returns are followed.
    ///   - fileID: Where the cascade is described, for failures and reports.
    ///   - line: Where the cascade is described, for failures and reports.
    ///   - load: Starts to load one id, and has to see the pass settled: at once or later, on any thread. It should not block,
    ///     as the next loads begin on the thread that settles it.
    public init(
      name: String? = nil, limit: Limiter? = nil, retry: Retry = .never, observer: (any Observer)? = nil,
      alreadyHave: (@Sendable (ID) -> Loaded?)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
      load: @escaping @Sendable (ID, Pass) -> Void
    ) {
      self.name = name
      self.limit = limit
      self.retry = retry
      self.observer = observer
      self.alreadyHave = alreadyHave
      location = Location(fileID: fileID, line: line)
      self.load = load
    }

    // MARK: Running

    /// Loads the roots and all that they reach, and calls a completion with the report.
    ///
    /// - Parameters:
    ///   - roots: What to begin with. One that is listed again counts once.
    ///   - onBranch: Is called with each root's branch as soon as all that it reaches has settled, on the thread on which that
    ///     happens; before the completion.
    ///   - completion: Runs exactly once, when all has settled, on the thread on which that happens.
    /// - Returns: The baton of the run, to watch or to cancel. Its outcome is the report's.
    @discardableResult
    @inlinable
    public func start(
      _ roots: some Sequence<ID>, onBranch: (@Sendable (Branch) -> Void)? = nil,
      completion: @escaping @Sendable (Report) -> Void
    ) -> Baton {
      let run = CascadeRun(self, Array(roots), onBranch: onBranch)
      run.start(completion)
      return run.baton
    }

    /// Loads the roots and all that they reach.
    ///
    /// Cancelling the calling task cancels the run; the report says what was loaded by then.
    ///
    /// - Parameter roots: What to begin with. One that is listed again counts once.
    /// - Returns: What was loaded and what was not.
    @inlinable
    public func run(_ roots: some Sequence<ID>) async -> Report {
      let run = CascadeRun(self, Array(roots))
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          run.start { report in continuation.resume(returning: report) }
        }
      } onCancel: {
        run.baton.cancelAll()
      }
    }

    /// Loads the roots and all that they reach, and tells of each root as soon as all that it reaches has settled.
    ///
    /// The run starts now. Leaving the loop early, or cancelling its task, cancels the run.
    ///
    /// - Parameter roots: What to begin with. One that is listed again counts once.
    /// - Returns: The branches, in the order in which they settle; then the sequence ends.
    @inlinable
    public func branches(from roots: some Sequence<ID>) -> AsyncStream<Branch> {
      let (branches, continuation) = AsyncStream.makeStream(of: Branch.self)
      let run = CascadeRun(self, Array(roots)) { branch in continuation.yield(branch) }
      continuation.onTermination = { [baton = run.baton] end in
        if case .cancelled = end { baton.cancelAll() }
      }
      run.start { _ in continuation.finish() }
      return branches
    }
  }
}

extension Baton.Cascade {
  /// One root and all that it reaches.
  public struct Branch: Sendable {
    /// Where it begins.
    public let root: ID
    /// `finished` if all that it reaches was loaded; else the failures among it, in the order in which they were recorded.
    public let outcome: Baton.Outcome
    private let run: CascadeRun<ID, Resource>
    private let index: Int

    init(root: ID, outcome: Baton.Outcome, run: CascadeRun<ID, Resource>, index: Int) {
      self.root = root
      self.outcome = outcome
      self.run = run
      self.index = index
    }

    /// All ids that the branch reaches, the root included.
    ///
    /// - Complexity: O(ids + edges of the branch), each time that it is asked.
    public var ids: Set<ID> { Set(run.ids(of: index)) }
  }

  /// What a run has loaded, and what not.
  public struct Report: Sendable {
    /// What was loaded or at hand, by id.
    public let resources: [ID: Resource]
    /// Why a load failed for good, by id. What only the run's cancellation kept from being loaded is in neither of the two.
    public let failures: [ID: any Error]
    /// Each root's branch.
    public let branches: [ID: Branch]
    /// `finished` if all was loaded; else the failures, in the order in which they were recorded.
    public let outcome: Baton.Outcome

    @inlinable
    init(resources: [ID: Resource], failures: [ID: any Error], branches: [ID: Branch], outcome: Baton.Outcome) {
      self.resources = resources
      self.failures = failures
      self.branches = branches
      self.outcome = outcome
    }
  }
}
