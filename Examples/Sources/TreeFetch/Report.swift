// What a download came to.
import Baton
import Foundation

/// The end of a download, in words and numbers.
package struct Report: Sendable {
  package let name: String
  package let outcome: Baton.Outcome
  package let status: TreeDownload.Status
  package let duration: Duration
  package let folder: URL

  package init(
    name: String, outcome: Baton.Outcome, status: TreeDownload.Status, duration: Duration, folder: URL
  ) {
    self.name = name
    self.outcome = outcome
    self.status = status
    self.duration = duration
    self.folder = folder
  }

  package var isComplete: Bool { !outcome.isCancelled }

  /// One line for each failure: its path from the root, and what went wrong.
  package var problems: [String] {
    outcome.failures.map { "\($0.path.joined(separator: " › ")): \("\($0.error)".oneLine)" }
  }

  /// What a person wants to know, a line each. The traffic is as the server saw it, where there is one to ask, and as
  /// the client saw it elsewhere.
  package func summary(limit: Int, traffic: Traffic? = nil) -> String {
    let traffic = traffic ?? status.traffic
    let seconds = duration / .seconds(1)
    let rows = [
      ("resources", isComplete ? status.saved.grouped : "\(status.saved.grouped) of at least \(status.found.grouped)"),
      ("bytes", "\(status.bytes.grouped) (\(status.bytes.asBytes))"),
      ("requests", traffic.requests.grouped),
      ("most in flight", "\(traffic.mostInFlight) (limit \(limit))"),
      ("seconds", seconds.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US")))),
      ("files", folder.path),
    ]
    return ([headline] + rows.map { "  \($0.0.padding(toLength: 16, withPad: " ", startingAt: 0))\($0.1)" })
      .joined(separator: "\n")
  }

  private var headline: String {
    if isComplete { return "\(name): all of it is here." }
    if outcome.failures.contains(where: { $0.error as? FetchError == .interrupted }) { return "\(name): interrupted." }
    let culprits = outcome.failures.compactMap(\.path.last).joined(separator: ", ")
    return culprits.isEmpty ? "\(name): incomplete." : "\(name): incomplete, because of \(culprits)."
  }
}
