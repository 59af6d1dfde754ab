// Who is told of misuse, and in which words.

import Testing

@testable import Baton

/// Section 10; BEHAVIOURS 37. What is misuse, and that it is reported once, is tested where it can happen.
@Suite struct MisuseTests {
  private func misuse(
    _ kind: Baton.Misuse.Kind, path: [String] = ["Query"], label: String? = nil, line: UInt? = nil, outstanding: Int = 1
  ) -> String {
    let location = line.map { Baton.Location(fileID: "App/Search.swift", line: $0) }
    return Baton.Misuse(kind: kind, path: path, label: label, location: location, outstanding: outstanding).description
  }

  // MARK: Words

  @Test func `names baton, label, file and line`() {
    #expect(
      misuse(.dropped, label: "logo.png", line: 12)
        == #"Baton "Query": pass "logo.png" (App/Search.swift:12) was dropped without being settled"#)
    #expect(
      misuse(.settledTwice, path: ["Tree", "Branch"], label: "logo.png", line: 12)
        == #"Baton "Tree › Branch": pass "logo.png" (App/Search.swift:12) was settled twice"#)
    #expect(
      misuse(.late, label: "logo.png", line: 12)
        == #"Baton "Query": pass "logo.png" (App/Search.swift:12) was settled after the baton had been abandoned"#)
    #expect(misuse(.late, path: [], line: 12).hasPrefix("Baton: pass (App/Search.swift:12) was settled after"))
    #expect(misuse(.settledTwice, path: []) == "Baton: pass was settled twice")
    #expect(misuse(.abandoned, outstanding: 1) == #"Baton "Query": was let go with 1 pass out"#)
    #expect(misuse(.abandoned, outstanding: 3) == #"Baton "Query": was let go with 3 passes out"#)
  }

  // MARK: The observer

  @Test func `is told to the observer of an ancestor, with the whole path`() {
    let log = EventLog()
    let root = Baton(name: "Tree", observer: log)
    let pass = root.makeChild(name: "Branch").makePass("leaf")
    pass.finish()
    pass.finish()
    #expect(log.misuses.map(\.path) == [["Tree", "Branch"]])
    #expect(log.lines.last == "Branch: misused: settledTwice")
  }

  /// Rule 3.
  @Test func `a baton that is let go with bare passes out is reported once, with their number`() {
    let log = EventLog()
    let completed = Counter()
    var baton: Baton? = Baton(name: "Query", observer: log) { cancelled in completed.add(cancelled ? 1 : 100) }
    baton?.pass(count: 3)
    baton?.finish()
    baton = nil
    #expect(log.misuses.map(\.kind) == [.abandoned])
    #expect(log.misuses.map(\.outstanding) == [2] && log.misuses.map(\.path) == [["Query"]])
    #expect(log.misuses.first?.label == nil && log.misuses.first?.location == nil)
    #expect(completed.value == 1)
  }

  @Test func `all is silent when all is well`() async {
    let log = EventLog()
    do {
      let baton = Baton(name: "Query", limit: 2, observer: log)
      baton.withPass {
        baton.pass("a") {}()
        baton.start { $0.finish() }
        baton.addTask {}
        baton.makePass().finish()
        baton.capture { Baton.join {}() }
        _ = baton.makeChild().makePass().tryFinish()
        _ = baton.makeChild()
        baton.makeChild(cancellation: .contained).cancelAll()
      }
      #expect(await baton.ending?.isCancelled == false)
    }
    // Never passed, cancelled and never passed, complete and let go.
    _ = Baton(observer: log)
    Baton(observer: log).cancelAll()
    Baton(observer: log).withPass {}
    Baton(observer: log).abandon()
    #expect(log.misuses.isEmpty)
  }

  // MARK: The handler for the whole process: in a process of its own

  @Test func `by default each is one line on standard error`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query")
      baton.pass()
      let twice = baton.makePass("twice", fileID: "App/Search.swift", line: 1)
      twice.finish()
      twice.finish()
      _ = baton.makePass("dropped", fileID: "App/Search.swift", line: 2)
      let late = baton.pass("late", fileID: "App/Search.swift", line: 3) {}
      baton.abandon()
      late()
      let bare = Baton(name: "Bare")
      bare.pass(count: 2)
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("Baton") } == [
        #"Baton "Query": pass "twice" (App/Search.swift:1) was settled twice"#,
        #"Baton "Query": pass "dropped" (App/Search.swift:2) was dropped without being settled"#,
        #"Baton "Query": pass "late" (App/Search.swift:3) was settled after the baton had been abandoned"#,
        #"Baton "Bare": was let go with 2 passes out"#,
      ])
  }

  @Test func `standard error stays empty when all is well`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let baton = Baton(name: "Query", limit: 1)
      baton.withPass {
        baton.pass("a") {}()
        baton.addTask { throw SomeError() }
        for _ in 0..<3 { baton.addTask {} }
      }
      _ = await baton.outcome
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("Baton \""))
  }

  @Test func `a handler of one's own is told instead, until the default is set again`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let told = Log<Baton.Misuse>()
      func misuse(_ label: String) { _ = Baton(name: "Query").makePass(label) }
      Baton.onMisuse { told.add($0) }
      misuse("first")
      Baton.onMisuse { _ in }
      misuse("second")
      Baton.onMisuse(nil)
      misuse("third")
      precondition(told.all.map(\.label) == ["first"] && told.all.map(\.kind) == [.dropped])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("third") && !text.contains("first") && !text.contains("second"))
  }

  /// Rule 7.
  @Test func `the handler is called, and let go, outside any lock`() async {
    await #expect(processExitsWith: .success) {
      let calls = Counter()
      let baton = Baton(name: "Query")
      baton.pass()
      let letGo = OnDeinit { Baton.onMisuse { _ in calls.add(100) } }
      Baton.onMisuse { [letGo] _ in
        _ = (letGo, baton.tally)
        if calls.add() == 1 { _ = baton.makePass("nested") }
      }
      _ = baton.makePass("dropped")
      precondition(calls.value == 2)
      baton.finish()
    }
    await #expect(processExitsWith: .success) {
      let calls = Counter()
      Baton.onMisuse(OnDeinit { Baton.onMisuse { _ in calls.add() } }.handler())
      Baton.onMisuse(nil)
      _ = Baton().makePass()
      precondition(calls.value == 1)
    }
  }

  @Test func `observers are told also when there is a handler`() async {
    await #expect(processExitsWith: .success) {
      let (log, told) = (EventLog(), Counter())
      Baton.onMisuse { _ in told.add() }
      _ = Baton(observer: log).makePass()
      precondition(log.misuses.count == 1 && told.value == 1)
    }
  }
}
