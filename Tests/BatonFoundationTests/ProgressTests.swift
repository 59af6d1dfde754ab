// A baton as a Foundation progress.

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Baton
@testable import BatonFoundation

/// Section 10; BEHAVIOURS 32. Reading `baton.progress` brings it up to date, so that these tests need not wait.
@Suite struct ProgressTests {
  let baton = Baton(name: "Photos")

  // MARK: Counts

  @Test func `follows the tally`() {
    baton.pass(count: 4)
    #expect(baton.progress.totalUnitCount == 4)
    #expect(baton.progress.fractionCompleted == 0)
    for done in 1...3 {
      baton.finish()
      #expect(baton.progress.completedUnitCount == done)
      #expect(baton.progress.fractionCompleted == Double(done) / 4)
      #expect(!baton.progress.isFinished)
    }
    let progress = baton.progress
    baton.finish()
    #expect(progress.fractionCompleted == 1)
    #expect(progress.isFinished && !progress.isCancelled)
  }

  @Test func `is the same object while the baton is open, and tells its own end`() {
    let progress = baton.progress
    #expect(progress === baton.progress)
    #expect(progress.isIndeterminate && progress.fractionCompleted == 0)
    baton.withPass {}
    #expect(progress.isFinished && !progress.isIndeterminate)
    #expect(baton.progress.isFinished)
    #expect(baton.progress.fractionCompleted == 1)
  }

  @Test func `never goes back while a tree is discovered, and is all only at the end`() {
    var last = 0.0
    func check() {
      let fraction = baton.progress.fractionCompleted
      #expect(fraction >= last && fraction < 1)
      last = fraction
    }
    // Each of the first hundred names three more.
    baton.pass()
    var open = 1
    for visited in 0..<301 {
      if visited < 100 {
        baton.pass(count: 3)
        open += 3
        check()
      }
      open -= 1
      if open > 0 {
        baton.finish()
        check()
      }
    }
    let progress = baton.progress
    baton.finish()
    #expect(progress.fractionCompleted == 1)
  }

  @Test(arguments: ["failure", "cancellation", "abandonment", "drop", "nothing"])
  func `is all at the end, however it ends`(how: String) {
    var baton: Baton? = Baton(name: "Photos")
    let progress = baton?.progress
    if how != "nothing" { baton?.pass(count: 3) }
    switch how {
    case "failure": for _ in 0..<3 { baton?.cancel(CancellationError()) }
    case "cancellation":
      baton?.cancelAll()
      #expect(progress?.isCancelled == true && progress?.isFinished == false)
      for _ in 0..<3 { baton?.finish() }
    case "abandonment": baton?.abandon()
    default: break
    }
    baton = nil
    #expect(progress?.fractionCompleted == 1)
    #expect(progress?.isFinished == true)
    #expect(progress?.isCancelled == (how != "nothing"))
  }

  @Test func `a child counts as one pass`() {
    let first = baton.makeChild(name: "a")
    let second = baton.makeChild(name: "b")
    first.withPass {}
    #expect(baton.progress.fractionCompleted == 0.5)
    second.withPass {}
    #expect(baton.progress.fractionCompleted == 1)
  }

  // MARK: Cancelling

  @Test func `cancelling it is cancelAll`() {
    baton.pass()
    let progress = baton.progress
    #expect(progress.isCancellable && !progress.isCancelled)
    progress.cancel()
    #expect(baton.isCancelled && progress.isCancelled && !baton.isComplete)
    baton.finish()
    #expect(baton.outcomeIfComplete?.isCancelled == true)
    #expect(baton.outcomeIfComplete?.failures.isEmpty == true)
  }

  @Test func `a cancelled baton cancels it, before or after it was asked for`() {
    baton.pass()
    let progress = baton.progress
    baton.cancelAll()
    #expect(progress.isCancelled)
    let other = Baton()
    other.pass()
    other.cancelAll()
    #expect(other.progress.isCancelled)
    other.finish()
    baton.finish()
  }

  @Test func `cancelling it after the end changes nothing of the baton`() {
    let progress = baton.progress
    baton.withPass {}
    progress.cancel()
    #expect(!baton.isCancelled)
    #expect(progress.isFinished)
  }

  // MARK: Composing

  @Test func `is part of another progress`() {
    let parent = Progress.discreteProgress(totalUnitCount: 10)
    let other = Baton()
    parent.addChild(baton.progress, withPendingUnitCount: 5)
    parent.addChild(other.progress, withPendingUnitCount: 5)
    baton.pass(count: 2)
    baton.finish()
    _ = baton.progress
    #expect(parent.fractionCompleted == 0.25)
    baton.finish()
    #expect(parent.fractionCompleted == 0.5)
    parent.cancel()
    #expect(other.isCancelled && !baton.isCancelled)
    other.withPass {}
    #expect(parent.fractionCompleted == 1)
    #expect(parent.isFinished)
  }

