// What a baton holds from its making to its completion: a pure struct, looked at step by step.

import Dispatch
import Testing

@testable import Baton

@Suite struct LifecycleTests {
  static func waiter() -> Waiter { .thread(DispatchSemaphore(value: 0)) }

  /// Takes the next part of the line, and says what it was.
  static func deliver(_ life: inout Lifecycle) -> String {
    switch life.nextDelivery() {
    case .handlers(let handlers):
      for handler in handlers { handler.body(.finished) }
      return "\(handlers.count) handlers"
    case .waiters(let waiters): return "\(waiters.count) waiters"
    }
  }

  /// What waits: handlers, waiters, cancel handlers.
  static func waiting(_ life: borrowing Lifecycle) -> [Int] {
    let waiting = life.waiting
    return [waiting.handlers, waiting.waiters, waiting.cancelHandlers]
  }

  // `#expect` can't look into what is not copyable, so the steps are taken before it.

  @Test func `is open, then delivering, then over`() {
    var life = Lifecycle(parent: nil, completion: nil)
    var stages = [life.stage]
    _ = life.seal(cancelled: false)
    stages.append(life.stage)
    let delivered = Self.deliver(&life)
    stages.append(life.stage)
    #expect(stages == [.open, .delivering, .over] && delivered == "0 waiters")
  }

  // Rule 2.
  @Test func `hands out handlers as they were added, then the waiters`() {
    let log = Log<String>()
    var life = Lifecycle(parent: nil, completion: nil)
    func add(_ name: String) -> Bool {
      life.add(Lifecycle.Handler(executor: .inline) { _ in log.add(name) })
    }
    var added = [add("1")]
    let keys = [life.add(Self.waiter()), life.add(Self.waiter())]
    added.append(add("2"))
    let waiting = Self.waiting(life)
    #expect(keys == [1, 2] && waiting == [2, 2, 0])
    _ = life.seal(cancelled: false)
    var delivered = [Self.deliver(&life)]
    // While the first two are handed out.
    added.append(add("3"))
    delivered += [Self.deliver(&life), Self.deliver(&life)]
    #expect(delivered == ["2 handlers", "1 handlers", "2 waiters"] && log.all == ["1", "2", "3"])
    // From now on whoever adds runs.
    added.append(add("4"))
    #expect(added == [true, true, true, false])
    let left = Self.waiting(life)
    #expect(left == [0, 0, 0])
  }

  @Test func `a waiter may come until all has been handed out`() {
    var life = Lifecycle(parent: nil, completion: nil)
    _ = life.seal(cancelled: false)
    var keys = [life.add(Self.waiter())]
    let delivered = Self.deliver(&life)
    keys.append(life.add(Self.waiter()))
    let waiting = Self.waiting(life)
    #expect(keys == [1, nil] && delivered == "1 waiters" && waiting == [0, 0, 0])
  }

  // The handlers that were added by the completion come before whoever waits.
  @Test func `a lifecycle to which nothing was added is over at once`() {
    let log = Log<String>()
    var life = Lifecycle(parent: nil, completion: nil)
    _ = life.seal(cancelled: false)
    let isAdded = life.add(Lifecycle.Handler(executor: .inline) { _ in log.add("late") })
    let delivered = [Self.deliver(&life), Self.deliver(&life)]
    #expect(isAdded && delivered == ["1 handlers", "0 waiters"] && log.all == ["late"])
  }

  @Test func `a waiter can leave until it is woken`() {
    var life = Lifecycle(parent: nil, completion: nil)
    let keys = [life.add(Self.waiter()), life.add(Self.waiter())].compactMap { $0 }
    var left = [life.removeWaiter(keys[0]) != nil, life.removeWaiter(keys[0]) != nil]
    _ = life.seal(cancelled: false)
    let delivered = Self.deliver(&life)
    left.append(life.removeWaiter(keys[1]) != nil)
    #expect(left == [true, false, false] && delivered == "1 waiters")
  }

