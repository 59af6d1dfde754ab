// The picture of a timeline: that it can be read, by machines and by people.

import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import Baton

/// The shapes and texts of a picture, read back.
private final class Picture: NSObject, XMLParserDelegate {
  struct Element {
    let name: String
    let attributes: [String: String]
    var text = ""
    subscript(_ attribute: String) -> Double { attributes[attribute].flatMap(Double.init) ?? 0 }
    var styles: [Substring] { attributes["class"]?.split(separator: " ") ?? [] }

    /// Where a whisker lies, read off its path: `M`, its foot's upper end, and after the first `H` its right end.
    var whisker: (left: Double, right: Double, top: Double)? {
      guard let path = attributes["d"], let head = path.firstRange(of: "H") else { return nil }
      let start = path.dropFirst().prefix { $0 != "v" }.split(separator: " ").compactMap { Double($0) }
      guard start.count == 2, let right = Double(path[head.upperBound...].prefix { $0 != "v" }) else { return nil }
      return (start[0], right, start[1])
    }
  }

  private(set) var elements: [Element] = []
  private var open: [Int] = []

  init(_ svg: String) throws {
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    open.append(elements.count)
    elements.append(Element(name: name, attributes: attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { open.last.map { elements[$0].text += string } }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
  }

  var texts: [String] { elements.filter { $0.name == "text" }.map(\.text) }

  /// Every text and every outlined bar as a span on its line, to be tested for overlap.
  func expectNoOverlap(_ location: SourceLocation = #_sourceLocation) {
    let texts = elements.filter { $0.name == "text" && $0.styles.contains("m") }
    for (_, line) in Dictionary(grouping: texts, by: { $0["y"] }) {
      let line = line.sorted { $0["x"] < $1["x"] }
      for (left, right) in zip(line, line.dropFirst()) {
        #expect(
          left["x"] + left["textLength"] <= right["x"], "\(left.text) overlaps \(right.text)", sourceLocation: location)
      }
    }
    for text in texts {
      #expect(text["x"] >= 0 && text["x"] + text["textLength"] <= 1280, "\(text.text)", sourceLocation: location)
    }
    // A label is on its own bar, or beside all of them.
    let bars = elements.filter {
      $0.name == "rect" && !Set($0.styles).isDisjoint(with: ["b", "f", "c", "B", "F", "C"])
    }
    let whiskers = elements.filter { $0.styles == ["w"] }.compactMap(\.whisker)
    for text in texts where text.styles.contains("a") {
      let (start, end) = (text["x"], text["x"] + text["textLength"])
      for bar in bars where bar["y"] < text["y"] && text["y"] < bar["y"] + bar["height"] {
        #expect(end <= bar["x"] || bar["x"] + bar["width"] <= start, "\(text.text)", sourceLocation: location)
      }
      for whisker in whiskers where whisker.top - 2 < text["y"] && text["y"] < whisker.top + 13 {
        #expect(end <= whisker.left || whisker.right <= start, "\(text.text)", sourceLocation: location)
      }
    }
  }
}

/// Section 10.
@Suite struct TimelineSvgTests {
  private static let start = ContinuousClock.now
  private func after(_ milliseconds: Double) -> ContinuousClock.Instant {
    Self.start.advanced(by: .microseconds(Int64(milliseconds * 1000)))
  }

  private func svg(_ state: TimelineState, at milliseconds: Double = 0) -> String {
    TimelineSvg(TimelineChart(state, at: after(milliseconds))).text
  }

  /// A run in which passes of very different lengths are at work in `lanes` batons.
  private func run(passes: Int, lanes: Int, together: Int) -> TimelineState {
    var state = TimelineState(limit: 100_000)
    state.made(1, parent: nil, name: "Import", at: after(0))
    for lane in 2..<UInt64(2 + lanes) {
      state.made(lane, parent: lane % 5 == 0 ? lane - 1 : 1, name: "Lane \(lane)", at: after(Double(lane)))
    }
    let names = ["a", "logo.png", String(repeating: "long-name/", count: 9), "<&\"'>", "画像"]
    for index in 0..<passes {
      let lane = UInt64(2 + index % lanes)
      let begin = Double(lane) + Double(index / together) * 7
      // The golden ratio's multiples are spread as evenly as can be: lengths that are different, and the same each time.
      let length = 0.2 + (Double(index) * 0.618).truncatingRemainder(dividingBy: 1) * 30
      let label = names[index % names.count] + "\(index)"
      // Every third has waited, some of them hardly at all.
      let wait = index % 3 == 0 ? Double(index % 10) * 3 : 0
      state.passed(lane, pass: UInt64(index + 1), label: label, location: nil, count: 1, at: after(begin - wait))
      if wait > 0 {
        state.runner(pass: UInt64(index + 1), .waitsForPermit, at: after(begin - wait))
        state.runner(pass: UInt64(index + 1), .begins, at: after(begin))
      }
      if index == 13 { state.cancelled(lane, failure: "\(label): not found", at: after(begin + length)) }
      if index == 17 { state.misused(lane, "pass \"x\" was settled twice", at: after(begin)) }
      // The last one never comes back.
      guard index < passes - 1 else { break }
      let result: TimelineState.Result = index == 13 ? .failed("not found") : index == 19 ? .cancelled : .finished
      state.settled(lane, pass: UInt64(index + 1), count: 1, result, at: after(begin + length))
    }
    return state
  }

