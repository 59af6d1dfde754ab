// Joining work to a baton without touching the code that starts it.

import Dispatch
import Testing

@testable import Baton

/// A network layer, written once, and code on top of it that knows of no baton.
private struct Layer: Sendable {
  let queue = DispatchQueue(label: "network", attributes: .concurrent)

  func get(_ path: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
    let completion = Baton.join(completion, label: path, failure: { _, error in error })
    queue.async { completion(path, path.hasSuffix("!") ? SomeError(path.count) : nil) }
  }

  /// Gets a path and, from its callback, what is below it.
  func screen(_ path: String, depth: Int, _ log: Log<String>) {
    get(path) { path, _ in
      log.add("\(path ?? "?") of \(Baton.current?.name ?? "nobody")")
      guard depth > 0, let path else { return }
      for part in ["a", "b"] { screen(path + part, depth: depth - 1, log) }
    }
  }
}

/// Section 8; BEHAVIOURS 34.
@Suite(.timeLimit(.minutes(10))) struct CapturingTests {
  let log = EventLog()
  let ran = Log<String>()

  // MARK: Inside

  @Test func `a baton is current while the body runs, which holds a pass of it`() throws {
    let baton = Baton(name: "Screen")
    #expect(Baton.current == nil)
    let number = baton.capture {
      #expect(Baton.current === baton)
      return baton.tally.outstanding
    }
    #expect(number == 1 && Baton.current == nil)
    #expect(baton.outcomeIfComplete?.isCancelled == false)
    let failing = Baton()
    #expect(throws: SomeError(1)) { try failing.capture { throw SomeError(1) } }
    #expect(failing.isComplete && !failing.isCancelled && Baton.current == nil)
  }

  @Test func `the async form does the same, across suspensions, on the caller's actor`() async throws {
    let baton = Baton(name: "Screen")
    let gate = Gate()
    async let number = baton.capture {
      await gate.wait()
      #expect(Baton.current === baton)
      return await Task { Baton.current === baton ? baton.tally.outstanding : -1 }.value
    }
    await until { baton.tally.outstanding == 1 }
    gate.open()
    #expect(await number == 1 && Baton.current == nil)
    #expect(baton.outcomeIfComplete?.isCancelled == false)
    let failing = Baton()
    await #expect(throws: SomeError(1)) {
      try await failing.capture {
        await Task.yield()
        throw SomeError(1)
      }
    }
    #expect(failing.isComplete && !failing.isCancelled)
  }

  @MainActor @Test func `the async form stays on its caller's actor`() async {
    var names: [String?] = []
    let baton = Baton(name: "Screen")
    await baton.capture {
      await Task.yield()
      MainActor.assertIsolated()
      names.append(Baton.current?.name)
    }
    #expect(names == ["Screen"])
  }

  @Test func `every request made inside joins, and so do those that its callbacks make`() async {
    let baton = Baton(name: "Screen", observer: log)
    baton.capture { Layer().screen("/", depth: 3, ran) }
    #expect(await baton.ending?.isCancelled == false)
    #expect(baton.tally.passed == 1 + 15 && ran.count == 15)
    #expect(ran.all.allSatisfy { $0.hasSuffix(" of Screen") })
    #expect(log.misuses.isEmpty)
  }

  @Test func `a callback runs before its pass is handed back, with the baton as the current one`() {
    let baton = Baton(name: "Screen") { _ in ran.add("completion of \(Baton.current?.name ?? "nobody")") }
    let callback = baton.capture {
      Baton.join { [unowned baton] (number: Int) in
        ran.add("\(number), \(baton.tally.outstanding) out, \(Baton.current === baton)")
      }
    }
    #expect(Baton.current == nil && !baton.isComplete)
    callback(7)
    #expect(ran.all == ["7, 1 out, true", "completion of nobody"])
    #expect(Baton.current == nil)
  }

  @Test func `a callback has the label and the place that the layer gave it`() {
    let baton = Baton(name: "Screen", observer: log)
    baton.capture { _ = Baton.join({ (_: Int) in }, label: "dropped", fileID: "Layer/Get.swift", line: 12) }
    expectOneMisuse(log, .dropped, label: "dropped", line: 12, fileID: "Layer/Get.swift")
    #expect(baton.outcomeIfComplete?.failures.map(\.path) == [["Screen", "dropped"]])
  }

  @Test func `a request of a layer may start with the baton's limit`() {
    let baton = Baton(limit: 1)
    let passes = Log<Baton.Pass>()
    baton.capture { for _ in 0..<2 { Baton.current?.start { passes.add($0) } } }
    #expect(passes.count == 1)
    passes.all[0].finish()
    #expect(passes.count == 2)
    passes.all[1].finish()
    #expect(baton.isComplete)
  }

  // MARK: Failures

  @Test func `the failure variant looks at the arguments, after the callback, for an error to cancel with`() {
    let baton = Baton(name: "Screen")
    let failure: @Sendable (String?, (any Error)?) -> (any Error)? = { text, error in
      ran.add("failure of \(text ?? "none")")
      return error
    }
    let line: UInt = #line + 2
    let callbacks = baton.capture {
      ["fine", "bad"].map { Baton.join(note, label: $0, failure: failure) }
    }
    callbacks[0]("fine", nil)
    #expect(!baton.isCancelled && !baton.isComplete)
    callbacks[1](nil, SomeError(1))
    #expect(ran.all == ["fine", "failure of fine", "none", "failure of none"])
    let outcome = baton.outcomeIfComplete
    #expect(outcome?.failures.map(\.path) == [["Screen", "bad"]] && outcome?.numbers == [1])
    #expect(outcome?.failures.first?.location?.description == "\(#fileID):\(line)")
  }

  private var note: @Sendable (String?, (any Error)?) -> Void { { text, _ in ran.add(text ?? "none") } }

  @Test func `errors of captured requests cancel their group and no other`() async {
    let (good, bad) = (Baton(name: "good"), Baton(name: "bad"))
    let layer = Layer()
    good.capture { layer.screen("/", depth: 2, ran) }
    bad.capture {
      layer.screen("/", depth: 2, ran)
      layer.get("/broken!") { _, _ in }
    }
    #expect(await good.ending?.isCancelled == false)
    #expect(await bad.ending?.failures.map(\.path) == [["bad", "/broken!"]])
  }

  // MARK: Twice (BEHAVIOURS 37)

  @Test func `a second call of a joined callback runs, as it would without a capture, and is reported once`() {
    let baton = Baton(name: "Screen", observer: log)
    baton.pass()
    let line: UInt = #line + 1
    let callback = baton.capture { Baton.join({ (number: Int) in ran.add("\(number)") }, label: "get") }
    callback(1)
    callback(2)
    #expect(ran.all == ["1", "2"] && baton.tally.outstanding == 1)
    expectOneMisuse(log, .settledTwice, label: "get", line: line)
    baton.finish()
  }

  @Test func `a second call with an error runs, is reported once, and cancels nothing`() {
    let baton = Baton(name: "Screen", observer: log)
    baton.pass()
    let line: UInt = #line + 1
    let callback = baton.capture { Baton.join(note, label: "get", failure: { _, error in error }) }
    callback("one", nil)
    callback("two", SomeError(1))
    #expect(ran.all == ["one", "two"] && baton.tally.outstanding == 1 && !baton.isCancelled)
    expectOneMisuse(log, .settledTwice, label: "get", line: line)
    baton.finish()
  }

  @Test func `a call after abandonment runs, and is reported once`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    let callback = baton.capture { Baton.join({ ran.add("ran") }, label: "get") }
    baton.abandon()
    callback()
    #expect(ran.count == 1)
    expectOneMisuse(log, .late, label: "get", line: line)
  }
}
