// counted WORK COUNT: does one work so many times, for callgrind to count its instructions.

import Works

/// What is counted, by name.
private let works: [String: Work] = [
  "1-pass-finish": Works.passAndFinish,
  "1-limit": Works.bareCounter,
  "2-life": Works.life,
  "2-limit": Works.bareLife,
  "3-tree-of-2": Works.tree(fan: 2),
  "3-tree-of-10": Works.tree(fan: 10),
  "3-limit-of-2": Works.bareTree(fan: 2),
  "3-limit-of-10": Works.bareTree(fan: 10),
  "5-inline": Works.endInline,
  "5-inline-limit": Works.bareInline,
  "5-queue": Works.endOnQueue,
  "5-queue-limit": Works.bareAsync,
  "5-awaited": Works.endAwaited,
  "5-awaited-limit": Works.bareContinuation,
  "6-callback": Works.callback,
  "6-limit": Works.onceFlag,
  "7-gather": Works.gather,
  "7-gather-list": Works.gatherList,
  "7-limit": Works.bareGather,
  "8-inline": Works.limitedInline,
  "11-limit": Works.checkedCounter,
]

/// The only thing that is counted: callgrind is told its name, "*countedRound*".
@inline(never)
func countedRound() { round() }

nonisolated(unsafe) private var round: () -> Void = {}

@main
enum Counted {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let work = works[arguments[1]], let count = Int(arguments[2]) else {
      print(works.keys.sorted().joined(separator: "\n"))
      return
    }
    round = work.prepare(count)
    countedRound()
  }
}
