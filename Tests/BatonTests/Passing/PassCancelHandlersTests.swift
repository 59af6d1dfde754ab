// The cancel handlers of one pass.

import Synchronization
import Testing

@testable import Baton

/// BEHAVIOURS 18, and rules 5, 7 and 9.
@Suite struct PassCancelHandlersTests {
  let ran = Counter()

  private struct Round: Sendable {
    let pass = Baton().makePass()
    let runs = Counter()
  }

  /// How many places in the baton's line are taken.
  private func places(_ baton: Baton) -> Int { baton.core.lifecycle.withLock { $0.waiting.cancelHandlers } }

  @Test func `they run when the baton is cancelled: once, in order, before that call returns`() {
    let baton = Baton()
    let log = Log<String>()
    let pass = baton.makePass()
    pass.onCancel(log.adder("first"))
    pass.onCancel(log.adder("second"))
    #expect(log.count == 0)
    baton.cancelAll()
    #expect(log.all == ["first", "second"])
    baton.cancelAll()
    baton.abandon()
    #expect(log.count == 2)
    pass.finish()
  }

  @Test func `one that is added late runs at once`() {
    let baton = Baton()
    let pass = baton.makePass()
    baton.cancelAll()
    pass.onCancel { ran.add() }
    #expect(ran.value == 1)
    pass.onCancel { ran.add() }
    #expect(ran.value == 2)
    pass.finish()
    #expect(ran.value == 2)
  }

  @Test func `those of a settled pass never run`() {
    let baton = Baton()
    baton.pass()
    let (pass, bare) = (baton.makePass(), baton.makePass())
    pass.onCancel { ran.add() }
    for settled in [pass, bare] {
      settled.finish()
      settled.onCancel { ran.add() }
    }
    baton.cancelAll()
    for settled in [pass, bare] { settled.onCancel { ran.add() } }
    baton.finish()
    #expect(ran.value == 0)
  }

  @Test func `a pass that cancels the baton itself is settled by that, and not told`() {
    let baton = Baton()
    let pass = baton.makePass()
    let other = baton.makePass()
    let log = Log<String>()
    pass.onCancel(log.adder("own"))
    other.onCancel(log.adder("other"))
    pass.cancel(SomeError())
    #expect(log.all == ["other"])
    other.finish()
  }

  @Test func `one may settle its own pass`() {
    let completed = Counter()
    let baton = Baton { _ in completed.add() }
    let pass = baton.makePass()
    pass.onCancel {
      pass.finish()
      ran.add()
    }
    baton.cancelAll()
    #expect(ran.value == 1 && completed.value == 1)
    #expect(baton.tally.outstanding == 0)
  }

  @Test func `one may settle another pass, whose handlers then never run`() {
    let baton = Baton()
    let (first, second) = (baton.makePass(), baton.makePass())
    first.onCancel {
      second.finish()
      first.finish()
    }
    second.onCancel { ran.add() }
    baton.cancelAll()
    #expect(ran.value == 0)
    #expect(baton.isComplete)
  }

  @Test func `one that settles its own pass silences those after it`() {
    let baton = Baton()
    let pass = baton.makePass()
    pass.onCancel { pass.finish() }
    pass.onCancel { ran.add() }
    baton.cancelAll()
    #expect(ran.value == 0)
    #expect(baton.isComplete)
  }

  @Test func `one may add another, which runs too`() {
    let baton = Baton()
    let pass = baton.makePass()
    pass.onCancel { pass.onCancel { ran.add() } }
    baton.cancelAll()
    #expect(ran.value == 1)
    pass.finish()
  }

  @Test func `one that is added while the pass's callback runs is in time`() {
    let baton = Baton()
    let pass = baton.makePass()
    let callback = pass.callback {
      pass.onCancel { ran.add() }
      pass.baton.cancelAll()
      #expect(ran.value == 1)
    }
    callback()
    pass.onCancel { ran.add() }
    #expect(ran.value == 1 && baton.isComplete)
  }

  @Test func `they hear of an ancestor's cancellation`() {
    let root = Baton()
    let leaf = root.makeChild().makeChild()
    let pass = leaf.makePass()
    pass.onCancel { ran.add() }
    root.cancelAll()
    #expect(ran.value == 1)
    pass.finish()
    #expect(root.isComplete)
  }

  @Test func `cancelled while it settles, a pass runs them once or not at all`() async {
    let failed = await race(
      { _ -> Round in
        let round = Round()
        round.pass.onCancel { [runs = round.runs] in runs.add() }
        return round
      },
      { round in round.pass.baton.cancelAll() },
      { round in
        round.pass.finish()
        round.pass.onCancel { round.runs.add(100) }
      },
      check: { $0.pass.baton.isComplete && $0.runs.value <= 1 })
    #expect(failed == 0)
  }

