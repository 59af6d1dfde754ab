// One load: how it is settled, and what happens if it is not. (CascadePass.swift)

import Dispatch
import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct CascadePassTests {
  typealias Cascade = Baton.Cascade<String, Int>

  let log = EventLog()

  /// The report of one load, and what was reported of it.
  private func report(_ load: @escaping @Sendable (Cascade.Pass) -> Void) async -> Cascade.Report {
    let cascade = Cascade(name: "C", observer: log) { id, pass in
      id == "a" ? load(pass) : pass.finish(.init(0, children: []))
    }
    return await cascade.run(["a"])
  }

  @Test func `a load finishes with what it brought, or fails with why not`() async {
    #expect(await report { $0.finish(.init(1, children: ["b"])) }.resources == ["a": 1, "b": 0])
    #expect(
      await report { $0.finish(with: Result<_, SomeError>.success(.init(1, children: []))) }.resources == ["a": 1])
    #expect(await report { $0.finish(with: Result<_, SomeError>.failure(SomeError(2))) }.outcome.numbers == [2])
    #expect(await report { $0.cancel(SomeError(3)) }.failures["a"] as? SomeError == SomeError(3))
    #expect(await report { $0.cancel() }.failures["a"] is CancellationError)
    #expect(log.misuses.isEmpty)
  }

  @Test func `failures and misuse name the place where the cascade is described`() async {
    let line: UInt = #line + 1
    let cascade = Cascade(name: "C", observer: log) { id, pass in if id == "b" { pass.cancel(SomeError()) } }
    let failures = await cascade.run(["a", "b"]).outcome.failures
    #expect(failures.map { $0.location?.description } == ["\(#fileID):\(line)", "\(#fileID):\(line)"])
    expectOneMisuse(log, .dropped, label: "a", line: line)
    let asyncLine: UInt = #line + 1
    let byTasks = Cascade { _ in throw SomeError() }
    #expect(await byTasks.run(["a"]).outcome.failures.first?.location?.line == asyncLine)
  }

  @Test func `an observer is told of each load by its id`() async {
    _ = await report { $0.finish(.init(1, children: ["b"])) }
    let lines = ["C: passed a", "C: settled a", "C: passed b", "C: settled b"]
    #expect(Set(log.lines).isSuperset(of: lines) && log.lines.last == "C: completed")
  }

  @Test func `children may be any sequence`() async {
    #expect(await report { $0.finish(.init(1, children: Set(["b"]))) }.resources.count == 2)
    #expect(await report { $0.finish(.init(1, children: ["a": "b"].values)) }.resources.count == 2)
  }

  @Test func `a callback of any shape settles the load`() async {
    let other: @Sendable (Cascade.Pass) -> Void = { pass in
      let callback = pass.callback { (number: Int, names: [String]) in .init(number, children: names) }
      DispatchQueue.global().async { callback(7, ["b"]) }
    }
    #expect(await report(other).resources == ["a": 7, "b": 0])
    let failing: @Sendable (Cascade.Pass) -> Void = { pass in pass.callback { () in throw SomeError(4) }() }
    #expect(await report(failing).outcome.numbers == [4])
    #expect(log.misuses.isEmpty)
  }

  @Test func `a callback that is called twice does nothing then, and is reported`() async {
    let called = Counter()
    let report = await report { pass in
      let callback = pass.callback { (number: Int) in
        called.add()
        return .init(number, children: [])
      }
      callback(1)
      callback(2)
    }
    #expect(report.resources == ["a": 1] && called.value == 1)
    #expect(log.misuses.map(\.kind) == [.settledTwice])
    #expect(log.misuses.first?.label == "a" && log.misuses.first?.path == ["C"])
  }

  @Test func `the first settle counts, and a second is reported`() async {
    let report = await report { pass in
      pass.finish(.init(1, children: []))
      pass.cancel(SomeError(2))
      pass.finish(.init(3, children: []))
    }
    #expect(report.resources == ["a": 1] && report.failures.isEmpty)
    #expect(log.misuses.map(\.kind) == [.settledTwice, .settledTwice])
  }

  @Test func `an honest race is not reported`() async {
    let tries = Log<Bool>()
    let report = await report { pass in
      tries.add(pass.tryFinish(with: Result<Cascade.Loaded, SomeError>.failure(SomeError(1))))
      tries.add(pass.tryFinish(with: Result<Cascade.Loaded, SomeError>.success(.init(2, children: []))))
    }
    #expect(tries.all == [true, false])
    #expect(report.outcome.numbers == [1] && log.misuses.isEmpty)
  }

  @Test func `a load that is let go is a failure, and is reported`() async {
    let report = await report { _ in }
    #expect(report.failures["a"] as? Baton.AbandonedError == Baton.AbandonedError(outstanding: 1))
    #expect(report.outcome.failures.map(\.path) == [["C", "a"]])
    #expect(log.misuses.map(\.kind) == [.dropped])
    #expect(log.misuses.first?.label == "a")
  }

  @Test func `a wrapped callback that is let go is a failure, and is reported`() async {
    let report = await report { pass in _ = pass.callback { (number: Int) in .init(number, children: []) } }
    #expect(report.failures["a"] is Baton.AbandonedError)
    #expect(log.misuses.map(\.kind) == [.dropped])
  }

  @Test func `a load hears of the run's cancellation while it is out, and only then`() {
    let heard = Log<String>()
    let loads = HeldLoads(Tree(children: ["a": ["b"]]))
    let run = Reported(loads.cascade(), ["a", "c"])
    let (a, c) = (loads.take("a"), loads.take("c"))
    a?.onCancel { heard.add("a") }
    c?.onCancel { heard.add("c") }
    a?.finish(.init("a", children: []))
    #expect(c?.isCancelled == false && c?.attemptCount == 1)
    run.baton.cancelAll()
    #expect(heard.all == ["c"] && c?.isCancelled == true)
    c?.onCancel { heard.add("late") }
    #expect(heard.all == ["c", "late"])
    c?.finish(.init("c", children: []))
    c?.onCancel { heard.add("settled") }
    #expect(heard.all == ["c", "late"])
  }

  @Test func `an onCancel handler may settle its load`() {
    let loads = HeldLoads(Tree<String>(children: [:]))
    let run = Reported(loads.cascade(), ["a"])
    let pass = loads.take("a")
    pass?.onCancel { pass?.cancel(SomeError(1)) }
    run.baton.cancelAll(SomeError(0))
    #expect(run.report?.outcome.numbers == [0, 1])
    #expect(run.report?.failures["a"] as? SomeError == SomeError(1))
  }

  /// Labels are made for observers; reports have them all the same. In a process of its own, as who is told is global.
  @Test func `without an observer, what is reported names the id`() async {
    await #expect(processExitsWith: .success) {
      let (told, held) = (Log<Baton.Misuse>(), Log<Cascade.Pass>())
      Baton.onMisuse { told.add($0) }
      let cascade = Cascade { id, pass in
        switch id {
        case "late": held.add(pass)
        case "twice": for _ in 0..<2 { pass.finish(.init(0, children: [])) }
        default: break
        }
      }
      let baton = cascade.start(["twice", "dropped", "late"]) { _ in }
      baton.abandon()
      held.all.first?.finish(.init(0, children: []))
      held.removeAll()  // The load holds the log, and a pass the load.
      let reports = Set(told.all.map { "\($0.kind) \($0.label ?? "-")" })
      precondition(reports == ["settledTwice twice", "dropped dropped", "late late"], "\(reports)")
    }
  }
}
