// File names for whatever a server calls its resources.

/// Hands out a file name for each resource's name: harmless, and no two the same.
///
/// Letters, digits and a few signs stay as they are; every other byte is written as `%2F`. A name that is taken, also
/// where only upper and lower case differ, gets `~2`, `~3`, …, which no name has by itself.
package struct FileNames: Sendable {
  private var uses: [String: Int] = [:]

  package init() {}

  package mutating func claim(_ name: String) -> String {
    let safe = Self.safe(name)
    let use = uses[safe.lowercased(), default: 0] + 1
    uses[safe.lowercased()] = use
    return use == 1 ? "\(safe).json" : "\(safe)~\(use).json"
  }

  private static func safe(_ name: String) -> String {
    var result = ""
    for byte in name.utf8 {
      let isLeadingDot = result.isEmpty && byte == UInt8(ascii: ".")  // `..`, and names that a listing hides.
      result += isPlain(byte) && !isLeadingDot ? String(UnicodeScalar(byte)) : escaped(byte)
      if result.utf8.count > 200 { break }  // File systems end at 255, and the suffixes need some.
    }
    return result.isEmpty ? "_" : result
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "._+-".utf8.contains(byte)
    }
  }

  private static func escaped(_ byte: UInt8) -> String {
    let hex = String(byte, radix: 16, uppercase: true)
    return hex.count == 1 ? "%0\(hex)" : "%\(hex)"
  }
}
