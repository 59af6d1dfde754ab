// How a baton ended, and what went wrong.

import Testing

@testable import Baton

@Suite struct OutcomeTests {
  static func failure(_ number: Int, label: String? = nil, location: Baton.Location? = nil) -> Baton.Failure {
    let lineage = Baton.Lineage.make(name: "Catalogue", parent: nil, observed: false)
    return Baton.Failure(error: SomeError(number), label: label, location: location, lineage: lineage)
  }

  @Test func `a finished outcome has nothing to throw`() throws {
    let outcome = Baton.Outcome.finished
    #expect(!outcome.isCancelled && outcome.failures.isEmpty)
    try outcome.get()
  }

  @Test func `a cancelled outcome throws its first failure`() {
    let outcome = Baton.Outcome.cancelled([Self.failure(1), Self.failure(2)])
    #expect(outcome.isCancelled && outcome.failures.count == 2)
    #expect(throws: SomeError(1)) { try outcome.get() }
  }

  @Test func `a cancelled outcome without a failure throws CancellationError`() {
    let outcome = Baton.Outcome.cancelled([])
    #expect(outcome.isCancelled && outcome.failures.isEmpty)
    #expect(throws: CancellationError.self) { try outcome.get() }
  }

  @Test func `a failure's path goes from the root down to the label`() {
    #expect(Self.failure(1).path == ["Catalogue"])
    #expect(Self.failure(1, label: "logo.png").path == ["Catalogue", "logo.png"])
    #expect(Baton.Failure(error: SomeError(), lineage: nil).path.isEmpty)
    #expect(Baton.Failure(error: SomeError(), label: "logo.png", lineage: nil).path == ["logo.png"])
  }

  @Test func `a failure says what, and where`() {
    let location = Baton.Location(fileID: "App/Search.swift", line: 12)
    #expect("\(location)" == "App/Search.swift:12")
    #expect(
      "\(Self.failure(1, label: "logo.png", location: location))"
        == "Catalogue › logo.png: error 1 (App/Search.swift:12)")
    #expect("\(Self.failure(2))" == "Catalogue: error 2")
    #expect("\(Baton.Failure(error: SomeError(3), lineage: nil))" == "error 3")
  }

  @Test func `the library's own errors say what happened`() {
    #expect("\(Baton.AbandonedError(outstanding: 1))" == "abandoned with 1 pass out")
    #expect("\(Baton.AbandonedError(outstanding: 2))" == "abandoned with 2 passes out")
    #expect("\(Baton.TimeoutError(limit: .seconds(5)))" == "timed out after 5.0 seconds")
    #expect(Baton.AbandonedError(outstanding: 2) != Baton.AbandonedError(outstanding: 3))
    #expect(Baton.TimeoutError(limit: .seconds(5)) != Baton.TimeoutError(limit: .seconds(6)))
  }

  @Test func `a failure knows the pass that brought it`() throws {
    let baton = Baton(name: "B")
    baton.pass()
    let (pass, line) = (baton.makePass("logo.png"), #line)
    pass.cancel(SomeError(1))
    baton.cancel(SomeError(2))
    let failures = try #require(baton.outcomeIfComplete?.failures)
    #expect(failures.map(\.label) == ["logo.png", nil])
    #expect(failures[0].location?.line == UInt(line))
    #expect("\(failures[0])" == "B › logo.png: error 1 (\(#fileID):\(line))")
    // A bare pass doesn't know where it was made.
    #expect(failures[1].location == nil)
  }
}
