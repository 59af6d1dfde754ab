// The writing of SVG: elements, escapes, colours, and how wide a text is.

/// Collects the elements of a picture.
struct SvgCanvas {
  private(set) var elements: [String] = []

  // MARK: Elements

  mutating func rectangle(
    _ style: String, x: Double, y: Double, width: Double, height: Double, radius: Double = 0, tooltip: String? = nil
  ) {
    let round = radius > 0 ? " rx=\"\(radius.tenths)\"" : ""
    let shape =
      "<rect class=\"\(style)\" x=\"\(x.tenths)\" y=\"\(y.tenths)\" width=\"\(width.tenths)\" height=\"\(height.tenths)\"\(round)"
    add(shape, "rect", tooltip)
  }

  mutating func path(_ style: String, _ path: String, tooltip: String? = nil) {
    add("<path class=\"\(style)\" d=\"\(path)\"", "path", tooltip)
  }

  /// A text in the font whose characters are all as wide as each other.
  ///
  /// Its width is set, so that no text reaches farther than was planned for, whichever font the reader has.
  mutating func fixed(_ text: String, _ style: String = "", x: Double, y: Double) {
    guard !text.isEmpty else { return }
    elements.append(
      """
      <text class="\((["m"] + style.split(separator: " ")).joined(separator: " "))" x="\(x.tenths)" y="\(y.tenths)" \
      textLength="\(Self.width(of: text).tenths)" lengthAdjust="spacingAndGlyphs">\(text.xml)</text>
      """)
  }

  /// A text in the reader's usual font.
  mutating func text(_ text: String, _ style: String, x: Double, y: Double) {
    elements.append("<text class=\"\(style)\" x=\"\(x.tenths)\" y=\"\(y.tenths)\">\(text.xml)</text>")
  }

  private mutating func add(_ shape: String, _ name: String, _ tooltip: String?) {
    elements.append(tooltip.map { "\(shape)><title>\($0.xml)</title></\(name)>" } ?? shape + "/>")
  }

  // MARK: Widths

  /// How wide a character of `fixed` is, in units of the picture.
  static let advance = 6.7

  static func width(of text: String) -> Double { Double(columns(of: text)) * advance }

  /// Shortened so that it is at most so wide.
  static func fitted(_ text: String, into width: Double) -> String {
    var limit = max(0, Int(width / advance))
    var short = text.shortened(to: limit)
    // Wide characters take more than was counted.
    while limit > 0, self.width(of: short) > width {
      limit -= 1
      short = text.shortened(to: limit)
    }
    return short
  }

  /// Characters from beyond the scripts that are as wide as Latin count double: they may be.
  private static func columns(of text: String) -> Int {
    text.reduce(0) { sum, character in
      let value = character.unicodeScalars.first?.value ?? 0
      return sum + (value >= 0x1100 && !(0x2010...0x27BF ~= value) ? 2 : 1)
    }
  }
}

extension Double {
  /// With one decimal at most.
  var tenths: String {
    let tenths = Int64((self * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let size = tenths.magnitude
    return sign + (size % 10 == 0 ? "\(size / 10)" : "\(size / 10).\(size % 10)")
  }
}

extension String {
  /// With what XML reserves as entities, and without what it forbids.
  var xml: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      case ..." " where scalar != " ", "\u{FFFE}", "\u{FFFF}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