  @Test func `a parent's fraction doesn't go back either, and ends at all`() {
    let parent = Progress.discreteProgress(totalUnitCount: 3)
    parent.addChild(baton.progress, withPendingUnitCount: 3)
    var last = 0.0
    baton.withPass {
      for round in 0..<300 {
        baton.pass(count: round.isMultiple(of: 7) ? 2 : 1)
        baton.finish()
        if round.isMultiple(of: 7) { baton.finish() }
        _ = baton.progress
        #expect(parent.fractionCompleted >= last && parent.fractionCompleted < 1)
        last = parent.fractionCompleted
      }
    }
    #expect(parent.fractionCompleted == 1)
    #expect(parent.isFinished)
  }

  @Test func `a child that is added brings its units with it`() {
    baton.pass(count: 2)
    let child = Progress.discreteProgress(totalUnitCount: 4)
    baton.progress.addChild(child, withPendingUnitCount: 2)
    #expect(baton.progress.totalUnitCount == 4)
    child.completedUnitCount = 2
    #expect(baton.progress.fractionCompleted == 0.25)
    baton.finish()
    #expect(baton.progress.fractionCompleted == 0.5)
    child.completedUnitCount = 4
    #expect(baton.progress.fractionCompleted == 0.75)
    #expect(baton.progress.completedUnitCount == 3)
    let progress = baton.progress
    baton.finish()
    #expect(progress.fractionCompleted == 1)
  }

  @Test func `is all when its children are done too`() {
    baton.pass()
    let child = Progress.discreteProgress(totalUnitCount: 1)
    let progress = baton.progress
    progress.addChild(child, withPendingUnitCount: 1)
    baton.finish()
    #expect(progress.fractionCompleted == 0.5)
    child.completedUnitCount = 1
    #expect(progress.fractionCompleted == 1)
    #expect(progress.isFinished)
  }

  @Test func `never goes back with children either`() {
    var last = 0.0
    func check() {
      let fraction = baton.progress.fractionCompleted
      #expect(fraction >= last - 1e-9 && fraction <= 1)
      last = fraction
    }
    baton.pass(count: 2)
    baton.finish()
    check()
    baton.pass(count: 20)
    check()
    let children = (0..<4).map { _ in Progress.discreteProgress(totalUnitCount: 10) }
    for child in children {
      baton.progress.addChild(child, withPendingUnitCount: 3)
      check()
      child.completedUnitCount = 5
      check()
      baton.pass()
      baton.finish()
      check()
    }
    for child in children {
      child.completedUnitCount = 10
      check()
    }
    let progress = baton.progress
    for _ in 0..<21 { baton.finish() }
    #expect(abs(progress.fractionCompleted - 1) < 1e-9)
    #expect(progress.isFinished)
  }

  // MARK: Following

  @Test func `is brought up to date from time to time, until the baton is complete`() async {
    let clock = TickingClock()
    let calls = Mutex(0)
    baton.pass(count: 3)
    baton.follow(clock: clock) { calls.withLock { $0 += 1 } }
    await clock.untilAsleep()
    #expect(calls.withLock { $0 } == 1)
    await clock.tick()
    #expect(calls.withLock { $0 } == 1, "nothing has changed")
    baton.finish()
    await clock.tick()
    #expect(calls.withLock { $0 } == 2)
    baton.finish()
    baton.finish()
    await clock.untilAsleep()
    #expect(clock.isCancelled)
  }

  @Test func `threads that pass and settle while it is looked at leave it at all`() {
    let parent = Progress.discreteProgress(totalUnitCount: 2)
    let other = Baton()
    parent.addChild(baton.progress, withPendingUnitCount: 1)
    parent.addChild(other.progress, withPendingUnitCount: 1)
    for baton in [baton, other] { baton.pass() }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let baton = thread.isMultiple(of: 2) ? baton : other
      for _ in 0..<200 {
        baton.pass()
        _ = baton.progress
        baton.finish()
        _ = baton.progress
      }
    }
    for baton in [baton, other] { baton.finish() }
    #expect(baton.progress.fractionCompleted == 1)
    #expect(abs(parent.fractionCompleted - 1) < 1e-9)
    #expect(parent.isFinished)
  }

  // MARK: Memory

  @Test func `keeps the baton neither alive nor from completing`() {
    weak var weakBaton: Baton?
    let progress: Progress
    do {
      let baton = Baton(name: "Photos")
      weakBaton = baton
      progress = baton.progress
      #expect(!progress.isFinished)
    }
    #expect(weakBaton == nil)
    #expect(progress.isFinished)
    progress.cancel()
  }

  @Test func `is let go when the baton is complete, and nobody else holds it`() {
    weak var weakProgress: Progress?
    do {
      let baton = Baton(name: "Photos")
      weakProgress = baton.progress
      #expect(weakProgress != nil)
      baton.withPass {}
      #expect(weakProgress == nil)
    }
  }
}