  @Test func `cancelling takes the cancel handlers out, once`() {
    let log = Log<String>()
    let core = Baton().core
    var life = Lifecycle(parent: nil, completion: nil)
    let keys = ["1", "2", "3"].map { life.add(CancelHandler.ofBaton(log.adder($0))) }
    var waiting = [Self.waiting(life)]
    let removed = [life.removeCancelHandler(keys[0]) != nil, life.removeCancelHandler(keys[0]) != nil]
    #expect(removed == [true, false])
    for handler in life.cancel(core, heard: nil).handlers { handler.run() }
    #expect(log.all == ["2", "3"])
    let again = life.cancel(core, heard: nil).handlers.count
    waiting.append(Self.waiting(life))
    #expect(again == 0 && waiting == [[0, 0, 3], [0, 0, 0]])
  }

  // Who is told: the children always, the parent as the policy says.
  @Test(arguments: [Baton.CancellationPolicy.propagates, .contained])
  func `an alarm names those above and below`(policy: Baton.CancellationPolicy) {
    let parent = Baton()
    let child = parent.makeChild(cancellation: policy)
    var life = Lifecycle(parent: parent, completion: nil)
    life.children = [Baton().core, Baton().core]
    let failure = Baton.Failure(error: SomeError(1), lineage: nil)
    let alarm = life.cancel(child.core, heard: failure)
    #expect(alarm.core === child.core && alarm.children.count == 2)
    #expect(alarm.failure?.error as? SomeError == SomeError(1))
    #expect((alarm.parent === parent) == (policy == .propagates))
    // They stay in the list: they are still out.
    let (heard, children) = (life.failuresHeard, life.children.count)
    #expect(heard == 1 && children == 2 && !alarm.isRepeated)
    var silent = Lifecycle(parent: parent, completion: nil)
    let isSilent = silent.cancel(child.core, heard: nil).failure == nil && silent.failuresHeard == 0
    #expect(isSilent)
    child.withPass {}
  }

  @Test func `a deadline is kept until the seal`() {
    var life = Lifecycle(parent: nil, completion: nil)
    var added = [life.add(Task {})]
    let ending = life.seal(cancelled: false)
    added.append(life.add(Task {}))
    let count = ending.remains.first?.deadlines.count
    #expect(added == [true, false] && count == 1)
  }

  // Rule 9: what the seal takes out is the sealing thread's to let go, outside the lock.
  @Test func `the seal takes everything out`() {
    let log = Log<String>()
    let parent = Baton()
    var life = Lifecycle(
      parent: parent, completion: Lifecycle.Completion(executor: .inline) { log.add("completion \($0)") })
    life.children = [Baton().core]
    life.failures.append(Baton.Failure(error: SomeError(1), lineage: nil))
    _ = life.cancel(parent.core, heard: life.failures.head)
    _ = life.add(CancelHandler.ofBaton(log.adder("never")))
    let frozen = Baton.Tally(passed: 3, outstanding: 2)
    var ending = life.seal(cancelled: true, frozen: frozen)
    let isEmpty = life.parent == nil && life.children.isEmpty && Self.waiting(life) == [0, 0, 0]
    let (frozenThen, failures) = (life.frozen, life.failures.count)
    // The failures stay, being the outcome.
    #expect(isEmpty && frozenThen == frozen && failures == 1)
    let (remains, children) = (ending.remains, ending.children.count)
    let counts = remains.flatMap { [$0.cancelHandlers.count, $0.failures.count, $0.failuresHeard] } + [children]
    let (cancelled, isParent) = (ending.cancelled, ending.parent === parent)
    #expect(cancelled && isParent && counts == [1, 1, 1, 1])
    if let completion = ending.completion.take() { completion.body(true) }
    #expect(log.all == ["completion true"])
  }

  @Test func `a seal at zero freezes nothing`() {
    var life = Lifecycle(parent: nil, completion: nil)
    let ending = life.seal(cancelled: false)
    let (cancelled, frozen) = (ending.cancelled, life.frozen)
    #expect(!cancelled && frozen == nil)
  }
}
