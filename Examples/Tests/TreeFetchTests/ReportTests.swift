// The summary, to the letter.
import Baton
import Foundation
import Testing
import TreeFetch

@Suite struct ReportTests {
  private static func report(_ outcome: Baton.Outcome) -> Report {
    var status = TreeDownload.Status()
    status.found = 2_000
    status.saved = 1_139
    status.bytes = 7_297_140
    status.traffic.begin()
    return Report(
      name: "gnome", outcome: outcome, status: status, duration: .milliseconds(2_671), folder: URL(filePath: "/tmp/x"))
  }

  @Test func `a whole tree is summed up`() {
    let report = Self.report(.finished)
    #expect(report.isComplete)
    #expect(report.problems == [])
    #expect(
      report.summary(limit: 8) == """
        gnome: all of it is here.
          resources       1,139
          bytes           7,297,140 (7.3 MB)
          requests        1
          most in flight  1 (limit 8)
          seconds         2.67
          files           /tmp/x
        """)
  }

  @Test func `the server's count of requests comes before the client's`() {
    var traffic = Traffic()
    for _ in 1...3 { traffic.begin() }
    #expect(Self.report(.finished).summary(limit: 8, traffic: traffic).contains("most in flight  3 (limit 8)"))
  }

  @Test func `a tree that is not whole says how much of it came`() {
    let summary = Self.report(.cancelled([])).summary(limit: 8)
    #expect(summary.hasPrefix("gnome: incomplete.\n  resources       1,139 of at least 2,000\n"))
  }
}
