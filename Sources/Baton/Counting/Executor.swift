// Where a handler runs.

#if canImport(Dispatch)
public import Dispatch
#endif

extension Baton {
  /// Where a handler runs: on the settling thread, on a queue, or wherever a function of yours puts it.
  public struct Executor: Sendable {
    enum Kind: Sendable {
      case inline
      #if canImport(Dispatch)
      case queue(DispatchQueue)
      #endif
      case custom(@Sendable (@escaping @Sendable () -> Void) -> Void)
    }

    let kind: Kind

    private init(kind: Kind) { self.kind = kind }

    /// On the thread that hands back the last pass, before its call returns.
    public static var inline: Executor { Executor(kind: .inline) }

    #if canImport(Dispatch)
    /// On a dispatch queue, asynchronously.
    /// - Parameter queue: The queue that runs the handler.
    /// - Returns: An executor that hands its work to the queue.
    public static func queue(_ queue: DispatchQueue) -> Executor { Executor(kind: .queue(queue)) }
    #endif

    /// Wherever `enqueue` puts it: an event loop, a thread pool, a test's list.
    ///
    /// - Parameter enqueue: Gets the work and has it run exactly once, sooner or later, on any thread; at once is fine.
    public init(_ enqueue: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
      self.init(kind: .custom(enqueue))
    }

    var isInline: Bool {
      if case .inline = kind { true } else { false }
    }

    /// Hands work to the executor.
    func run(_ work: @escaping @Sendable () -> Void) {
      switch kind {
      case .inline: work()
      #if canImport(Dispatch)
      case .queue(let queue): queue.async(execute: work)
      #endif
      case .custom(let enqueue): enqueue(work)
      }
    }

    /// Somewhere that is never the calling thread's stack: where work goes that must not wait for its caller.
    static func elsewhere(_ work: @escaping @Sendable () -> Void) {
      #if canImport(Dispatch)
      DispatchQueue.global().async(execute: work)
      #else
      Task.detached { work() }
      #endif
    }

    /// The same, some time from now.
    static func elsewhere(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
      #if canImport(Dispatch)
      DispatchQueue.global().asyncAfter(deadline: .now() + delay.dispatchInterval, execute: work)
      #else
      Task.detached {
        try? await Task.sleep(for: delay)
        work()
      }
      #endif
    }
  }

  /// The main actor, as the place where a handler runs.
  ///
  /// A type of its own, so that `on: .main` picks the overload whose closure is `@MainActor`, and the compiler lets it
  /// touch what belongs to the main actor.
  public struct MainExecutor: Sendable {
    /// The main actor. Handlers run in the order in which they were handed over.
    public static let main = MainExecutor()

    /// The same place for closures of which the compiler no longer knows that they are the main actor's.
    ///
    /// The main queue, not a `Task`: the tasks of one actor may overtake each other, a queue's items don't.
    @usableFromInline
    var executor: Executor {
      #if canImport(Dispatch)
      .queue(.main)
      #else
      Executor { work in Task { @MainActor in work() } }
      #endif
    }
  }
}