  @Test(arguments: [
    (50, 1, 4), (50, 1, 50), (50, 10, 5), (1000, 1, 8), (1000, 1, 1000), (1000, 100, 30), (1000, 999, 9),
  ])
  func `labels never overlap`(passes: Int, lanes: Int, together: Int) throws {
    let picture = try Picture(svg(run(passes: passes, lanes: lanes, together: together), at: 9000))
    picture.expectNoOverlap()
    #expect(picture.texts.contains { $0.hasPrefix("Import: 9.00 s so far") })
    let bars = picture.elements.filter { !Set($0.styles).isDisjoint(with: ["b", "f", "c", "o", "B", "F", "C", "O"]) }
    // The legend's five, and a triangle.
    #expect(bars.count - 6 == passes)
  }

  @Test func `the slowest are named, in words and on their bars`() throws {
    var state = TimelineState(limit: 1000)
    state.made(1, parent: nil, name: "Query", at: after(0))
    for id in 1...9 as ClosedRange<UInt64> {
      state.passed(1, pass: id, label: "p\(id)", location: nil, count: 1, at: after(0))
      state.settled(1, pass: id, count: 1, at: after(id == 4 ? 100 : Double(id)))
    }
    state.completed(1, cancelled: false, at: after(100))
    let texts = try Picture(svg(state)).texts
    #expect(texts.contains("#1 p4 100 ms"))
    #expect(texts.contains("#5 p6 6.00 ms"))
    #expect(texts.contains("p5 5.00 ms"))
    #expect(texts.contains("1 baton · 9 passes"))
  }

  @Test func `what is still out has an arrowhead at its end, and not an edge`() throws {
    var state = TimelineState(limit: 1000)
    state.made(1, parent: nil, name: "Query", at: after(0))
    state.passed(1, pass: 1, label: "font.ttf", location: nil, count: 1, at: after(10))
    state.passed(1, pass: 2, label: "logo.png", location: nil, count: 1, at: after(10))
    state.settled(1, pass: 2, count: 1, at: after(20))
    let picture = try Picture(svg(state, at: 50))
    #expect(picture.texts.contains("1 baton · 2 passes · 1 still out"))
    #expect(picture.texts.contains("#1 font.ttf 40.0 ms"))
    let arrows = picture.elements.filter { $0.name == "path" && $0.styles.contains("o") }
    #expect(arrows.count == 2)
    #expect(picture.elements.contains { $0.name == "title" && $0.text.contains("still out after 40.0 ms") })
  }

  @Test func `a bare pass doesn't rank among the slowest, since nobody could find it`() throws {
    var state = TimelineState(limit: 1000)
    state.made(1, parent: nil, name: "Query", at: after(0))
    state.passed(1, pass: nil, label: nil, location: nil, count: 1, at: after(0))
    state.passed(1, pass: 1, label: "logo.png", location: nil, count: 1, at: after(0))
    state.settled(1, pass: 1, count: 1, at: after(10))
    state.settled(1, pass: nil, count: 1, at: after(50))
    state.completed(1, cancelled: false, at: after(50))
    let texts = try Picture(svg(state)).texts
    #expect(texts.contains("#1 logo.png 10.0 ms") && !texts.contains("#2") && texts.contains("bare pass 50.0 ms"))
  }

