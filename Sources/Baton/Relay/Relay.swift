// Stages: all runners of one leg are back before the next leg starts.

extension Baton {
  /// A description of staged work: each leg has many runners, and the next leg starts when all of them are back.
  ///
  /// ```swift
  /// let importer = Baton.Relay(name: "Import", of: Query.self)
  ///   .leg("Manifests", of: Manifest.self) { query, gather in
  ///     api.query(query, completion: gather.pass { manifest, error in … return manifest })
  ///   }
  ///   .leg("Files", of: File.self, limit: 4) { manifests, gather in
  ///     for file in manifests.flatMap(\.files) { gather.addTask { try await download(file) } }
  ///   }
  ///   .step("Index") { files in try await index(files) }
  ///   .finally("Clean up") { outcome in … }
  /// let report = try await importer.run(query)
  /// ```
  ///
  /// Each leg's results, in pass order, are the next one's input. After a failed or cancelled leg the legs behind it are
  /// skipped, the `finally`s never. A relay is a value: it can be run many times, and at the same time. A limit that is
  /// given with a leg, or with the relay, is shared by all runs.
  ///
  /// - Complexity: A run needs O(legs) time, and memory for its legs' descriptions, not for what they have brought: it keeps
  ///   what the running leg got and brings, and at most what the last leg has brought whose end came after its body's.
  public struct Relay<Input: Sendable, Output: Sendable>: Sendable {
    let name: String?
    let limit: Limiter?
    let observer: (any Observer)?
    var stages: RelayStages

    /// Adds a leg: many runners, all of whom are back before the next leg starts.
    ///
    /// A pass is held while the body runs, so that a leg which starts nothing is over when the body returns.
    ///
    /// - Parameters:
    ///   - name: The leg's name, part of the path of its failures.
    ///   - type: What a runner of this leg brings back.
    ///   - limit: How many runners may be at work at the same time, instead of the relay's limit.
    ///   - body: Gets what the leg before has brought, and what it passes to its runners. What it throws is a failure.
    /// - Returns: The relay with this leg at its end, whose results are the next one's input.
    public func leg<Element: Sendable>(
      _ name: String? = nil, of type: Element.Type, limit: Limiter? = nil,
      _ body: @escaping @Sendable (Output, Gather<Element>) throws -> Void
    ) -> Relay<Input, [Element]> {
      adding(name, limit, body) { values in values }
    }

    /// Adds a step: one async function.
    ///
    /// Its task is cancelled with the run.
    ///
    /// - Parameters:
    ///   - name: The step's name, part of the path of its failure.
    ///   - body: Gets what the leg before has brought; returns the next one's input.
    /// - Returns: The relay with this step at its end.
    public func step<Value: Sendable>(
      _ name: String? = nil, _ body: @escaping @Sendable (Output) async throws -> Value
    ) -> Relay<Input, Value> {
      adding(name, nil) { input, gather in
        gather.addTask { try await body(input) }
      } value: { (values: [Value]) in
        guard let value = values.first else { throw CancellationError() }
        return value
      }
    }

    /// Adds something that is done at the end in any case: after the last leg, after a failure, after a cancellation.
    ///
    /// The `finally`s run one after another, in the order in which they were added, wherever that was. They run in a task
    /// that nobody cancels, and can't change the outcome.
    ///
    /// - Parameters:
    ///   - name: What it is, for who reads the code.
    ///   - body: Gets the outcome of the legs.
    /// - Returns: The relay with this at its end.
    public func finally(_ name: String? = nil, _ body: @escaping @Sendable (Outcome) async -> Void) -> Relay {
      var relay = self
      relay.stages.finallies = RelayStages.Link(body, after: stages.finallies)
      return relay
    }

    /// Tells which leg or step is running.
    ///
    /// - Parameter handler: Is called with each name as that leg starts, on the thread that starts it.
    /// - Returns: The relay with this handler, beside those that it has.
    public func onLeg(_ handler: @escaping @Sendable (_ name: String) -> Void) -> Relay {
      var relay = self
      relay.stages.watchers.append(handler)
      return relay
    }

