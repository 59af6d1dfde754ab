// What a download came to.
import Foundation

/// The end of a download, in words and numbers.
package struct Report: Sendable {
  package let name: String
  /// What ended it before any branch could: the root's own error, or an interrupt.
  package let failure: (any Error)?
  /// The branches that have come to an end, in that order.
  package let branches: [Branch]
  /// How many branches the root names.
  package let branchCount: Int
  /// How many resources are in the folder.
  package let fileCount: Int
  package let status: TreeDownload.Status
  package let duration: Duration
  package let folder: URL

  package init(
    name: String, failure: (any Error)?, branches: [Branch], branchCount: Int, fileCount: Int,
    status: TreeDownload.Status, duration: Duration, folder: URL
  ) {
    self.name = name
    self.failure = failure
    self.branches = branches
    self.branchCount = branchCount
    self.fileCount = fileCount
    self.status = status
    self.duration = duration
    self.folder = folder
  }

  package var isComplete: Bool { failure == nil && branches.allSatisfy(\.isWhole) }

  /// One line for each failure, however many branches it fails: its path from the root, and what went wrong.
  package var problems: [String] {
    let whole = failure.map { [Problem(path: [name], error: $0).line] } ?? []
    return whole + branches.flatMap(\.realProblems).map(\.line).unique
  }

  /// What a person wants to know. The traffic is as the server saw it, where there is one to ask, and as the client saw
  /// it elsewhere.
  package func summary(limit: Int, traffic: Traffic? = nil, timeline: URL? = nil) -> String {
    let traffic = traffic ?? status.traffic
    let seconds = (duration / .seconds(1)).formatted(
      .number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US")))
    let rows =
      [
        resources,
        "\(traffic.requests.counted("request")), at most \(traffic.mostInFlight) in flight (limit \(limit))",
        "\(status.bytes.counted("byte")) (\(status.bytes.asBytes))",
        "\(seconds) seconds",
        "files in \(folder.path)",
      ] + (timeline.map { ["timeline in \($0.path)"] } ?? [])
    let failed = branches.filter { !$0.realProblems.isEmpty }.map {
      "branch failed: \($0.root), through \($0.culprits.joined(separator: ", "))"
    }
    return ([headline] + (rows + failed).map { "  \($0)" }).joined(separator: "\n")
  }

  private var headline: String {
    if isComplete { return "\(name): all of it is here." }
    if failure as? FetchError == .interrupted { return "\(name): interrupted." }
    let culprits = branches.flatMap(\.culprits).unique.joined(separator: ", ")
    if !culprits.isEmpty { return "\(name): incomplete, because of \(culprits)." }
    return fileCount == 0 ? "\(name): nothing of it is here." : "\(name): incomplete."
  }

  private var resources: String {
    let count =
      isComplete
      ? fileCount.counted("resource") : "\(fileCount.grouped) of at least \(status.found.counted("resource"))"
    guard branchCount > 0 else { return count }
    let whole = branches.count { $0.isWhole }
    let ofAll = whole == branchCount ? "" : "\(whole.grouped) of "
    return "\(count) in \(ofAll)\(branchCount.counted("branch", "branches"))"
  }
}

extension Report {
  /// One branch that has come to an end.
  package struct Branch: Sendable {
    package let root: String
    /// Why it is not in the folder; none if it is there as a whole.
    package let problems: [Problem]

    package init(root: String, problems: [Problem] = []) {
      self.root = root
      self.problems = problems
    }

    package var isWhole: Bool { problems.isEmpty }
    /// Without what only says that the download was interrupted, which is said once.
    var realProblems: [Problem] { problems.filter { !($0.error is CancellationError) } }
    /// The resources through which it failed.
    package var culprits: [String] { realProblems.compactMap(\.path.last) }
  }

  /// What went wrong, and where: names from the root down.
  package struct Problem: Sendable {
    package let path: [String]
    package let error: any Error

    package init(path: [String], error: any Error) {
      self.path = path
      self.error = error
    }

    var line: String { "\(path.joined(separator: " › ")): \("\(error)".oneLine)" }
  }
}

extension [String] {
  /// Each once, where it came first.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
