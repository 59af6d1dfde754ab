// Settles that wait until stacks are less deep, and who sees to them. (CascadeDeferred.swift, CascadeRun.swift)

import Testing

@testable import Baton

@Suite struct CascadeDeferredTests {
  private func settle(_ log: Log<Int>, _ number: Int) -> CascadeDeferred.Settle {
    CascadeDeferred.Settle { log.add(number) }
  }

  @Test func `what was deferred first is taken up first`() {
    var deferred = CascadeDeferred()
    let log = Log<Int>()
    for number in 0..<3 { _ = deferred.append(settle(log, number)) }
    while let settle = deferred.takeUp() { settle.body() }
    #expect(log.all == [0, 1, 2])
  }

  @Test func `one watch is set, until it finds nothing`() {
    var deferred = CascadeDeferred()
    let log = Log<Int>()
    var setsWatch = [deferred.append(settle(log, 0)), deferred.append(settle(log, 1))]
    while deferred.takeUp() != nil {}
    setsWatch.append(deferred.append(settle(log, 2)))
    _ = deferred.takeUp()
    let look = deferred.look()
    setsWatch.append(deferred.append(settle(log, 3)))
    #expect(setsWatch == [true, false, false, true])
    #expect(look == .ends)
  }

  @Test func `a watch takes up only what nobody has taken up since it last looked`() {
    var deferred = CascadeDeferred()
    let log = Log<Int>()
    for number in 0..<4 { _ = deferred.append(settle(log, number)) }
    var looks: [CascadeDeferred.Look] = []
    _ = deferred.takeUp()
    looks.append(deferred.look())
    _ = deferred.takeUp()
    for _ in 0..<3 { looks.append(deferred.look()) }
    _ = deferred.takeUp()
    looks.append(deferred.look())
    _ = deferred.takeUp()
    looks.append(deferred.look())
    #expect(looks == [.looksAgain, .looksAgain, .takesUp, .takesUp, .looksAgain, .ends])
  }

  @Test func `a watch takes up at its first look what nobody has begun with`() {
    var deferred = CascadeDeferred()
    _ = deferred.append(settle(Log(), 0))
    let look = deferred.look()
    #expect(look == .takesUp)
  }
}
