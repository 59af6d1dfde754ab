// One sequence of calls, on the library and on the model.

import Baton

/// A difference between the library and the model.
public struct Difference: Error, CustomStringConvertible {
  /// What was found, and what the model says.
  public let description: String
}

/// Plays one sequence of calls on the library and on the model, and compares what can be seen after each.
///
/// Calls that the rules punish with a trap are left out: those have exit tests.
public struct Sequence {
  var model = Model()
  let world = World()
  /// How many events of each baton have been found to be the same.
  var compared: [Int] = []
  /// Where misuses are counted: there is one handler for the process.
  let reported: MisuseCount

  /// At most so many batons in one sequence.
  private static let mostBatons = 6
  private static let mostPasses = 24

  /// Plays the commands that the bytes stand for.
  /// - Throws: The first `Difference`.
  public static func play(_ bytes: [UInt8], _ reported: MisuseCount) throws(Difference) {
    var sequence = Sequence(reported)
    let commands = Command.decode(bytes)
    for (number, command) in commands.enumerated() {
      try sequence.play(command, number: number + 1)
      try sequence.compare("after \(command), step \(number + 1)")
    }
    try sequence.end()
  }

  private init(_ reported: MisuseCount) {
    self.reported = reported
    reported.count = Misuses()
    makeRoot(limit: nil, observed: false)
  }

  // MARK: Choosing what a command is about

  private func baton(_ operand: Int) -> (index: Int, baton: Baton)? {
    let index = operand % world.batons.count
    return world.batons[index].map { (index, $0) }
  }

  private func pass(_ operand: Int, where isFit: (Int) -> Bool = { _ in true }) -> (index: Int, pass: Baton.Pass)? {
    guard !world.held.isEmpty else { return nil }
    let index = operand % world.held.count
    guard case .pass(let pass) = world.held[index], isFit(index) else { return nil }
    return (index, pass)
  }

  private func isComplete(_ index: Int) -> Bool { model.nodes[index].isSealed && !model.nodes[index].isAbandoned }

  /// Passes of which nobody but the sequence knows: bare ones.
  private func bare(_ index: Int) -> Int {
    let node = model.nodes[index]
    let objects = model.passes.count { $0.baton == index && !$0.isSettled && !$0.isInert }
    let children = model.nodes.count { $0.parent == index && !$0.isSealed }
    return node.out - objects - children
  }

  private func maySettle(_ index: Int) -> Bool { model.nodes[index].isAbandoned || bare(index) > 0 }

  private mutating func makeRoot(limit: Int?, observed: Bool) {
    model.make(parent: nil, contained: false, limit: limit)
    let observer = observed ? world.observer() : nil
    world.add { Baton(name: "root", limit: limit.map { Baton.Limiter($0) }, observer: observer, completion: $0) }
  }

  // MARK: Playing

  private mutating func play(_ command: Command, number: Int) throws(Difference) {
    let operand = command.operand
    switch command.step {
    case .pass, .passSeveral, .tryPass, .finish, .cancel, .cancelWithError:
      try count(command.step, operand, number)
    case .cancelAll, .cancelAllWithError, .cancelAllWithNoise, .abandon, .abandonWithError:
      try endFromOutside(command.step, operand, number)
    case .isCancelled, .look, .onCompletion, .onCancel, .onCompletionThatAdds:
      try listen(command.step, operand, number)
    case .makePass, .tryMakePass, .wrap, .wrapThatThrows, .wrapThatPasses, .start:
      try hold(command.step, operand, number)
    case .passFinish, .passCancel, .passTry, .passOnCancel, .passOnCancelThatSettles, .settleAgain, .forget, .call,
      .callTwice:
      try settle(command.step, operand, number)
    case .makeChild, .makeContained, .makeWithHandler, .makeRoot, .letGo:
      nest(command.step, operand, number)
    }
  }

