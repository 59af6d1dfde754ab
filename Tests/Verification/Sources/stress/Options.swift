// The arguments.

import Foundation

/// What `stress` is asked for.
struct Options {
  private(set) var rounds = 1_000_000
  /// From the clock, unless one is given: so that different runs try different things. It is printed.
  private(set) var seed = UInt64(Date().timeIntervalSince1970 * 1_000)
  private(set) var filter: String?

  static let usage = """
    usage: stress [--rounds N] [--seed S] [--scenario WORD] [--list]
      --rounds    how many, over all scenarios (1000000)
      --seed      decides what is made and who begins how late; the clock, if none is given
      --scenario  only those with this in their names
    """

  init(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let option = rest.popFirst() {
      switch option {
      case "--list":
        for scenario in Scenario.all { print("\(scenario.name)\t\(scenario.threads) threads\tshare \(scenario.share)") }
        exit(0)
      case "--rounds": rounds = number(rest.popFirst(), above: 0)
      case "--seed": seed = number(rest.popFirst(), above: nil)
      case "--scenario": filter = rest.popFirst()
      default: fail("'\(option)' is not an option")
      }
    }
  }

  private func number<N: FixedWidthInteger>(_ text: String?, above least: N?) -> N {
    guard let text, let number = N(text), least.map({ number > $0 }) ?? true else {
      fail("'\(text ?? "")' is not a number")
    }
    return number
  }

  func fail(_ what: String) -> Never {
    print("stress: \(what)\n\(Self.usage)")
    exit(2)
  }
}
