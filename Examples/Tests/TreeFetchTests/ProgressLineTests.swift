// The progress line: what it says, and how often.
import Testing
import TreeFetch

@Suite struct ProgressLineTests {
  private let start = ContinuousClock.now
  private var status: TreeDownload.Status {
    var status = TreeDownload.Status()
    status.found = 1_139
    status.saved = 412
    status.bytes = 2_912_345
    return status
  }

  @Test func `on a terminal the line is written in place`() {
    var line = ProgressLine(isTerminal: true, start: start)
    #expect(line.text(for: status, at: start + .milliseconds(50)) == "\r412 of 1,139 found so far, 2.9 MB\u{1B}[K")
    #expect(line.eraser == "\r\u{1B}[K")
  }

  @Test func `elsewhere each line is a line`() {
    var line = ProgressLine(isTerminal: false, start: start)
    #expect(line.text(for: status, at: start + .seconds(1)) == "412 of 1,139 found so far, 2.9 MB\n")
    #expect(line.eraser == "")
  }

  @Test(arguments: [(true, 20), (false, 1)])
  func `a second has only so many lines`(isTerminal: Bool, most: Int) {
    var line = ProgressLine(isTerminal: isTerminal, start: start)
    let lines = (1...1_000).compactMap { line.text(for: status, at: start + .milliseconds($0)) }
    #expect(lines.count == most)
  }
}
