// ratios: measures Baton beside its peers and the limit, in turns, and prints a table.

import Foundation
import Works

@main
enum Ratios {
  /// Without arguments all rows that are measured in time or in bytes; with arguments the rows of these numbers.
  static func main() {
    let wanted = Set(CommandLine.arguments.dropFirst())
    print(Line.header)
    var missed = 0
    func show(_ lines: [Line]) {
      for line in lines {
        print(line.markdown)
        fflush(nil)
        if line.isMet == false { missed += 1 }
      }
    }
    let contests =
      Contest.counting + Contest.trees + Contest.callbacks + Contest.limits + Contest.graphs + Contest.threads
    for number in wanted.isEmpty ? (1...12).map(String.init) : wanted.sorted() {
      if number == "4" { show(Memory.measure()) }
      for contest in contests where contest.row == number { show(contest.run()) }
    }
    print("\n\(missed) of the targets above missed.")
  }
}
