// What an observer was told of misuse.

import Testing

@testable import Baton

/// Expects that one misuse was reported, and that it names the pass and its place (BEHAVIOURS 37).
func expectOneMisuse(
  _ log: EventLog, _ kind: Baton.Misuse.Kind, label: String?, line: UInt, fileID: String = #fileID,
  at location: SourceLocation = #_sourceLocation
) {
  let misuses = log.misuses
  #expect(misuses.map(\.kind) == [kind], sourceLocation: location)
  #expect(misuses.first?.label == label, sourceLocation: location)
  #expect(misuses.first?.location?.description == "\(fileID):\(line)", sourceLocation: location)
}

extension Baton.Outcome {
  /// The numbers of those errors that are `SomeError`s.
  var numbers: [Int] { failures.compactMap { ($0.error as? SomeError)?.number } }
}