    private func adding<Element: Sendable, Next: Sendable>(
      _ name: String?, _ limit: Limiter?,
      _ body: @escaping @Sendable (Output, Gather<Element>) throws -> Void,
      value: @escaping @Sendable ([Element]) throws -> Next
    ) -> Relay<Input, Next> {
      let leg = RelayStages.Leg(name: name) { input, run, done in
        guard let input = input as? Output else {
          fatalError("A relay's leg \"\(name ?? "")\" was handed \(Swift.type(of: input)), not \(Output.self).")
        }
        let gather = Gather<Element>(run.makeChild(name: name, limit: limit), .cancelsRest)
        gather.onCompletion(on: .inline) { [core = gather.baton.core] results in
          let result = Result<any Sendable, any Error> { try value(results.values()) }
          guard case .failure = result else { return done(RelayState.Arrival(result: result)) }
          // Put together now: when this handler has returned, the run's baton hears of the rest of them as well.
          let failures = run.core.failuresSoFar + results.failures.dropFirst(core.failuresHeard)
          done(RelayState.Arrival(result: result, failures: failures))
        }
        gather.baton.pass()
        do {
          try body(input, gather)
          gather.baton.finish()
        } catch {
          gather.baton.cancel(error)
        }
      }
      var stages = stages
      stages.legs = RelayStages.Link(leg, after: stages.legs)
      return Relay<Input, Next>(name: self.name, limit: self.limit, observer: observer, stages: stages)
    }

    // MARK: Running

    /// Runs the relay, and returns what its last leg brings.
    ///
    /// Cancelling the calling task cancels the run; the `finally`s are waited for.
    ///
    /// - Parameter input: What the first leg gets.
    /// - Returns: What the last leg has brought.
    /// - Throws: The first failure, `CancellationError` if it was cancelled without one.
    public func run(_ input: Input) async throws -> Output {
      let run = RelayRun(self, input)
      return try await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          run.start { result in continuation.resume(returning: result) }
        }
      } onCancel: {
        run.baton.cancelAll()
      }.get()
    }

    /// Runs the relay, and calls a completion with what its last leg brings.
    ///
    /// - Parameters:
    ///   - input: What the first leg gets.
    ///   - completion: Runs exactly once, after the last `finally` (also when the run is abandoned: its baton is complete
    ///     at once then, but the `finally`s are waited for), on the thread on which that ends.
    /// - Returns: The baton of the run, to watch or to cancel.
    @discardableResult
    public func start(
      _ input: Input, completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) -> Baton {
      let run = RelayRun(self, input)
      run.start(completion)
      return run.baton
    }
  }
}

extension Baton.Relay where Input == Output {
  /// Begins the description of a relay.
  ///
  /// - Parameters:
  ///   - name: The name of the baton of each run.
  ///   - type: What the first leg gets.
  ///   - limit: How many runners of one leg may be at work at the same time, over all runs.
  ///   - observer: Who is told what happens in each run.
  public init(
    name: String? = nil, of type: Input.Type, limit: Baton.Limiter? = nil, observer: (any Baton.Observer)? = nil
  ) {
    self.init(name: name, limit: limit, observer: observer, stages: RelayStages())
  }
}

extension Baton.Relay where Input == Void, Output == Void {
  /// Begins the description of a relay whose first leg gets nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the baton of each run.
  ///   - limit: How many runners of one leg may be at work at the same time, over all runs.
  ///   - observer: Who is told what happens in each run.
  public init(name: String? = nil, limit: Baton.Limiter? = nil, observer: (any Baton.Observer)? = nil) {
    self.init(name: name, limit: limit, observer: observer, stages: RelayStages())
  }
}

extension Baton.Relay where Output == Void {
  /// Adds a leg that gets nothing; see ``leg(_:of:limit:_:)``.
  ///
  /// - Parameters:
  ///   - name: The leg's name, part of the path of its failures.
  ///   - type: What a runner of this leg brings back.
  ///   - limit: How many runners may be at work at the same time, instead of the relay's limit.
  ///   - body: Gets what it passes to its runners. What it throws is a failure.
  /// - Returns: The relay with this leg at its end, whose results are the next one's input.
  public func leg<Element: Sendable>(
    _ name: String? = nil, of type: Element.Type, limit: Baton.Limiter? = nil,
    _ body: @escaping @Sendable (Baton.Gather<Element>) throws -> Void
  ) -> Baton.Relay<Input, [Element]> {
    leg(name, of: type, limit: limit) { _, gather in try body(gather) }
  }
}

extension Baton.Relay where Input == Void {
  /// Runs a relay whose first leg gets nothing; see ``run(_:)``.
  ///
  /// - Returns: What the last leg has brought.
  /// - Throws: The first failure, `CancellationError` if it was cancelled without one.
  @discardableResult
  public func run() async throws -> Output { try await run(()) }

  /// Runs a relay whose first leg gets nothing; see ``start(_:completion:)``.
  ///
  /// - Parameter completion: Runs exactly once, after the last `finally`.
  /// - Returns: The baton of the run, to watch or to cancel.
  @discardableResult
  public func start(completion: @escaping @Sendable (Result<Output, any Error>) -> Void) -> Baton {
    start((), completion: completion)
  }
}