  @Test func `added while the baton is cancelled, one runs exactly once`() async {
    let failed = await race(
      { _ in Round() },
      { round in round.pass.baton.cancelAll() },
      { round in round.pass.onCancel { [runs = round.runs] in runs.add() } },
      check: { round in
        round.pass.finish()
        return round.runs.value == 1
      })
    #expect(failed == 0)
  }

  @Test func `added while the pass settles, one keeps no place in the line`() async {
    let failed = await race(
      { _ -> Baton.Pass in
        let baton = Baton()
        baton.pass()
        return baton.makePass()
      },
      { pass in pass.onCancel {} },
      { pass in pass.finish() },
      check: { pass in
        defer { pass.baton.finish() }
        return places(pass.baton) == 0
      })
    #expect(failed == 0)
  }

  // MARK: What is kept (rule 9) and how it is let go (rule 7)

  @Test func `they are let go when the pass settles, and leave their places`() {
    let baton = Baton()
    baton.pass()
    let pass = baton.makePass()
    pass.onCancel(OnDeinit { ran.add() }.handler())
    pass.onCancel(OnDeinit { ran.add() }.handler())
    #expect(places(baton) == 2 && ran.value == 0)
    pass.finish()
    #expect(places(baton) == 0)
    #expect(ran.value == 2)
    pass.onCancel(OnDeinit { ran.add() }.handler())
    #expect(ran.value == 3)
    baton.finish()
  }

  @Test func `they are let go when they have run`() {
    let baton = Baton()
    let pass = baton.makePass()
    pass.onCancel(OnDeinit { ran.add() }.handler())
    baton.cancelAll()
    #expect(ran.value == 1)
    pass.onCancel(OnDeinit { ran.add() }.handler())
    #expect(ran.value == 2)
    pass.finish()
  }

  @Test func `what they capture may use the baton as it is let go`() async {
    let outcome = await onThread {
      let baton = Baton()
      baton.pass()
      let (settled, told) = (baton.makePass(), baton.makePass())
      for pass in [settled, told] {
        pass.onCancel(
          OnDeinit { [unowned baton, unowned pass] in
            ran.add(baton.tally.passed)
            // Neither the lock of the baton nor that of the pass's handlers may be held.
            pass.onCancel {}
            baton.makePass().finish()
            baton.onCancel {}
          }.handler())
      }
      settled.finish()
      baton.cancelAll()
      told.finish()
      baton.finish()
      return baton.outcomeIfComplete
    }
    #expect(outcome?.isCancelled == true)
    #expect(ran.value == 3 + 4)
  }

  /// The moments between two steps of `Pass.onCancel`, in which the pass may settle.
  @Test func `closed, they take nothing in, run nothing, and leave the place that they got meanwhile`() {
    var baton: Baton? = Baton()
    let core = WeakReference(baton?.core ?? Baton().core)
    let handlers = PassCancelHandlers()
    #expect(handlers.add { ran.add() })
    if let baton, case .waits(let key) = baton.core.add(.ofPass(handlers)) {
      handlers.close()
      handlers.wait(under: key, of: baton.core)
      #expect(places(baton) == 0)
    } else {
      Issue.record("There is no place in the line of an open baton.")
    }
    #expect(!handlers.add { ran.add() })
    handlers.runAll()
    #expect(ran.value == 0)
    baton = nil
    #expect(core.isGone)
  }

  @Test func `they don't keep a pass that is forgotten`() {
    let log = EventLog()
    let baton = Baton(observer: log)
    baton.makePass("logo.png").onCancel { ran.add() }
    #expect(baton.outcomeIfComplete?.failures.first?.label == "logo.png")
    #expect(log.misuses.map(\.kind) == [.dropped])
    #expect(ran.value == 0)
  }
}

/// A size, which is left out under sanitizers.
@Suite struct PassCancelHandlersLargeTests {
  /// A square would take many minutes.
  @Test(.timeLimit(.minutes(10))) func `a million handlers of one pass run in turn`() {
    let (baton, ran) = (Baton(), Counter())
    let pass = baton.makePass()
    for number in 0..<1_000_000 {
      pass.onCancel { if ran.add() != number + 1 { Issue.record("Handler \(number) ran out of turn.") } }
    }
    baton.cancelAll()
    pass.finish()
    #expect(ran.value == 1_000_000)
  }
}
