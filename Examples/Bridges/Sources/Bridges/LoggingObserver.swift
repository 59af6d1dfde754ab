// Baton and swift-log: failures, cancellations and misuse as log records. Copy this file; it needs nothing else.
//
//     let query = Baton(name: "Query", observer: LoggingObserver(logger)) { cancelled in … }
//
// A failure is one record, however many batons it cancels; each of those says so in a record of its own, a level lower. A
// record's file and line are those of the pass, where it has any. Nothing is logged of a pass that is handed back.
import Baton
import Logging

struct LoggingObserver: Baton.Observer {
  private let logger: Logger

  /// - Parameter logger: Gets the records, on the thread on which the things happen. Copied: it keeps its metadata.
  init(_ logger: Logger) { self.logger = logger }

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    switch event {
    case .made: log(.trace, "Baton made", identity)
    case .passed: break
    case .settled(let pass):
      // What was cancelled by others has not failed: it would drown what has.
      guard let error = pass.error, !(error is CancellationError) else { return }
      log(.error, "Pass failed", identity, error, pass.label, pass.location)
    case .cancelled(let failure):
      log(.notice, "Baton cancelled", identity, failure?.error, failure?.label, failure?.location)
    case .completed(let cancelled): log(.debug, cancelled ? "Baton completed, cancelled" : "Baton completed", identity)
    case .misused(let misuse):
      let metadata: Logger.Metadata = [
        "baton.misuse": "\(misuse.kind)", "baton.outstanding": .stringConvertible(misuse.outstanding),
      ]
      log(.warning, "Baton misused", identity, nil, misuse.label, misuse.location, metadata)
    }
  }

  private func log(
    _ level: Logger.Level, _ message: Logger.Message, _ identity: Baton.Identity, _ error: (any Error)? = nil,
    _ label: String? = nil, _ location: Baton.Location? = nil, _ more: Logger.Metadata = [:]
  ) {
    logger.log(
      level: level, message, error: error,
      metadata: metadata(identity, label, location).merging(more) { _, new in new }, source: "Baton",
      file: location.map { "\($0.fileID)" } ?? #fileID, line: location?.line ?? #line)
  }

  /// Made only if the record is.
  private func metadata(
    _ identity: Baton.Identity, _ label: String?, _ location: Baton.Location?
  ) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["baton.id": .stringConvertible(identity.id)]
    if !identity.path.isEmpty { metadata["baton.path"] = .string(identity.path.joined(separator: " › ")) }
    if let label { metadata["baton.pass.label"] = .string(label) }
    if let location { metadata["baton.pass.location"] = .stringConvertible(location) }
    return metadata
  }
}