  func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: @autoclosure () -> String)
    throws(Difference)
  {
    if found != expected { throw Difference(description: "\(what()): \(found), not \(expected)") }
  }

  private mutating func count(_ step: Step, _ operand: Int, _ number: Int) throws(Difference) {
    guard let (index, baton) = baton(operand) else { return }
    switch step {
    case .pass where !isComplete(index):
      model.pass(index)
      baton.pass()
    case .passSeveral where !isComplete(index):
      model.pass(index, operand / 32)
      baton.pass(count: operand / 32)
    case .tryPass:
      let isOpen = !model.nodes[index].isSealed
      if isOpen { model.pass(index) }
      try expect(baton.tryPass(), isOpen, "tryPass")
    case .finish where maySettle(index):
      model.settleBare(index)
      baton.finish()
    case .cancel where maySettle(index):
      model.cancel(index, nil)
      model.settleBare(index)
      baton.cancel()
    case .cancelWithError where maySettle(index):
      let error = operand % 5 == 0 ? noise : number
      model.cancel(index, error)
      model.settleBare(index)
      baton.cancel(World.error(error))
    default: break
    }
  }

  private mutating func endFromOutside(_ step: Step, _ operand: Int, _ number: Int) throws(Difference) {
    guard let (index, baton) = baton(operand) else { return }
    let error: Int? =
      switch step {
      case .cancelAllWithError, .abandonWithError: number
      case .cancelAllWithNoise: noise
      default: nil
      }
    if step == .abandon || step == .abandonWithError {
      try expect(baton.abandon(error.map(World.error)), model.abandon(index, error), "abandon")
    } else {
      try expect(baton.cancelAll(error.map(World.error)), model.cancel(index, error), "cancelAll")
    }
  }

  private mutating func listen(_ step: Step, _ operand: Int, _ number: Int) throws(Difference) {
    guard let (index, baton) = baton(operand) else { return }
    switch step {
    case .isCancelled:
      try expect(baton.isCancelled, model.nodes[index].isCancelled, "isCancelled")
    case .onCompletion, .onCompletionThatAdds:
      let adds = step == .onCompletionThatAdds
      model.onCompletion(index, Model.Handler(id: number, adds: adds))
      world.addHandler(number, adds: adds, to: baton, index)
    case .onCancel:
      model.onCancel(index, number)
      baton.onCancel(world.cancelHandler(.cancelHandler, number, of: index))
    default:
      let outcome = baton.outcomeIfComplete
      try expect(outcome?.isCancelled, model.nodes[index].isSealed ? model.nodes[index].isCancelled : nil, "outcome")
      let failures = outcome?.failures.map { World.number($0.error) } ?? []
      try expect(failures, model.nodes[index].isSealed ? model.outcome(index) : [], "failures")
    }
  }

  private mutating func hold(_ step: Step, _ operand: Int, _ number: Int) throws(Difference) {
    guard let (index, baton) = baton(operand), world.held.count < Self.mostPasses else { return }
    if step == .tryMakePass, model.nodes[index].isSealed {
      return try expect(baton.tryMakePass() == nil, true, "tryMakePass of a complete baton")
    }
    guard !isComplete(index) else { return }
    let id = model.makePass(index)
    let (world, log, canary) = (world, world.logs[index], Canary(world.canaries))
    world.held.append(.none)
    switch step {
    case .tryMakePass:
      guard let pass = baton.tryMakePass() else { throw Difference(description: "tryMakePass of an open baton: nil") }
      world.held[id] = .pass(pass)
    case .makePass:
      world.held[id] = .pass(baton.makePass())
    case .start:
      model.start(id)
      baton.start { pass in
        log.events.append(Event(kind: .started, id: id))
        world.held[id] = .pass(pass)
        _ = canary
      }
    default:
      world.held[id] = .callback(
        baton.pass { [weak baton] (number: Int) in
          log.events.append(Event(kind: .called, id: id))
          _ = canary
          if step == .wrapThatPasses { baton?.pass() }
          if step == .wrapThatThrows { throw World.error(number % 5 == 0 ? noise : number) }
        })
      callbacks[id] = step
    }
  }

  /// What the callbacks do when they are called.
  private var callbacks: [Int: Step] = [:]

  private mutating func settle(_ step: Step, _ operand: Int, _ number: Int) throws(Difference) {
    if step == .call || step == .callTwice { return call(operand, number, times: step == .call ? 1 : 2) }
    if step == .forget { return forget(operand) }
    guard let (index, pass) = pass(operand) else { return }
    let isSettled = model.passes[index].isSettled
    switch step {
    case .passFinish,
      .settleAgain where isSettled:
      if !model.settle(index) { model.misuses.twice += 1 }
      pass.finish()
    case .passCancel:
      if !model.settle(index, error: number, cancels: true) { model.misuses.twice += 1 }
      pass.cancel(World.error(number))
    case .passTry where operand % 2 == 0:
      try expect(pass.tryFinish(), model.settle(index), "tryFinish")
    case .passTry:
      try expect(pass.tryCancel(), model.settle(index, cancels: true), "tryCancel")
    case .passOnCancel, .passOnCancelThatSettles:
      let settles = step == .passOnCancelThatSettles
      model.onCancel(ofPass: index, Model.Hook(id: number, settles: settles))
      let settle: (@Sendable () -> Void)? = settles ? { @Sendable [weak pass] in _ = pass?.tryFinish() } : nil
      pass.onCancel(world.cancelHandler(.passCancelHandler, number, of: model.passes[index].baton, then: settle))
    default: break
    }
  }

  private mutating func call(_ operand: Int, _ number: Int, times: Int) {
    guard !world.held.isEmpty else { return }
    let id = operand % world.held.count
    guard case .callback(let callback) = world.held[id], let step = callbacks[id] else { return }
    for _ in 0..<times {
      model.call(id, step, error: number % 5 == 0 ? noise : number)
      callback(number)
    }
  }

  mutating func forget(_ operand: Int) {
    guard !world.held.isEmpty else { return }
    let id = operand % world.held.count
    if case .none = world.held[id] { return }
    model.free(id)
    world.held[id] = .none
  }

  mutating func nest(_ step: Step, _ operand: Int, _ number: Int) {
    if step == .letGo {
      let index = operand % world.batons.count
      guard let baton = world.batons[index].take() else { return }
      model.letGo(index)
      return withExtendedLifetime(baton) {}
    }
    guard world.batons.count < Self.mostBatons else { return }
    if step == .makeRoot { return makeRoot(limit: operand % 3 == 0 ? nil : operand % 3, observed: operand % 2 == 0) }
    guard let (index, baton) = baton(operand), !isComplete(index) else { return }
    let limit = operand / 16 % 3
    model.make(parent: index, contained: step == .makeContained, limit: limit == 0 ? nil : limit)
    let name = operand / 64 == 0 ? "child" : nil
    world.add {
      baton.makeChild(
        name: name, cancellation: step == .makeContained ? .contained : .propagates,
        limit: limit == 0 ? .unlimited : Baton.Limiter(limit), completion: $0)
    }
    guard step == .makeWithHandler, let child = world.batons.last ?? nil else { return }
    model.onCancel(model.nodes.count - 1, number)
    child.onCancel(world.cancelHandler(.cancelHandler, number, of: model.nodes.count - 1))
  }
}
