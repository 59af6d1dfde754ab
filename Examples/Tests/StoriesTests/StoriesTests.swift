// The stories: each is run as a person runs it, and says what its file promises.
import ProgramSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct StoriesTests {
  /// The lines that a story prints. It must end well, and complain of nothing: a misuse is a line on standard error.
  private static func lines(of story: String) async throws -> [String] {
    let end = try await Program(story).run()
    #expect(end.status == 0)
    #expect(end.errors == "")
    return end.output.split(separator: "\n").map(String.init)
  }

  /// The lines below a heading that ends with a colon, up to the next one.
  private static func section(_ heading: String, of lines: [String]) throws -> [String] {
    let start = try #require(lines.firstIndex(of: "\(heading):"))
    return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
  }

  @Test func `WebServices: completion, wait and await come to the same`() async throws {
    #expect(
      try await Self.lines(of: "WebServices") == [
        "completion: Good morning, Ada (dark theme)",
        "wait:       Good morning, Ada (dark theme)",
        "await:      Good morning, Ada (dark theme)",
        "completion: failed: there is no user Nobody",
        "wait:       failed: there is no user Nobody",
        "await:      failed: there is no user Nobody",
        "completion: Good morning, Ada (dark theme, 3 messages)",
      ])
  }

  @Test func `ScatterGather: bare and wrapped load the same, and only the wrapped knows why it failed`() async throws {
    #expect(
      try await Self.lines(of: "ScatterGather") == [
        "page, bare: finished with page, photo, style, colours",
        "page, wrapped: finished with page, photo, style, colours",
        "broken page, bare: cancelled with broken page, photo, style, colours",
        "broken page, wrapped: cancelled with broken page, photo, style, colours",
        "  Query › logo: there is no logo",
      ])
  }

  @Test func `TaskList: the limit says how many run at the same time`() async throws {
    let lines = try await Self.lines(of: "TaskList")
    #expect(
      try Self.section("one after another", of: lines) == [
        "clear the cache begins", "clear the cache ends", "open the store begins", "open the store ends",
        "load the fonts begins", "load the fonts ends",
      ])
    #expect(
      try Self.section("two at a time", of: lines) == [
        "clear the cache begins", "open the store begins", "clear the cache ends", "load the fonts begins",
        "open the store ends", "load the fonts ends",
      ])
    #expect(
      try Self.section("all at the same time", of: lines) == [
        "clear the cache begins", "open the store begins", "load the fonts begins", "clear the cache ends",
        "open the store ends", "load the fonts ends",
      ])
    #expect(
      lines.filter { $0.hasSuffix("all done") } == [
        "one after another: all done", "two at a time: all done", "all at the same time: all done",
      ])
  }

  @Test(arguments: [
    ("one record", ["save…", "submit…"], "Sent. Thank you!", "1 submitted, saved at most 1 at once"),
    (
      "saving fails", ["save…", "save's own handler: diskFull", "the chain's handler: Telemetry › save › record"],
      "Nothing was sent.", "0 submitted, saved at most 1 at once"
    ),
    (
      "submitting fails",
      ["save…", "submit…", "submit's own handler: offline", "the chain's handler: Telemetry › submit"],
      "Nothing was sent.", "0 submitted, saved at most 1 at once"
    ),
    ("100 records in sequence", ["save…", "submit…"], "Sent. Thank you!", "100 submitted, saved at most 1 at once"),
    ("100 records in parallel", ["save…", "submit…"], "Sent. Thank you!", "100 submitted, saved at most 100 at once"),
    (
      "100 in sequence, and saving fails",
      ["save…", "save's own handler: diskFull", "the chain's handler: Telemetry › save › record 1"],
      "Nothing was sent.", "0 submitted, saved at most 1 at once"
    ),
  ])
  func `Recorder: a failed save is not submitted, and the end comes in any case`(
    title: String, steps: [String], alert: String, end: String
  ) async throws {
    let always = ["in any case: the log is closed", "alert: \(alert)", "end: \(end)"]
    #expect(try await Self.section(title, of: Self.lines(of: "Recorder")) == steps + always)
  }

  @Test func `GroupRequests: each callback runs before its group's, and groups don't mix`() async throws {
    #expect(
      try await Self.lines(of: "GroupRequests") == [
        "  the profile/user", "  the profile/name", "  the profile/city",
        "  the feed/news", "  there is no feed/missing ad", "  CancellationError()", "  there is no feed/missing film",
        "  the outside", "  the profile/friends", "  the profile/likes", "  the profile/photo",
        "Profile: all is here",
        "  the feed/weather",
        "Feed: failed",
        "  Feed › feed/missing ad: there is no feed/missing ad",
        "  Feed › feed/missing film: there is no feed/missing film",
        "profile: at most 3 at once", "feed: at most 3 at once",
      ])
  }
}
