// How far something is whose size becomes known only while it is done, as a pure struct.

/// What a progress shows of a baton's counts: never less than before, and all of it at completion and not a moment earlier.
///
/// While the counts allow it, the units are the passes. When the work grows, the share that is done shrinks, and the true
/// share can't be shown. Then each pass that comes back takes the progress on by its part of what is known to be left. The
/// units are millionths from then on; the true share is shown again once it has caught up. (Standing still until then was
/// rejected: after two passes, of which one came back at once, it would stand at a half for most of a run of hundreds.)
struct ProgressEstimate: Sendable {
  /// What is shown. A total of 0 means that nothing is known yet.
  private(set) var completed: Int64 = 0
  private(set) var total: Int64 = 0
  private(set) var isComplete = false
  private var isInMillionths = false
  /// `completed / total` before it was rounded to units.
  private var share = 0.0
  /// How many were done when the share was last looked at.
  private var done = 0

  private static let million: Int64 = 1_000_000

  /// Takes in new counts: how much work there is, as far as is known, and how much of it is done.
  mutating func update(passed: Int, settled: Int) {
    // All that is known is done, and yet it isn't complete: somebody is about to pass more, or to complete it.
    guard !isComplete, passed > settled, settled >= 0 else { return }
    let truth = Double(settled) / Double(passed)
    if truth >= share {
      share = truth
    } else {
      isInMillionths = true
      let more = Double(max(0, settled - done))
      share += (1 - share) * more / (more + Double(passed - settled))
    }
    done = max(done, settled)
    guard isInMillionths else { return show(Int64(settled), of: Int64(passed)) }
    // Upwards, so that it is never less than was shown in passes; but all of it only at the end.
    show(min(Int64((share * Double(Self.million)).rounded(.up)), Self.million - 1), of: Self.million)
  }

  /// Takes in new counts while others hold parts of the total, so that the units must stay what they are.
  ///
  /// Then it stands still while the work outgrows what is shown. `partial` is what the others have done of theirs that is
  /// not in `settled` yet.
  mutating func update(passed: Int, settled: Int, partial: Double) {
    guard !isComplete, passed > settled, settled >= 0 else { return }
    let shown = total > 0 ? (Double(completed) + partial) / Double(total) : 0
    guard (Double(settled) + partial) / Double(passed) >= shown else { return }
    show(Int64(settled), of: Int64(passed))
  }

  /// Makes passes the units again, since somebody brings a part that is counted in them; the share that is shown stays.
  mutating func useUnits(of passed: Int, share: Double, partial: Double) {
    isInMillionths = false
    let units = Int64((share * Double(passed) - partial).rounded(.up))
    show(max(0, min(units, Int64(passed) - 1)), of: Int64(passed))
  }

  /// What others have done was added to what is shown, without this.
  mutating func add(_ units: Int64) { completed += units }

  /// Shows all of it, but what others have still to do; there is at least one unit.
  mutating func complete(leaving rest: Int = 0) {
    isComplete = true
    let total = max(total, Int64(rest), 1)
    show(total - Int64(rest), of: total)
  }

  private mutating func show(_ completed: Int64, of total: Int64) { (self.completed, self.total) = (completed, total) }
}
