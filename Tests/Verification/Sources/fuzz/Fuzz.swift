// Random sequences of calls, on the library and on a model of it.

import ArgumentParser
import Foundation
import Fuzzing

@main struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays random sequences of calls on the library and on a sequential model, and compares.")

  @Option(help: "How many sequences.") var sequences = 1_000_000
  @Option(help: "Where the random numbers start; printed when none is given.") var seed: UInt64?
  @Option(help: "How many calls a sequence has at most.") var length = 24
  @Option(help: "Plays one sequence, given in hexadecimal, and shows its calls.") var replay: String?

  @Option(help: "A file of sequences in hexadecimal, one a line, to be played before the random ones.")
  var corpus: String?

  func validate() throws {
    guard sequences > 0 else { throw ValidationError("--sequences must be positive, not \(sequences).") }
    guard length > 0 else { throw ValidationError("--length must be positive, not \(length).") }
    if let replay, Self.bytes(replay) == nil {
      throw ValidationError("--replay wants an even number of hexadecimal digits, not '\(replay)'.")
    }
  }

  func run() throws {
    let reported = MisuseCount()
    if let replay, let bytes = Self.bytes(replay) {
      for (number, command) in Command.decode(bytes).enumerated() { print("\(number + 1). \(command)") }
      try Sequence.play(bytes, reported)
      return print("No difference.")
    }
    if let corpus { try play(linesOf: corpus, reported) }
    let seed = seed ?? UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SplitMix(state: seed)
    var calls = 0
    let clock = ContinuousClock()
    let start = clock.now
    for number in 1...sequences {
      let bytes = random.bytes(2 * Int.random(in: 1...length, using: &random))
      calls += bytes.count / 2
      try play(bytes, number: number, reported)
    }
    print("\(sequences) sequences, \(calls) calls, no difference, \(clock.now - start)")
  }

  private func play(linesOf file: String, _ reported: MisuseCount) throws {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    for (number, line) in lines.enumerated() {
      guard let bytes = Self.bytes(String(line)) else {
        throw ValidationError("\(file):\(number + 1) is no even number of hexadecimal digits.")
      }
      try play(bytes, number: number + 1, reported)
    }
    print("\(lines.count) sequences of \(file), no difference")
  }

  private func play(_ bytes: [UInt8], number: Int, _ reported: MisuseCount) throws {
    do { try Sequence.play(bytes, reported) } catch {
      report(error, in: bytes, number: number, reported)
      throw ExitCode.failure
    }
  }

  private func report(_ difference: Difference, in bytes: [UInt8], number: Int, _ reported: MisuseCount) {
    print("Sequence \(number) differs: \(difference)")
    let shrunk = Shrinking.shrink(bytes) { bytes in
      do throws(Difference) { try Sequence.play(bytes, reported) } catch { return error }
      return nil
    }
    print("The shortest that was found differs as well: \(shrunk.difference.map { "\($0)" } ?? "not at all")")
    for (number, command) in Command.decode(shrunk.bytes).enumerated() { print("  \(number + 1). \(command)") }
    print("Play it again: fuzz --replay \(Self.hexadecimal(shrunk.bytes))")
  }

  private static func bytes(_ digits: String) -> [UInt8]? {
    let nibbles = digits.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard nibbles.count == digits.count, nibbles.count % 2 == 0 else { return nil }
    return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// Sebastiano Vigna's SplitMix64: small, quick, and the same everywhere.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count { withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) } }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}
