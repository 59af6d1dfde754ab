// Durations and numbers in words.

import Testing

@testable import Baton

@Suite struct ReadableTests {
  private static let readings: [(Duration, String)] = [
    (.zero, "0 s"), (.seconds(-3), "0 s"), (.nanoseconds(850), "850 ns"), (.nanoseconds(1000), "1.00 µs"),
    (.nanoseconds(12_345), "12.3 µs"), (.microseconds(999_999), "999 ms"), (.milliseconds(4560), "4.56 s"),
    (.milliseconds(59_999), "59.9 s"), (.seconds(60), "1 min 00 s"), (.seconds(125), "2 min 05 s"),
    (.seconds(11_520), "3 h 12 min"), (.seconds(183_600), "2 d 03 h"),
  ]

  @Test(arguments: readings)
  func `a duration has three digits and a unit, or two units`(duration: Duration, text: String) {
    #expect(duration.readable == text)
  }

  @Test func `a duration that no number of nanoseconds can hold is the longest that one can`() {
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
    #expect(Duration.seconds(Int64.max).readable.hasSuffix(" h"))
  }

  @Test func `numbers have commas, and their noun its ending`() {
    #expect([0, 999, 1000, 1_234_567, -1234].map(\.grouped) == ["0", "999", "1,000", "1,234,567", "-1,234"])
    #expect(1.of("pass", "passes") == "1 pass")
    #expect(2000.of("pass", "passes") == "2,000 passes")
    #expect(0.of("event") == "0 events")
  }

  @Test func `a long text loses its middle`() {
    #expect("abcdefghij".shortened(to: 10) == "abcdefghij")
    #expect("abcdefghij".shortened(to: 6) == "abc…ij")
    #expect("abcdefghij".shortened(to: 1) == "…")
    #expect("abcdefghij".shortened(to: 0).isEmpty)
  }

  @Test func `what would break a line is a space`() {
    #expect("a\nb\r\nc\td\u{7}".onOneLine == "a b c d ")
  }
}
