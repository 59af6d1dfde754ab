// Event loops as executors, futures as passes.
import Baton
@testable import Bridges
import NIOCore
import NIOPosix
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventLoopsTests {
  private let loop = MultiThreadedEventLoopGroup.singleton.next()

  @Test func `the completion and the handlers run on the loop, in order`() async {
    let places = Mutex<[String]>([])
    let note: @Sendable (String) -> Void = { [loop] what in
      places.withLock { $0.append(loop.inEventLoop ? what : "\(what), elsewhere") }
    }
    let baton = Baton(name: "Query", on: .eventLoop(loop)) { _ in note("completion") }
    for number in 1...3 { baton.onCompletion(on: .eventLoop(loop)) { _ in note("handler \(number)") } }
    baton.withPass {}
    // Behind all of them.
    try? await loop.submit {}.get()
    #expect(places.withLock { $0 } == ["completion", "handler 1", "handler 2", "handler 3"])
  }

  @Test func `a promise that is kept hands the pass back, one that is broken cancels with its error`() async {
    let baton = Baton(name: "Query")
    let kept = baton.makePass("kept").promise(of: Int.self, on: loop)
    let broken = baton.makePass("broken").promise(on: loop)
    #expect(baton.tally.outstanding == 2)
    kept.succeed(1)
    broken.fail(SomeError())
    let failures = await baton.outcome.failures
    #expect(failures.map(\.path) == [["Query", "broken"]] && failures.first?.error as? SomeError == SomeError())
  }

  @Test func `a baton waits for futures that join it, after their own callbacks`() async throws {
    let baton = Baton(name: "Query")
    let promises = (0..<3).map { _ in loop.makePromise(of: Int.self) }
    let sum = Mutex(0)
    let line = UInt(#line + 4)
    for (number, promise) in promises.enumerated() {
      promise.futureResult
        .map { value in sum.withLock { $0 += value } }
        .joining(baton, "\(number)")
    }
    for promise in promises.dropLast() { promise.succeed(1) }
    try await loop.submit {}.get()
    #expect(baton.tally.outstanding == 1)
    promises[2].succeed(5)
    #expect(await baton.outcome.isCancelled == false)
    #expect(sum.withLock { $0 } == 7)
    let late = Baton()
    loop.makeFailedFuture(SomeError()).map { 0 }.joining(late, "late", line: line)
    #expect(await late.outcome.failures.map(\.location?.line) == [line])
  }

  @Test func `an outcome is a future, of success, of the first failure, or of a plain cancellation`() async throws {
    let finished = Baton()
    let future = finished.completion(on: loop)
    finished.withPass {}
    try await future.get()
    let failed = Baton()
    let failure = failed.completion(on: loop)
    failed.withPass { _ = failed.cancelAll(SomeError()) }
    await #expect(throws: SomeError.self) { try await failure.get() }
    let cancelled = Baton()
    cancelled.withPass { _ = cancelled.cancelAll() }
    await #expect(throws: CancellationError.self) { try await cancelled.completion(on: loop).get() }
  }

  @Test func `a future of the outcome doesn't keep the baton, and is kept when that is let go`() async {
    let future = Baton(name: "Never passed").completion(on: loop)
    await #expect(throws: Never.self) { try await future.get() }
  }
}
