// Which scenarios there are.

import Explored

/// Scenarios that are searched in the same way.
struct Family: Sendable {
  let name: String
  let options: Options
  /// One in so many is searched; which ones, depends on nothing but their number and the seed.
  let stride: Int
  /// Whether each night has others, by its date; then only how many schedules they had is told.
  let rotates: Bool
  private let sizes: [[Int]]
  private let listed: [String]

  /// All scenarios of which the threads have these numbers of generated calls.
  init(_ name: String, sizes: [[Int]], stride: Int = 1, rotates: Bool = false) {
    self.name = name
    self.sizes = sizes
    self.stride = stride
    self.rotates = rotates
    listed = []
    options = Options(preemptions: 2)
  }

  /// Scenarios chosen by hand.
  init(_ name: String, listed: [String], _ options: Options = Options()) {
    self.name = name
    self.listed = listed
    self.options = options
    stride = 1
    rotates = false
    sizes = []
  }

  private static let unheld: Family = {
    var options = Options(preemptions: 4)
    options.staleReads = 2
    options.reduces = false
    return Family("unheld", listed: unheldScenarios, options)
  }()

  /// What CI searches.
  static let ci = [
    Family("core", listed: coreScenarios),
    unheld,
    Family("1-1", sizes: [[1, 1]]),
    Family("2-1", sizes: [[2, 1]]),
    Family("1-1-1", sizes: [[1, 1, 1]]),
    Family("2-2", sizes: [[2, 2]], stride: 16),
    Family("2-1-1", sizes: [[2, 1, 1]], stride: 1024),
  ]

  /// What the nightly run searches.
  static let nightly = [
    Family("core", listed: coreScenarios),
    unheld,
    Family("1-1", sizes: [[1, 1]]),
    Family("2-1", sizes: [[2, 1]]),
    Family("1-1-1", sizes: [[1, 1, 1]]),
    Family("2-2", sizes: [[2, 2]]),
    Family("2-1-1", sizes: [[2, 1, 1]], stride: 64, rotates: true),
    Family("2-2-1", sizes: [[2, 2, 1]], stride: 4096, rotates: true),
    Family("2-2-2", sizes: [[2, 2, 2]], stride: 65536, rotates: true),
  ]

  /// Calls a body with every scenario of one part of the family, of as many parts as there are workers, until it
  /// returns false.
  func forEach(part: Int, of parts: Int, seed: UInt64, _ body: (Scenario) -> Bool) {
    var index = 0
    func visit(_ scenario: @autoclosure () -> Scenario) -> Bool {
      index += 1
      var random = SplitMix(seed: UInt64(index) ^ (rotates ? seed << 32 : 0))
      let draw = random.next() >> 8
      guard draw % UInt64(stride) == 0, draw / UInt64(stride) % UInt64(parts) == UInt64(part) else { return true }
      return body(scenario())
    }
    for text in listed {
      guard let scenario = Scenario(text) else { fatalError("\(text) is no scenario") }
      guard visit(scenario) else { return }
    }
    for size in sizes {
      for threads in Self.threads(size) {
        let isWithChild = threads.contains { $0.contains(where: \.isOnChild) }
        for options in isWithChild ? Self.childOptions : [[]] {
          guard visit(Scenario(threads, options)) else { return }
        }
      }
    }
  }

  private static let childOptions: [Set<Scenario.Option>] = [[], [.named], [.contained], [.named, .contained]]

  /// Every well-formed choice of calls for threads of these sizes, each once however its threads are numbered.
  private static func threads(_ sizes: [Int]) -> some Sequence<[[Call]]> {
    let programs = sizes.map(programs)
    var indices = sizes.map { _ in 0 }
    var isFirst = true
    return AnyIterator<[[Call]]> {
      while true {
        if isFirst { isFirst = false } else if !advance(&indices, programs.map(\.count)) { return nil }
        // Of threads of the same size, none has an earlier program than the one before it.
        let isSorted = zip(zip(sizes, sizes.dropFirst()), zip(indices, indices.dropFirst()))
          .allSatisfy { $0.0 != $0.1 || $1.0 <= $1.1 }
        if isSorted { return zip(programs, indices).map { $0[$1] } }
      }
    }
  }

  private static func advance(_ indices: inout [Int], _ counts: [Int]) -> Bool {
    for place in indices.indices.reversed() {
      indices[place] += 1
      if indices[place] < counts[place] { return true }
      indices[place] = 0
    }
    return false
  }

  /// Every well-formed sequence of so many calls.
  private static func programs(_ size: Int) -> [[Call]] {
    var programs: [[Call]] = [[]]
    for _ in 0..<size { programs = programs.flatMap { program in Call.generated.map { program + [$0] } } }
    return programs.filter { Scenario([$0]).isWellFormed }
  }
}
