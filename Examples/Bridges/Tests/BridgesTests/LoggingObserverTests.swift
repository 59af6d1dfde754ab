// Failures and misuse as log records.
import Baton
@testable import Bridges
import InMemoryLogging
import Logging
import Testing

@Suite struct LoggingObserverTests {
  private let handler = InMemoryLogHandler()
  private let observer: LoggingObserver

  init() {
    let logger = Logger(label: "test") { [handler] _ in handler }
    observer = LoggingObserver(logger)
  }

  private var records: [String] { handler.entries.map { "\($0.level): \($0.message)" } }

  @Test func `a failure is one record, with error, path, label and place; each baton that it cancels is one more`()
    throws
  {
    let tree = Baton(name: "Tree", observer: observer)
    let branch = tree.makeChild(name: "Branch")
    let line = #line + 1
    branch.makePass("logo.png").cancel(SomeError())
    #expect(tree.isComplete)
    #expect(records == ["notice: Baton cancelled", "notice: Baton cancelled", "error: Pass failed"])
    let failure = try #require(handler.entries.last)
    #expect(failure.error as? SomeError == SomeError())
    #expect(failure.metadata["baton.path"] == "Tree › Branch" && failure.metadata["baton.pass.label"] == "logo.png")
    #expect(failure.metadata["baton.pass.location"]?.description == "\(#fileID):\(line)")
    #expect(handler.entries.map { $0.metadata["baton.path"] } == ["Tree", "Tree › Branch", "Tree › Branch"])
    #expect(Set(handler.entries.compactMap { $0.metadata["baton.id"]?.description }).count == 2)
  }

  @Test func `misuse is a warning that says what was done, and with which pass`() throws {
    let baton = Baton(name: "Query", observer: observer)
    baton.withPass {
      let pass = baton.makePass("logo.png")
      pass.finish()
      pass.finish()
    }
    #expect(records == ["warning: Baton misused"])
    let metadata = try #require(handler.entries.first).metadata
    #expect(metadata["baton.misuse"] == "settledTwice" && metadata["baton.pass.label"] == "logo.png")
  }

  @Test func `nothing is logged of what goes well, nor a failure of what was cancelled by others`() {
    let baton = Baton(observer: observer)
    baton.withPass { baton.makePass("a").finish() }
    #expect(records == [])
    let cancelled = Baton(observer: observer)
    let pass = cancelled.makePass("b")
    cancelled.cancelAll()
    pass.cancel(CancellationError())
    #expect(records == ["notice: Baton cancelled"])
  }

  @Test func `it keeps no baton`() {
    weak var weakBaton: Baton?
    do {
      let baton = Baton(observer: observer)
      weakBaton = baton
      baton.withPass {}
    }
    #expect(weakBaton == nil)
  }
}
