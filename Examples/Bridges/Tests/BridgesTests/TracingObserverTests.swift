// A span for each baton and each pass.
import Baton
@testable import Bridges
import InMemoryTracing
import Testing
import Tracing

@Suite struct TracingObserverTests {
  private let tracer = InMemoryTracer()
  private var observer: TracingObserver { TracingObserver(tracer) }

  private func span(_ name: String) throws -> FinishedInMemorySpan {
    try #require(
      tracer.finishedSpans.first { $0.operationName == name }, "\(tracer.finishedSpans.map(\.operationName))")
  }

  @Test func `spans nest as batons and passes do, below the span in which the root was made`() throws {
    let request = tracer.startSpan("request", context: .topLevel)
    let tree = ServiceContext.withValue(request.context) { Baton(name: "Tree", observer: observer) }
    let own = tree.makePass("root.json")
    let line = #line + 1
    let below = tree.makeChild(name: "Branch").makePass("leaf.json")
    below.finish()
    own.finish()
    request.end()
    #expect(tracer.finishedSpans.map(\.operationName) == ["leaf.json", "Branch", "root.json", "Tree", "request"])
    #expect(try span("Tree").parentSpanID == span("request").spanID)
    #expect(try span("root.json").parentSpanID == span("Tree").spanID)
    #expect(try span("Branch").parentSpanID == span("Tree").spanID)
    #expect(try span("leaf.json").parentSpanID == span("Branch").spanID)
    #expect(Set(tracer.finishedSpans.map(\.traceID)).count == 1)
    let attributes = try span("leaf.json").attributes
    #expect(
      attributes.get("code.file.path") == .string("\(#fileID)")
        && attributes.get("code.line.number") == .int64(Int64(line)))
    #expect(try span("Branch").attributes.get("baton.path") == .string("Tree/Branch"))
    #expect(tracer.finishedSpans.allSatisfy { $0.status == nil && $0.errors.isEmpty } && tracer.activeSpans.isEmpty)
  }

  @Test func `a failure is recorded where it happened, and is the status of each baton that it cancels`() throws {
    let tree = Baton(name: "Tree", observer: observer)
    let other = tree.makePass("other.json")
    tree.makeChild(name: "Branch").makePass("leaf.json").cancel(SomeError())
    other.cancel()
    for name in ["leaf.json", "Branch", "Tree"] { #expect(try span(name).status?.code == .error) }
    #expect(try span("leaf.json").errors.map { $0.error as? SomeError } == [SomeError()])
    #expect(try span("Tree").status?.message?.contains("Tree › Branch › leaf.json: some error") == true)
    #expect(try span("Tree").errors.isEmpty && span("Tree").attributes.get("baton.cancelled") == .bool(true))
    #expect(try span("other.json").status == nil && span("other.json").events.map(\.name) == ["cancelled"])
  }

  @Test func `an abandoned baton ends all its spans, and what comes late begins none`() throws {
    let tree = Baton(observer: observer)
    tree.pass(count: 2)
    let pass = tree.makePass("stuck")
    tree.abandon()
    #expect(tracer.activeSpans.isEmpty)
    #expect(try span("stuck").errors.map { ($0.error as? Baton.AbandonedError)?.outstanding } == [1])
    #expect(try span("baton").attributes.get("baton.bare_passes") == .int64(2))
    pass.finish()
    #expect(tracer.finishedSpans.count == 2)
  }

  @Test func `misuse is an event of the baton's span`() throws {
    let tree = Baton(name: "Tree", observer: observer)
    tree.withPass {
      let pass = tree.makePass("a")
      pass.finish()
      pass.finish()
    }
    let event = try #require(try span("Tree").events.first)
    guard case .string(let text) = event.attributes.get("baton.misuse") else {
      Issue.record("\(event)")
      return
    }
    #expect(event.name == "misuse" && text.contains("pass \"a\" (\(#fileID):"))
  }
}
