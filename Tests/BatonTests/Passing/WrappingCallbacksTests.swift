// Callbacks of any shape, wrapped so that calling them hands a pass back.

import Foundation
import Testing

@testable import Baton

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Something that belongs to one thread.
private final class Unshared {
  var number = 0
}

@Suite struct WrappingCallbacksTests {
  let log = EventLog()
  let ran = Log<String>()

  // MARK: Shapes

  @Test func `takes zero to five arguments`() {
    let baton = Baton()
    let none: @Sendable () -> Void = baton.pass { ran.add("0") }
    let one = baton.pass { (a: Int) in ran.add("\(a)") }
    let two = baton.pass("two") { (a: Int, b: String) in ran.add("\(a)\(b)") }
    let three = baton.pass("three") { (a: Int, b: String, c: Bool) in ran.add("\(a)\(b)\(c)") }
    let four = baton.pass { (a: Int, b: Int, c: Int, d: Int) in ran.add("\(a)\(b)\(c)\(d)") }
    let five = baton.pass { (a: Int, b: Int?, c: [Int], d: Int, e: any Error) in ran.add("\(a)\(b ?? 0)\(c)\(d)\(e)") }
    #expect(baton.tally.outstanding == 6)
    none()
    one(1)
    two(1, "b")
    three(1, "b", true)
    four(1, 2, 3, 4)
    #expect(baton.tally.outstanding == 1)
    five(1, nil, [3], 4, SomeError(5))
    #expect(ran.all == ["0", "1", "1b", "1btrue", "1234", "10[3]4error 5"])
    #expect(baton.outcomeIfComplete?.isCancelled == false)
  }

