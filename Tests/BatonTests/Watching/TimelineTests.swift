// The recording of real batons.

import Dispatch
import Testing

@testable import Baton

/// Section 10.
@Suite struct TimelineTests {
  let timeline = Baton.Timeline()

  private func texts(_ svg: String) -> Set<String> {
    // Between the last `>` before it and `</text>`.
    Set(
      svg.split(separator: "\n").filter { $0.hasSuffix("</text>") }.compactMap { line in
        line.dropLast("</text>".count).split(separator: ">").last.map(String.init)
      })
  }

  @Test func `a run with children, failures and misuse is all there`() {
    let tree = Baton(name: "Tree", observer: timeline)
    let pass = tree.makePass("root.json")
    let branch = tree.makeChild(name: "Branch", cancellation: .contained)
    branch.pass()
    branch.makePass("broken.png").cancel(SomeError(7))
    branch.finish()
    pass.finish()
    #expect(tree.isComplete)
    let svg = timeline.svg()
    let shown = texts(svg)
    #expect(shown.isSuperset(of: ["Tree", "Branch", "Tree › Branch: broken.png: error 7"]))
    #expect(shown.contains("2 batons · 3 passes · 1 failed · 1 baton cancelled"))
    #expect(svg.contains("\(#fileID):"))
    let trace = timeline.chromeTrace()
    for name in ["root.json", "broken.png", "bare pass", "Tree › Branch", "cancelled: broken.png: error 7"] {
      #expect(trace.contains("\"\(name)\""))
    }
  }

  @Test func `misuse is marked, without naming the baton again`() {
    let baton = Baton(name: "Query", observer: timeline)
    baton.withPass {
      let pass = baton.makePass("a")
      pass.finish()
      pass.finish()
    }
    let trace = timeline.chromeTrace()
    #expect(trace.contains("\"misuse: pass \\\"a\\\" (\(#fileID):"))
    #expect(!trace.contains("misuse: Baton"))
  }

  @Test func `a child's own lane stands for its pass`() {
    let tree = Baton(name: "Tree", observer: timeline)
    tree.withPass {
      for name in ["a", "b"] { tree.makeChild(name: name).withPass {} }
    }
    #expect(texts(timeline.svg()).contains("3 batons · 3 passes"))
  }

  @Test func `records no more than it was asked to`() {
    let timeline = Baton.Timeline(limit: 10)
    let baton = Baton(name: "Query", observer: timeline)
    baton.withPass {
      for label in 0..<100 { baton.makePass("\(label)").finish() }
    }
    // Of 202 events, ten: the baton's two, the bare pass's two, and those of three passes.
    #expect(timeline.svg().contains(">194 events left out: more than the 10 that are recorded.<"))
    #expect(timeline.chromeTrace().contains("\"eventsLeftOut\":194"))
    #expect(Baton.Timeline(limit: -1).svg().contains("Nothing was recorded"))
  }

  @Test func `threads that pass and settle at the same time are recorded while it is drawn`() {
    let baton = Baton(name: "Query", observer: timeline)
    baton.withPass {
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        for round in 0..<100 {
          let pass = baton.makePass("\(thread).\(round)")
          baton.pass()
          if round == 50 { _ = (timeline.svg(), timeline.chromeTrace()) }
          baton.makeChild(name: "child").withPass { pass.finish() }
          baton.finish()
        }
      }
    }
    let svg = timeline.svg()
    #expect(baton.isComplete && !svg.contains("still out") && !svg.contains("so far"))
    #expect(svg.contains(">801 batons · 2,401 passes<"))
  }

  @Test func `an abandoned baton's passes stay open until they come back`() {
    let baton = Baton(name: "Query", observer: timeline)
    let pass = baton.makePass("font.ttf")
    baton.abandon()
    #expect(timeline.svg().contains("1 still out"))
    pass.finish()
    #expect(!timeline.svg().contains("1 still out"))
  }
}
