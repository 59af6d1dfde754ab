// `Pass.callback`: one pass, one label and one permit for one request.

import Testing

@testable import Baton

@Suite struct PassCallbackTests {
  let log = EventLog()
  let ran = Log<String>()

  @Test func `settles the pass that it is made of, and makes no other`() {
    let baton = Baton()
    let callback = baton.makePass("logo.png").callback { (a: Int, b: String) in ran.add("\(a)\(b)") }
    #expect(baton.tally == Baton.Tally(passed: 1, outstanding: 1))
    callback(1, "b")
    #expect(ran.all == ["1b"])
    #expect(baton.outcomeIfComplete?.isCancelled == false)
    #expect(baton.tally.passed == 1)
  }

  @Test func `what it throws cancels, with the label and the place of the pass`() {
    let baton = Baton(name: "Query")
    let line: UInt = #line + 1
    let callback = baton.makePass("logo.png").callback { () throws in throw SomeError(1) }
    callback()
    let failure = baton.outcomeIfComplete?.failures.first
    #expect(failure?.path == ["Query", "logo.png"])
    #expect(failure?.error as? SomeError == SomeError(1))
    #expect(failure?.location?.description == "\(#fileID):\(line)")
  }

  @Test func `the pass is handed back after the handler`() {
    let baton = Baton { _ in ran.add("completion") }
    let callback = baton.makePass().callback { [unowned baton] in ran.add("\(baton.tally.outstanding) out") }
    callback()
    #expect(ran.all == ["1 out", "completion"])
  }

  /// Section 3: one permit does for one request.
  @Test func `a started runner keeps its permit until the callback was called`() {
    let baton = Baton(limit: 1)
    let callback = Holder<@Sendable (Int) -> Void>(nil)
    baton.start("first") { pass in
      let wrapped: @Sendable (Int) -> Void = pass.callback { number in ran.add("\(number)") }
      callback.put(wrapped)
    }
    baton.start("second") { pass in
      ran.add("second")
      pass.finish()
    }
    #expect(ran.all == [])
    callback.take()?(1)
    #expect(ran.all == ["1", "second"])
    #expect(baton.isComplete)
  }

  @Test func `of a settled pass, it does nothing but be reported`() {
    let baton = Baton(observer: log)
    baton.pass()
    let line: UInt = #line + 1
    let pass = baton.makePass("logo.png")
    let callback = pass.callback { ran.add("ran") }
    pass.finish()
    callback()
    #expect(ran.count == 0 && baton.tally.outstanding == 1)
    expectOneMisuse(log, .settledTwice, label: "logo.png", line: line)
    baton.finish()
  }

  @Test func `settling the pass while the handler runs is one settle too many, and reported`() {
    let baton = Baton(observer: log)
    let pass = baton.makePass()
    let callback = pass.callback {
      #expect(!pass.tryFinish())
      pass.cancel(SomeError())
    }
    callback()
    #expect(log.misuses.map(\.kind) == [.settledTwice])
    #expect(baton.outcomeIfComplete?.isCancelled == false)
  }

  // The pass settles when the handler has returned: till then it hears of a cancellation.
  @Test func `a settle that comes too late while the handler runs changes nothing for it`() {
    let baton = Baton(observer: log)
    let pass = baton.makePass()
    let callback = pass.callback {
      #expect(!pass.tryFinish() && !pass.tryCancel())
      pass.onCancel { ran.add("told") }
      baton.cancelAll()
    }
    callback()
    #expect(ran.all == ["told"] && log.misuses.isEmpty && baton.isComplete)
  }

  @Test func `dropped without a call, the pass is dropped`() {
    let baton = Baton(observer: log)
    let line: UInt = #line + 1
    let pass = Holder(baton.makePass("logo.png"))
    var callback: (@Sendable () -> Void)? = pass.take()?.callback { ran.add("ran") }
    #expect(callback != nil && !baton.isComplete)
    callback = nil
    #expect(baton.outcomeIfComplete?.failures.first?.error is Baton.AbandonedError)
    expectOneMisuse(log, .dropped, label: "logo.png", line: line)
  }
}