  @Test func `the waiting of a runner is drawn apart from its work`() throws {
    var state = TimelineState(limit: 1000)
    state.made(1, parent: nil, name: "Query", at: after(0))
    for id in 1...3 as ClosedRange<UInt64> {
      state.passed(1, pass: id, label: "p\(id)", location: nil, count: 1, at: after(0))
      if id > 1 { state.runner(pass: id, .waitsForPermit, at: after(0)) }
    }
    state.settled(1, pass: 1, count: 1, at: after(50))
    state.runner(pass: 2, .begins, at: after(50))
    state.settled(1, pass: 2, count: 1, at: after(60))
    state.settled(1, pass: 3, count: 1, .cancelled, at: after(100))
    state.completed(1, cancelled: true, at: after(100))
    let picture = try Picture(svg(state))
    #expect(
      picture.texts.contains("1 baton · 3 passes · 1 never started · 1 baton cancelled · waited up to 50.0 ms to begin")
    )
    #expect(picture.texts.contains("#2 p2 10.0 ms") && picture.texts.contains("waiting to begin"))
    // One of them is the legend's.
    let whiskers = picture.elements.filter { $0.styles == ["w"] }.compactMap(\.whisker)
    #expect(whiskers.map(\.right).max() == 210 + 1030 / 2 && whiskers.count == 2)
    #expect(picture.elements.contains { $0.name == "title" && $0.text.contains("waited 50.0 ms for a permit") })
  }

  @Test func `failures and misuse are marked, and told in words`() throws {
    var state = TimelineState(limit: 1000)
    state.made(1, parent: nil, name: "Query", at: after(0))
    state.passed(1, pass: 1, label: "logo.png", location: nil, count: 1, at: after(0))
    state.cancelled(1, failure: "logo.png: not <found>", at: after(5))
    state.settled(1, pass: 1, count: 1, .failed("not <found>"), at: after(6))
    for round in 0..<9 { state.misused(1, "pass \(round) was settled twice", at: after(Double(10 + round))) }
    state.completed(1, cancelled: true, at: after(20))
    let picture = try Picture(svg(state))
    #expect(picture.texts.filter { $0 == "Query: logo.png: not <found>" }.count == 1, "the pass, not its baton again")
    #expect(picture.texts.contains("Query: pass 2 was settled twice"))
    #expect(picture.texts.contains("… and 6 more"))
    #expect(picture.elements.count { $0.name == "rect" && $0.styles.contains("f") } == 2)
    #expect(picture.elements.count { $0.name == "path" && $0.styles.contains("O") } == 10)
  }

  @Test func `says what was left out of the recording, and of the picture`() throws {
    var state = TimelineState(limit: 13_000)
    state.made(1, parent: nil, name: "Query", at: after(0))
    for id in 1...7000 as ClosedRange<UInt64> {
      state.passed(1, pass: id, label: "\(id)", location: nil, count: 1, at: after(Double(id)))
      state.settled(1, pass: id, count: 1, at: after(Double(id) + 0.5))
    }
    let picture = try Picture(svg(state, at: 7000))
    #expect(picture.texts.contains("1,002 events left out: more than the 13,000 that are recorded."))
    #expect(picture.texts.contains("1,499 passes not drawn: there are too many, and these are shorter."))
  }

  @Test func `nothing at all is a picture too`() throws {
    #expect(try Picture(svg(TimelineState(limit: 0))).texts.contains("Nothing was recorded: 0 s"))
    var state = TimelineState(limit: 10)
    state.made(1, parent: nil, name: nil, at: after(0))
    state.completed(1, cancelled: false, at: after(0))
    try Picture(svg(state)).expectNoOverlap()
  }

  @Test func `is light or dark as the reader's system is, and needs no other file`() {
    let text = svg(run(passes: 50, lanes: 3, together: 10))
    #expect(text.contains("@media (prefers-color-scheme:dark)"))
    #expect(!text.contains("href") && !text.contains("url(") && !text.contains("@import"))
    #expect(text.components(separatedBy: "http").count == 2, "only the namespace")
  }

  // MARK: Contrast

  @Test(arguments: [SvgStyle.light, SvgStyle.dark])
  func `text stands out from all that is behind it, and shapes from the page`(style: SvgStyle) throws {
    for (text, ground) in [
      (style.text, style.page), (style.muted, style.page), (style.text, style.finished.fill),
      (style.text, style.failed.fill), (style.text, style.open.fill), (style.text, style.cancelled.fill),
    ] {
      #expect(try contrast(text, ground) >= 7, "\(text) on \(ground)")
    }
    // Also the notes of what is left out.
    #expect(try contrast(style.failed.outline, style.page) >= 4.5)
    let outlines = [style.finished.outline, style.failed.outline, style.cancelled.outline, style.open.outline]
    for shape in outlines + [style.span] {
      #expect(try contrast(shape, style.page) >= 3, "\(shape) on \(style.page)")
    }
  }

  /// As WCAG 2.2 defines it: from 1 to 21.
  private func contrast(_ one: String, _ other: String) throws -> Double {
    func luminance(_ color: String) throws -> Double {
      let value = try #require(Int(color.dropFirst(), radix: 16))
      let parts = [value >> 16, value >> 8 & 255, value & 255].map { part in
        let part = Double(part) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let (first, second) = (try luminance(one), try luminance(other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }
}