  @Test func `takes what URLSession gives`() throws {
    /// The signature of URLSession's `dataTask(with:completionHandler:)`.
    func load(_ url: URL?, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) {
      guard let url else { return completionHandler(nil, nil, SomeError(404)) }
      let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 3, textEncodingName: nil)
      completionHandler(Data([1, 2, 3]), response, nil)
    }
    let baton = Baton()
    baton.pass()
    let url = try #require(URL(string: "https://example.com/logo.png"))
    for url in [url, nil] {
      load(
        url,
        completionHandler: baton.pass(url?.lastPathComponent ?? "nowhere") { data, response, error in
          if let error { throw error }
          ran.add("\(data?.count ?? 0) of \(response?.expectedContentLength ?? 0)")
        })
    }
    baton.finish()
    #expect(ran.all == ["3 of 3"])
    #expect(baton.outcomeIfComplete?.failures.map(\.path) == [["nowhere"]])
    #expect(baton.outcomeIfComplete?.numbers == [404])
  }

  @Test func `takes a Result`() {
    let baton = Baton()
    let good = baton.pass("good") { (result: Result<String, any Error>) in ran.add(try result.get()) }
    let bad = baton.pass("bad") { (result: Result<String, any Error>) in ran.add(try result.get()) }
    good(.success("here"))
    bad(.failure(SomeError(1)))
    #expect(ran.all == ["here"])
    #expect(baton.outcomeIfComplete?.failures.map(\.path) == [["bad"]])
  }

  @Test func `takes what is not Sendable`() {
    let baton = Baton()
    let callback = baton.pass { (thing: Unshared, number: Int) in thing.number += number }
    let thing = Unshared()
    callback(thing, 5)
    #expect(thing.number == 5)
    #expect(baton.isComplete)
  }

  // MARK: Settling (section 3; rules 2 to 5)

  /// BEHAVIOURS 29.
  @Test func `the handler runs before its pass is handed back, so before the completion`() {
    let baton = Baton { _ in ran.add("completion") }
    let callback = baton.pass { [unowned baton] in
      ran.add("handler, \(baton.tally.outstanding) out")
      baton.pass("nested") { ran.add("nested") }()
    }
    callback()
    #expect(ran.all == ["handler, 1 out", "nested", "completion"])
  }

  @Test func `a tree of work that nobody counted ends once`() async {
    /// Names its parts, and calls back from anywhere.
    @Sendable func query(_ path: String, completion: @escaping @Sendable ([String]?, (any Error)?) -> Void) {
      DispatchQueue.global().async {
        completion(path.count < 4 ? ["a", "b", "c"].map { path + $0 } : [], path == "abca" ? SomeError(1) : nil)
      }
    }
    @Sendable func follow(_ baton: Baton, _ path: String) {
      query(
        path,
        completion: baton.pass(path) { [unowned baton] parts, error in
          ran.add(path)
          if let error { throw error }
          for part in parts ?? [] { follow(baton, part) }
        })
    }
    let completed = Counter()
    let baton = Baton(name: "Tree", observer: log) { _ in completed.add() }
    follow(baton, "")
    let outcome = await baton.ending
    #expect(outcome?.failures.map(\.path) == [["Tree", "abca"]])
    #expect(ran.count == 1 + 3 + 9 + 27 + 81 && completed.value == 1)
    #expect(log.misuses.isEmpty)
  }

  @Test func `what the handler throws cancels, with the label and the place`() {
    let baton = Baton(name: "Query", observer: log)
    let line: UInt = #line + 1
    let callback = baton.pass("logo.png") { (_: Int) in throw SomeError(3) }
    callback(1)
    let failure = baton.outcomeIfComplete?.failures.first
    #expect(failure?.error as? SomeError == SomeError(3))
    #expect(failure?.path == ["Query", "logo.png"])
    #expect(failure?.location?.description == "\(#fileID):\(line)")
    #expect(log.misuses.isEmpty)
  }

  @Test func `a CancellationError that the handler throws after a cancel is noise`() {
    let baton = Baton()
    let callback = baton.pass { throw CancellationError() }
    baton.cancelAll(SomeError(1))
    callback()
    #expect(baton.outcomeIfComplete?.failures.count == 1)
  }

  @Test func `the handler runs also when the baton is cancelled`() {
    let baton = Baton(observer: log)
    let callback = baton.pass { (number: Int) in ran.add("\(number)") }
    baton.cancelAll()
    callback(1)
    #expect(ran.all == ["1"])
    #expect(baton.outcomeIfComplete?.failures.isEmpty == true)
    #expect(log.misuses.isEmpty)
  }

  @Test func `wrapping for a complete baton traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass {}()
      _ = baton.pass("late") {}
    }
    expect(result, says: "Query", "was passed after it completed", "1 passed, 1 settled")
  }

  // MARK: Misuse (BEHAVIOURS 37)

  @Test func `called twice, it does nothing the second time, and is reported once`() {
    let baton = Baton(name: "Query", observer: log)
    baton.pass()
    let line: UInt = #line + 1
    let callback = baton.pass("logo.png") { (number: Int) in ran.add("\(number)") }
    callback(1)
    callback(2)
    #expect(ran.all == ["1"])
    #expect(baton.tally.outstanding == 1)
    expectOneMisuse(log, .settledTwice, label: "logo.png", line: line)
    baton.finish()
    #expect(baton.outcomeIfComplete?.isCancelled == false)
  }

  @Test func `called from within itself, it does nothing the second time`() {
    let baton = Baton(observer: log)
    let again = Holder<@Sendable () -> Void>(nil)
    let callback = baton.pass {
      ran.add("ran")
      again.take()?()
    }
    again.put(callback)
    callback()
    #expect(ran.count == 1 && log.misuses.count == 1)
    #expect(baton.isComplete)
  }

  @Test func `called by two threads at once, it runs its handler once`() async {
    struct Round: Sendable {
      let log = EventLog()
      let runs = Counter()
      let callback = Holder<@Sendable () -> Void>(nil)
    }
    let failed = await race(
      { _ -> Round in
        let round = Round()
        round.callback.put(Baton(observer: round.log).pass { [runs = round.runs] in runs.add() })
        return round
      },
      { round in round.callback.current?() },
      { round in round.callback.current?() },
      check: { $0.runs.value == 1 && $0.log.misuses.map(\.kind) == [.settledTwice] })
    #expect(failed == 0)
  }

  @Test func `dropped without a call, it is cancelled with an AbandonedError, and reported once`() {
    let baton = Baton(name: "Query", observer: log)
    let line: UInt = #line + 1
    var callback: (@Sendable () -> Void)? = baton.pass("logo.png", OnDeinit { ran.add("let go") }.handler())
    #expect(callback != nil && !baton.isComplete)
    callback = nil
    #expect(ran.all == ["let go"])
    let failures = baton.outcomeIfComplete?.failures ?? []
    #expect(failures.map { $0.error as? Baton.AbandonedError } == [Baton.AbandonedError(outstanding: 1)])
    #expect(failures.first?.path == ["Query", "logo.png"])
    #expect(failures.first?.location?.description == "\(#fileID):\(line)")
    expectOneMisuse(log, .dropped, label: "logo.png", line: line)
  }

  @Test func `called after abandonment, its handler runs, nothing counts, and it is reported once`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    let callback = baton.pass("logo.png") {
      ran.add("ran")
      throw SomeError(2)
    }
    baton.abandon(SomeError(1))
    callback()
    #expect(ran.all == ["ran"])
    #expect(baton.outcomeIfComplete?.numbers == [1])
    expectOneMisuse(log, .late, label: "logo.png", line: line)
  }

  @Test func `wrapped after abandonment, its handler runs, and all is silent`() {
    let baton = Baton(observer: log)
    baton.abandon()
    baton.pass("late") { ran.add("ran") }()
    _ = baton.pass("never called") { ran.add("never") }
    #expect(ran.all == ["ran"])
    #expect(log.misuses.isEmpty)
  }
}
