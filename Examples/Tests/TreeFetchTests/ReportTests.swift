// The summary, to the letter.
import Foundation
import Testing
import TreeFetch

@Suite struct ReportTests {
  private static func report(
    _ branches: [Report.Branch], of count: Int? = nil, files: Int = 1_139, failure: (any Error)? = nil
  ) -> Report {
    var status = TreeDownload.Status()
    status.found = 1_139
    status.saved = 1_139
    status.bytes = 7_297_140
    status.traffic.begin()
    return Report(
      name: "gnome", failure: failure, branches: branches, branchCount: count ?? branches.count, fileCount: files,
      status: status, duration: .milliseconds(2_671), folder: URL(filePath: "/tmp/x"))
  }

  private static func branch(_ root: String, failing culprits: String...) -> Report.Branch {
    Report.Branch(
      root: root, problems: culprits.map { Report.Problem(path: ["gnome", $0], error: FetchError.network("no")) })
  }

  @Test func `a whole tree is summed up`() {
    let report = Self.report([Self.branch("a"), Self.branch("b")])
    #expect(report.isComplete)
    #expect(report.problems == [])
    #expect(
      report.summary(limit: 8) == """
        gnome: all of it is here.
          1,139 resources in 2 branches
          1 request, at most 1 in flight (limit 8)
          7,297,140 bytes (7.3 MB)
          2.67 seconds
          files in /tmp/x
        """)
  }

  @Test func `where the timeline went is said last`() {
    let summary = Self.report([Self.branch("a")]).summary(limit: 8, timeline: URL(filePath: "/tmp/run.svg"))
    #expect(summary.hasSuffix("\n  files in /tmp/x\n  timeline in /tmp/run.svg"))
  }

  @Test func `failed branches are named, each with the resources through which it failed`() {
    let report = Self.report(
      [Self.branch("a", failing: "x"), Self.branch("b"), Self.branch("c", failing: "y", "x")], files: 12)
    #expect(!report.isComplete)
    #expect(report.problems == ["gnome › x: the request failed: no", "gnome › y: the request failed: no"])
    #expect(
      report.summary(limit: 8) == """
        gnome: incomplete, because of x, y.
          12 of at least 1,139 resources in 1 of 3 branches
          1 request, at most 1 in flight (limit 8)
          7,297,140 bytes (7.3 MB)
          2.67 seconds
          files in /tmp/x
          branch failed: a, through x
          branch failed: c, through y, x
        """)
  }

  @Test func `the server's count of requests comes before the client's`() {
    var traffic = Traffic()
    for _ in 1...3 { traffic.begin() }
    #expect(Self.report([]).summary(limit: 8, traffic: traffic).contains("3 requests, at most 3 in flight (limit 8)"))
  }

  @Test func `an interrupted tree says how much of it is there`() {
    let report = Self.report([Self.branch("a")], of: 36, files: 700, failure: FetchError.interrupted)
    #expect(report.problems == ["gnome: interrupted"])
    #expect(
      report.summary(limit: 8).hasPrefix(
        "gnome: interrupted.\n  700 of at least 1,139 resources in 1 of 36 branches\n"))
  }

  @Test func `what an interrupt cut short is not a failure of its own`() {
    let cut = Report.Branch(root: "b", problems: [Report.Problem(path: ["gnome", "b"], error: CancellationError())])
    let report = Self.report([Self.branch("a", failing: "x"), cut], files: 0, failure: FetchError.interrupted)
    #expect(!report.isComplete)
    #expect(report.problems == ["gnome: interrupted", "gnome › x: the request failed: no"])
    #expect(report.summary(limit: 8).hasSuffix("\n  files in /tmp/x\n  branch failed: a, through x"))
  }

  @Test func `a root that failed has no branches to speak of`() {
    let report = Self.report([], files: 0, failure: FetchError.network("no"))
    #expect(report.problems == ["gnome: the request failed: no"])
    #expect(
      report.summary(limit: 8).hasPrefix("gnome: nothing of it is here.\n  0 of at least 1,139 resources\n"))
  }
}
