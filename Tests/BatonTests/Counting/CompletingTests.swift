// The seal, the handing out of what waited for it, and the way up.

import Dispatch
import Testing

@testable import Baton

@Suite struct CompletingTests {
  // Rule 2: the completion, then the handlers as they were added, then who waits.
  @Test func `hands out the completion, then the handlers in order, then wakes who waits`() async {
    let log = Log<String>()
    let executor = Baton.Executor { work in
      log.add("enqueued")
      work()
    }
    let baton = Baton(on: executor) { _ in log.add("completion") }
    baton.onCompletion { _ in log.add("handler 1") }
    baton.onCompletion(on: executor) { _ in log.add("handler 2") }
    // Whoever waits is woken when all of them have been handed out.
    let woken = Task {
      _ = await baton.outcome
      return log.all
    }
    await until { baton.waiterCount == 1 }
    baton.onCompletion { _ in log.add("handler 3") }
    baton.pass()
    baton.finish()
    let expected = ["enqueued", "completion", "handler 1", "enqueued", "handler 2", "handler 3"]
    #expect(log.all == expected)
    #expect(await woken.value == expected)
  }

  // Rule 2: handed to their executors in this order, whenever those run them.
  @Test func `a slow executor delays nobody else`() {
    let (log, queue) = (Log<String>(), Log<@Sendable () -> Void>())
    let slow = Baton.Executor { work in queue.add(work) }
    let baton = Baton(on: slow) { _ in log.add("completion") }
    baton.onCompletion(on: slow) { _ in log.add("handler 1") }
    baton.onCompletion { _ in log.add("handler 2") }
    baton.pass()
    baton.finish()
    #expect(log.all == ["handler 2"] && baton.isComplete)
    for work in queue.all { work() }
    #expect(log.all == ["handler 2", "completion", "handler 1"])
  }

