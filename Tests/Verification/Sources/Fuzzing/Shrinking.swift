// A failing sequence, made shorter.

/// Delta debugging's `ddmin` (Zeller and Hildebrandt, 2002), over commands, and then smaller operands.
public enum Shrinking {
  /// Leaves out what a failure doesn't need.
  ///
  /// - Parameters:
  ///   - bytes: A sequence that fails.
  ///   - fails: Why a sequence fails, or nil.
  /// - Returns: A sequence that fails too, and why; no single command can be left out of it.
  /// - Complexity: O(commands²) plays.
  public static func shrink(
    _ bytes: [UInt8], fails: ([UInt8]) -> Difference?
  ) -> (bytes: [UInt8], difference: Difference?) {
    var (best, difference) = (Array(bytes.prefix(bytes.count / 2 * 2)), fails(bytes))
    /// Takes a smaller sequence if it still fails.
    func takes(_ candidate: [UInt8]) -> Bool {
      guard let reason = fails(candidate) else { return false }
      (best, difference) = (candidate, reason)
      return true
    }
    var chunk = max(2, best.count / 4 * 2)
    while chunk >= 2 {
      var (start, wasShortened) = (0, false)
      while start < best.count {
        var candidate = best
        candidate.removeSubrange(start..<min(start + chunk, best.count))
        if takes(candidate) { wasShortened = true } else { start += chunk }
      }
      // The smallest chunks again and again, until nothing more can go.
      if chunk > 2 { chunk = max(2, chunk / 4 * 2) } else if !wasShortened { break }
    }
    for index in stride(from: 1, to: best.count, by: 2) {
      for operand in 0..<best[index] {
        var candidate = best
        candidate[index] = operand
        if takes(candidate) { break }
      }
    }
    return (best, difference)
  }
}
