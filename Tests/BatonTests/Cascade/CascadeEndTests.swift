// How a run of a cascade ends: cancelled, abandoned, left, forgotten. (CascadeRun.swift)

import Testing

@testable import Baton

@Suite(.timeLimit(.minutes(10))) struct CascadeEndTests {
  typealias Loads = HeldLoads<String>

  // MARK: Cancelling

  @Test func `after a cancellation nothing starts, what runs comes back, and all branches are reported`() {
    let loads = Loads(Tree(children: ["a": ["x"], "b": ["y"]]))
    let limit = Baton.Limiter(2)
    let run = Reported(loads.cascade(name: "C", limit: limit), ["done", "a", "b", "c"])
    loads.comeBack("done")
    #expect(loads.out == ["a", "b"])
    #expect(run.baton.cancelAll(SomeError(1)))
    #expect(run.complete == ["done", "c"] && run.reportCount == 0)
    loads.comeBack("b")
    #expect(run.complete == ["done", "c", "b"])
    loads.comeBack("a")
    #expect(loads.started == ["done", "a", "b"] && limit.counts == (0, 0))
    #expect(run.complete == ["done", "c", "b", "a"])
    let report = run.report
    #expect(report?.resources.keys.sorted() == ["a", "b", "done"])
    #expect(report?.failures.isEmpty == true && report?.outcome.numbers == [1])
    #expect(report?.branches["done"]?.outcome.isCancelled == false)
    #expect(report?.branches.values.count { $0.outcome.isCancelled && $0.outcome.failures.isEmpty } == 3)
  }

  @Test func `a run that is cancelled when all is there says so, and its branches don't`() {
    let loads = Loads(Tree(children: [:]))
    let run = Reported(loads.cascade(), ["a"])
    run.baton.cancelAll()
    loads.comeBack("a")
    #expect(run.report?.outcome.isCancelled == true && run.report?.branches["a"]?.outcome.isCancelled == false)
  }

  /// Rule 5: what a cancelled task throws is noise; any other error is not.
  @Test func `what fails after a cancellation is recorded, unless it is only the cancellation`() {
    let loads = Loads(Tree(children: [:], failing: ["b"]))
    let run = Reported(loads.cascade(name: "C"), ["a", "b"])
    run.baton.cancelAll()
    loads.take("a")?.cancel()
    loads.comeBack("b")
    #expect(run.report?.outcome.failures.map(\.path) == [["C", "b"]])
    #expect(run.report?.failures.keys.sorted() == ["b"])
    #expect(run.report?.branches["a"]?.outcome.failures.isEmpty == true)
    #expect(run.report?.branches["a"]?.outcome.isCancelled == true)
  }

  @Test func `tasks that load are cancelled with the run`() async {
    let (gate, started) = (Gate(), Counter())
    let cascade = Tree<String>.Cascade(limit: 2) { id in
      started.add()
      await gate.wait()
      try Task.checkCancellation()
      return .init(id, children: [])
    }
    let reported = Log<Tree<String>.Cascade.Report>()
    let baton = cascade.start(["a", "b", "c"]) { reported.add($0) }
    await until { started.value == 2 }
    baton.cancelAll()
    #expect(await baton.ending?.isCancelled == true)
    #expect(started.value == 2)
    #expect(reported.all.first?.resources.isEmpty == true && reported.all.first?.branches.count == 3)
  }

  @Test func `cancelling the task that runs a cascade cancels the run, which comes back with its report`() async {
    let (gate, started) = (Gate(), Counter())
    let cascade = Tree<String>.Cascade(limit: 1) { id in
      started.add()
      await gate.wait()
      return .init(id, children: ["x"])
    }
    let task = Task { await cascade.run(["a", "b"]) }
    await until { started.value == 1 }
    task.cancel()
    let report = await task.value
    #expect(report.outcome.isCancelled && report.resources == ["a": "a"])
    #expect(report.branches.values.allSatisfy { $0.outcome.isCancelled })
  }

  /// The cancellation settles all there is, and with it the run, while the roots are still being looked at.
  @Test func `a run in a task that is cancelled already starts nothing, and reports`() async {
    let loads = Loads(Tree(children: ["b": ["c"]], atHand: ["b"]))
    let gate = Gate()
    let task = Task {
      await gate.wait()
      return await loads.cascade().run(["a", "b"])
    }
    task.cancel()
    let report = await task.value
    #expect(report.outcome.isCancelled && loads.started.isEmpty)
    #expect(report.branches.count == 2 && report.branches.values.allSatisfy { $0.outcome.isCancelled })
  }

  @Test func `a run may be cancelled while it is being started`() async {
    let (gate, task) = (Gate(), Holder<Task<Tree<String>.Cascade.Report, Never>>(nil))
    let (asked, loads) = (Log<String>(), Log<String>())
    let cascade = Tree<String>.Cascade(
      alreadyHave: { id in
        asked.add(id)
        if id == "b" { task.current?.cancel() }
        return id == "b" ? .init(id, children: ["x"]) : nil
      },
      load: { id, pass in
        loads.add(id)
        pass.finish(.init(id, children: []))
      })
    let running = Task {
      await gate.wait()
      return await cascade.run(["a", "b", "c"])
    }
    task.put(running)
    gate.open()
    let report = await running.value
    task.drop()  // Which keeps the cascade, which keeps this.
    #expect(report.outcome.isCancelled && report.branches.count == 3 && loads.all.isEmpty)
    // At hand, but too late: its branch is cancelled.
    #expect(report.resources.isEmpty && report.branches["b"]?.outcome.isCancelled == true)
  }

  // MARK: Telling while it ends

  /// What a cancelling thread has yet to tell of must not be missing in the report that another one makes.
  @Test func `a run doesn't end while a cancellation tells of its branches`() {
    let loads = Loads(Tree(children: [:]))
    let (baton, wasComplete) = (Holder<Baton>(nil), Log<Bool?>())
    let run = Reported(loads.cascade(limit: 1), ["a", "b", "c", "d"]) { branch in
      if branch.root == "b" { loads.comeBack("a") }
      wasComplete.add(baton.current?.isComplete)
    }
    baton.put(run.baton)
    run.baton.cancelAll()
    #expect(wasComplete.all == [false, false, false, false] && run.baton.isComplete)
    #expect(run.complete.sorted() == ["a", "b", "c", "d"])
    #expect(run.report?.branches.count == 4)
  }

  @Test func `a run that is abandoned while it tells of branches reports when it has told of all`() {
    let loads = Loads(Tree(children: ["a": ["b"], "b": ["a"]]))
    let baton = Holder<Baton>(nil)
    let run = Reported(loads.cascade(), ["a", "b", "c"]) { branch in
      if branch.root == "a" { baton.current?.abandon() }
    }
    baton.put(run.baton)
    loads.comeBack("a")
    loads.comeBack("b")
    #expect(run.complete.sorted() == ["a", "b", "c"])
    #expect(run.report?.branches.count == 3)
    #expect(run.report?.branches["b"]?.outcome.isCancelled == false)
    loads.comeBack("c")
    #expect(run.complete.count == 3)
  }

  // MARK: Abandoning

  @Test func `abandoning completes at once, and absorbs what comes late`() {
    let log = EventLog()
    let loads = Loads(Tree(children: ["a": ["x"], "b": ["x"]]))
    let run = Reported(loads.cascade(name: "C", limit: 2, observer: log), ["a", "b", "c"])
    loads.comeBack("a")
    #expect(run.baton.abandon(SomeError(1)))
    let report = run.report
    #expect(run.complete.sorted() == ["a", "b", "c"] && run.baton.isComplete)
    #expect(report?.resources == ["a": "a"] && report?.failures.isEmpty == true)
    #expect(report?.branches.values.allSatisfy { $0.outcome.isCancelled } == true)
    #expect(report?.outcome.numbers == [1])
    #expect(report?.outcome.failures.last?.error is Baton.AbandonedError)
    #expect(loads.out == ["b", "c"])
    loads.comeBack("b")
    loads.take("c")?.cancel(SomeError(2))
    #expect(loads.started == ["a", "b", "c"] && run.reportCount == 1 && run.complete.count == 3)
    #expect(log.misuses.map(\.kind) == [.late, .late])
  }

  // MARK: Leaving

  @Test func `leaving the loop over the branches cancels the run`() async {
    let loads = Loads(Tree(children: ["b": ["x"]]))
    let cascade = loads.cascade(limit: 2)
    let loop = Task {
      for await branch in cascade.branches(from: ["a", "b", "c", "d"]) { return branch.root }
      return "none"
    }
    await until { loads.out == ["a", "b"] }
    loads.comeBack("a")
    #expect(await loop.value == "a")
    // The loads that are out see it, and nothing else starts.
    let out = ["b", "c"].compactMap { loads.take($0) }
    #expect(out.count == 2 && out.allSatisfy(\.isCancelled))
    for pass in out { pass.finish(.init("", children: ["y", "z"])) }
    #expect(loads.out.isEmpty && loads.started == ["a", "b", "c"])
  }

  @Test func `cancelling the task that loops over the branches cancels the run and ends the sequence`() async {
    let loads = Loads(Tree(children: [:]))
    let loop = Task {
      var count = 0
      for await _ in loads.cascade().branches(from: ["a"]) { count += 1 }
      return count
    }
    await until { loads.out == ["a"] }
    loop.cancel()
    #expect(await loop.value == 0)
    #expect(loads.take("a").map { $0.isCancelled } == true)
  }

  // MARK: Letting go (rule 9)

  @Test(arguments: ["finished", "failed", "cancelled", "abandoned", "dropped"])
  func `nothing is kept of a run that is over`(how: String) async {
    typealias Cascade = Baton.Cascade<String, OnDeinit>
    let freed = Counter()
    var held: WeakReference<OnDeinit>?
    let log = EventLog()
    do {
      let capture = OnDeinit { freed.add() }
      held = WeakReference(capture)
      let passes = Log<Cascade.Pass>()
      let holder = Holder<Log<Cascade.Pass>>(passes)
      let cascade = Cascade(
        limit: 2, observer: log, alreadyHave: { [capture] in $0 == "x" ? .init(capture, children: []) : nil },
        load: { [capture] id, pass in
          pass.onCancel { _ = capture }
          if id == "a" { return pass.finish(.init(capture, children: ["x", "b"])) }
          holder.current?.add(pass)
        })
      let reported = Log<Cascade.Report>()
      let baton = cascade.start(["a", "c"]) { [capture] report in
        _ = capture
        reported.add(report)
      }
      let out = passes.all
      switch how {
      case "finished": for pass in out { pass.finish(.init(capture, children: [])) }
      case "failed": for pass in out { pass.cancel(SomeError()) }
      case "cancelled":
        baton.cancelAll()
        for pass in out { pass.finish(.init(capture, children: [])) }
      case "abandoned": baton.abandon()
      default: break
      }
      holder.drop()
      if how == "dropped" { #expect(reported.count == 0) } else { #expect(reported.count == 1) }
      #expect(held?.isGone == false)
    }
    #expect(held?.isGone == true && freed.value == 1)
  }

  @Test func `nothing is kept of a run whose branches nobody waits for any more`() async {
    let freed = Counter()
    let held = Holder<OnDeinit>(OnDeinit { freed.add() })
    let out = Holder<Baton.Cascade<String, String>.Pass>(nil)
    do {
      let cascade = Baton.Cascade<String, String> { [capture = held.take()] id, pass in
        _ = capture
        if id == "a" { pass.finish(.init(id, children: [])) } else { out.put(pass) }
      }
      for await branch in cascade.branches(from: ["a", "b"]) {
        #expect(branch.root == "a")
        break
      }
    }
    #expect(out.current?.isCancelled == true && freed.value == 0)
    out.take()?.cancel()
    #expect(freed.value == 1)
  }

  /// A branch keeps the run, for its ids: were the handler kept there, what it collects would never go.
  @Test func `a handler that collects branches is let go with the report`() {
    let freed = Counter()
    do {
      let (capture, branches) = (OnDeinit { freed.add() }, Log<Tree<String>.Cascade.Branch>())
      let cascade = Tree<String>.Cascade { id, pass in pass.finish(.init(id, children: [])) }
      cascade.start(
        ["a", "b"],
        onBranch: { [capture] branch in
          _ = capture
          branches.add(branch)
        }
      ) { _ in }
      #expect(branches.all.map(\.root) == ["a", "b"] && branches.all.last?.ids == ["b"])
    }
    #expect(freed.value == 1)
  }

  @Test func `a branch that is kept keeps its ids`() async {
    let tree = Tree(children: ["a": ["b"]])
    let branch = await Tree.Cascade { id in tree.loaded(id) }.run(["a"]).branches["a"]
    #expect(branch?.ids == ["a", "b"])
  }
}