  // Rule 2, behaviour 8.
  @Test func `a handler added from inside joins the end of the line`() {
    let log = Log<String>()
    let holder = Holder<Baton>(nil)
    let baton = Baton { _ in
      log.add("completion")
      holder.current?.onCompletion { _ in log.add("from the completion") }
    }
    holder.put(baton)
    baton.onCompletion { _ in
      log.add("first")
      holder.current?.onCompletion { _ in
        log.add("from the first")
        holder.current?.onCompletion { _ in log.add("from within") }
      }
    }
    baton.onCompletion { _ in log.add("second") }
    baton.pass()
    baton.finish()
    #expect(
      log.all == ["completion", "first", "second", "from the completion", "from the first", "from within"])
    holder.drop()
  }

  // Rule 2: while one thread hands out, another one's handler waits its turn.
  @Test func `a handler added by another thread meanwhile joins the end of the line`() async {
    let log = Log<String>()
    let rendezvous = Rendezvous(2)
    let baton = Baton()
    baton.onCompletion { _ in
      rendezvous.meet()
      rendezvous.meet()
      log.add("first")
    }
    baton.onCompletion { _ in log.add("second") }
    baton.pass()
    await onThreads(2) { index in
      if index == 0 { return baton.finish() }
      rendezvous.meet()
      baton.onCompletion { _ in log.add("from elsewhere") }
      log.add("added")
      rendezvous.meet()
    }
    #expect(log.all == ["added", "first", "second", "from elsewhere"])
  }

  // Rule 2: completion is the seal, so it is seen before the completion runs, and from inside it.
  @Test func `is complete, with its outcome, when the completion runs`() {
    let log = Log<Bool>()
    let holder = Holder<Baton>(nil)
    let baton = Baton { _ in
      guard let baton = holder.current else { return }
      log.add(baton.isComplete)
      log.add(baton.outcomeIfComplete?.isCancelled == false)
      log.add(baton.tryPass())
      log.add(baton.cancelAll())
    }
    holder.put(baton)
    baton.pass()
    baton.finish()
    #expect(log.all == [true, true, false, false])
    holder.drop()
  }

  // Behaviour 4.
  @Test func `many rounds of make, pass, finish and handler lose none`() async {
    let (completed, heard) = (Counter(), Counter())
    await onThreads(2) { _ in
      for round in 0..<Rounds.many / 2 {
        let baton = Baton { _ in completed.add() }
        if round % 2 == 0 { baton.onCompletion { _ in heard.add() } }
        baton.pass()
        baton.finish()
        if round % 2 == 1 { baton.onCompletion { _ in heard.add() } }
      }
    }
    #expect(completed.value == Rounds.many && heard.value == Rounds.many)
  }

  // Behaviour 4: the last finish on another thread than the handler's adding.
  @Test func `many rounds across threads lose none`() async {
    let failed = await race(rounds: Rounds.many / 4) { _ in
      let heard = Counter()
      let baton = Baton { _ in heard.add() }
      baton.pass(count: 2)
      return (baton: baton, heard: heard)
    } _: { round in
      round.baton.finish()
    } _: { round in
      round.baton.finish()
    } check: { round in
      round.heard.value == 1
    }
    #expect(failed == 0)
  }

  // Rule 2, behaviour 5.
  @Test func `256 chains of 1,024 legs each never let zero be seen`() async {
    let legs = 1_024
    let (run, early) = (Counter(), Counter())
    let outcome = await withCheckedContinuation { continuation in
      let baton = Baton(name: "Cascade")
      baton.onCompletion { continuation.resume(returning: ($0, run.value)) }
      @Sendable func leg(_ number: Int) {
        run.add()
        if baton.isComplete { early.add() }
        if number < legs {
          baton.pass()
          DispatchQueue.global().async { leg(number + 1) }
        }
        baton.finish()
      }
      baton.withPass {
        for _ in 0..<256 {
          baton.pass()
          leg(1)
        }
      }
    }
    #expect(!outcome.0.isCancelled && outcome.1 == 256 * legs && early.value == 0)
  }

  // Behaviour 7.
  @Test(arguments: [false, true])
  func `completion may drop the last reference to its own baton`(isObserved: Bool) async {
    let gone = Counter()
    let failed = await race(rounds: Rounds.few) { _ in
      let holder = Holder<Baton>(nil)
      let baton = Baton(observer: isObserved ? EventLog() : nil) { _ in holder.drop() }
      let capture = OnDeinit { gone.add() }
      baton.onCompletion { _ in
        holder.drop()
        _ = capture
      }
      baton.pass(count: 2)
      holder.put(baton)
      return (holder: holder, mine: Holder(baton), yours: Holder(baton))
    } _: { round in
      round.mine.take()?.finish()
    } _: { round in
      round.yours.take()?.finish()
    } check: { round in
      round.holder.current == nil
    }
    #expect(failed == 0 && gone.value == Rounds.few)
  }

  // Rule 6. The memory is ordered by nothing but the baton: the thread sanitizer watches it.
  @Test(arguments: [false, true])
  func `what runners did is visible to the completion, to handlers and to waiters`(isObserved: Bool) async {
    final class Unordered: Sendable {
      // Each is written by one thread: a runner, before it hands its pass back, or one that was told of the completion.
      nonisolated(unsafe) var first = 0
      nonisolated(unsafe) var second = 0
      nonisolated(unsafe) var completed = 0
      nonisolated(unsafe) var heard = 0
      nonisolated(unsafe) var waited = 0
    }
    let failed = await race { _ in
      let memory = Unordered()
      let baton = Baton(observer: isObserved ? EventLog() : nil) { _ in
        unsafe memory.completed = memory.first + memory.second
      }
      baton.onCompletion { _ in unsafe memory.heard = memory.first + memory.second }
      baton.pass(count: 2)
      return (baton: baton, memory: memory)
    } _: { round in
      unsafe round.memory.first = 3
      round.baton.pass()
      round.baton.finish()
      round.baton.finish()
    } _: { round in
      unsafe round.memory.second = 4
      round.baton.finish()
    } _: { round in
      round.baton.wait()
      unsafe round.memory.waited = round.memory.first + round.memory.second
    } check: { round in
      unsafe round.memory.completed == 7 && round.memory.heard == 7 && round.memory.waited == 7
    }
    #expect(failed == 0)
  }
}
