// Legs and steps: typed, one after another, with a barrier between. (Relay.swift)

import Dispatch
import Testing

@testable import Baton

@Suite struct RelayTests {
  let log = Log<String>()

  // MARK: From leg to leg

  @Test func `each leg's results are the next one's input, typed, in pass order`() async throws {
    let relay = Baton.Relay(name: "Import", of: String.self)
      .leg("Words", of: String.self) { text, gather in
        let words = text.split(separator: " ").map(String.init)
        let passes = words.map { gather.makePass($0) }
        for (word, pass) in zip(words, passes).reversed() { pass.finish(word) }
      }
      .leg("Lengths", of: Int.self, limit: 2) { words, gather in
        for word in words { gather.addTask(word) { word.count } }
      }
      .step("Sum") { lengths in lengths.reduce(0, +) }
      .step("Text") { sum in "\(sum) letters" }
    let text: String = try await relay.run("to be or not")
    #expect(text == "9 letters")
  }

  @Test func `callbacks, runners, tasks and passes are the runners of one leg`() async throws {
    let relay = Baton.Relay(of: Int.self)
      .leg(of: Int.self) { input, gather in
        DispatchQueue.global().async(execute: gather.pass { input })
        gather.start { $0.finish(input + 1) }
        gather.addTask { input + 2 }
        let pass = gather.makePass()
        pass.finish(input + 3)
      }
    #expect(try await relay.run(10) == [10, 11, 12, 13])
  }

  @Test func `a relay without input begins with a leg or a step that gets none`() async throws {
    let leg = Baton.Relay(name: "Leg").leg("One", of: Int.self) { gather in gather.makePass().finish(1) }
    #expect(try await leg.run() == [1])
    let step = Baton.Relay(name: "Step").step("One") { 1 }.step { $0 + 1 }
    #expect(try await step.run() == 2)
    let nothing: Void = try await Baton.Relay(name: "Nothing").run()
    #expect(nothing == ())
  }

  @Test func `a relay without a stage hands its input through`() async throws {
    #expect(try await Baton.Relay(of: Int.self).run(3) == 3)
  }

  @Test func `optional values, nil among them, go from leg to leg`() async throws {
    let relay = Baton.Relay(of: Int?.self)
      .step { input -> Int? in
        #expect(input == nil)
        return nil
      }
      .leg(of: String?.self) { number, gather in
        #expect(number == nil)
        let one = gather.makePass()
        gather.makePass().finish("two")
        one.finish(nil)
      }
      .step { words -> [String?]? in words }
    #expect(try await relay.run(nil) == [nil, "two"])
    #expect(try await Baton.Relay(of: Int.self).step { _ -> Int? in nil }.run(1) == nil)
  }

  @Test func `a leg that starts nothing brings nothing, and the next one starts`() async throws {
    let relay = Baton.Relay(of: Int.self)
      .leg("None", of: String.self) { _, _ in }
      .step { words in words.count }
    #expect(try await relay.run(1) == 0)
  }

  @Test func `legs that end at once run on the thread that starts the run, before start returns`() {
    let relay = Baton.Relay(of: Int.self)
      .leg(of: Int.self) { input, gather in gather.makePass().finish(input + 1) }
      .leg(of: Int.self) { values, gather in gather.makePass().finish(values[0] + 1) }
    let running = relay.start(1) { result in log.add("\((try? result.get()) ?? [])") }
    #expect(log.all == ["[3]"] && running.isComplete)
  }

  @Test func `a run's baton has the relay's name, and is told of as it runs`() async throws {
    let relay = Baton.Relay(name: "Import", of: Int.self)
      .leg("Wait", of: Int.self) { input, gather in
        log.add("\(gather.baton.name ?? "?")")
        gather.makePass().finish(input)
      }
    let running = relay.start(1) { _ in log.add("done") }
    #expect(running.name == "Import")
    #expect(log.all == ["Wait", "done"])
  }

  @Test func `the completion runs before the handlers that others have added to the run's baton`() {
    let pass = Holder<Baton.Gather<Int>.Pass>(nil)
    let relay = Baton.Relay(of: Int.self).leg(of: Int.self) { _, gather in pass.put(gather.makePass()) }
    let running = relay.start(1) { _ in log.add("completion") }
    running.onCompletion { _ in log.add("handler") }
    pass.take()?.finish(1)
    #expect(log.all == ["completion", "handler"])
  }

  // MARK: The barrier

  /// Runners that end in every order, on several threads; each leg starts when all of the one before are over.
  @Test func `no runner of a leg starts before all of the leg before are back`() async throws {
    let (legs, runners) = (6, 8)
    let over = (0...legs).map { _ in Counter() }
    var relay = Baton.Relay(of: [Int].self)
    for leg in 0..<legs {
      relay = relay.leg("\(leg)", of: Int.self) { values, gather in
        for runner in 0..<runners {
          gather.start { pass in
            if leg > 0, over[leg - 1].value != runners { log.add("\(leg) started too early") }
            DispatchQueue.global().async {
              if over[leg + 1].value != 0 { log.add("\(leg) was overtaken") }
              over[leg].add()
              pass.finish(values[runner] + 1)
            }
          }
        }
      }
    }
    for round in 0..<50 {
      let start = Array(repeating: round, count: runners)
      #expect(try await relay.run(start) == start.map { $0 + legs })
      for counter in over { counter.add(-counter.value) }
    }
    #expect(log.all == [])
  }

  @Test func `the next leg starts when the last runner is back, not earlier`() {
    let passes = Log<Baton.Gather<Int>.Pass>()
    let relay = Baton.Relay(name: "Two")
      .leg("First", of: Int.self) { gather in for _ in 0..<3 { passes.add(gather.makePass()) } }
      .leg("Second", of: Int.self) { values, gather in
        log.add("second: \(values)")
        gather.makePass().finish(0)
      }
    let running = relay.start { _ in log.add("done") }
    passes.all[2].finish(3)
    passes.all[0].finish(1)
    #expect(log.all == [] && !running.isComplete)
    passes.all[1].finish(2)
    #expect(log.all == ["second: [1, 2, 3]", "done"] && running.isComplete)
  }

  @Test func `a leg is not over while its body runs`() {
    let relay = Baton.Relay(of: Int.self)
      .leg("First", of: Int.self) { input, gather in
        for number in 0..<3 { gather.makePass().finish(input + number) }
        log.add("body is over")
      }
      .leg("Second", of: Int.self) { values, _ in log.add("\(values)") }
    relay.start(1) { _ in log.add("done") }
    #expect(log.all == ["body is over", "[1, 2, 3]", "done"])
  }

  // MARK: Who is told

  @Test func `onLeg tells the name of each leg and step as it starts`() async throws {
    let relay = Baton.Relay(of: Int.self)
      .onLeg { log.add("1: \($0)") }
      .leg("First", of: Int.self) { input, gather in
        log.add("first")
        gather.makePass().finish(input)
      }
      .leg(of: Int.self) { _, _ in log.add("without a name") }
      .step("Second") { _ in log.add("second") }
      .onLeg { log.add("2: \($0)") }
    try await relay.run(1)
    #expect(log.all == ["1: First", "2: First", "first", "without a name", "1: Second", "2: Second", "second"])
  }

  @Test func `an observer is told of the run and of its legs`() async throws {
    let events = EventLog()
    let relay = Baton.Relay(name: "Import", of: Int.self, observer: events)
      .leg("First", of: Int.self) { input, gather in gather.makePass("one").finish(input) }
    _ = try await relay.run(1)
    #expect(events.lines.contains("Import: made") && events.lines.contains("First: settled one"))
    #expect(events.lines.contains("Import: completed") && events.misuses.isEmpty)
  }

  // MARK: Limits

  @Test func `a leg's runners keep the relay's limit, or the leg's own`() async throws {
    let passes = Log<Baton.Gather<Int>.Pass>()
    @Sendable func start(_ gather: Baton.Gather<Int>) {
      for _ in 0..<6 { gather.start { passes.add($0) } }
      log.add("\(gather.baton.name ?? "?"): \(passes.count) of 6")
    }
    let relay = Baton.Relay(name: "Limits", of: Int.self, limit: 2)
      .leg("The relay's", of: Int.self) { _, gather in start(gather) }
      .leg("Its own", of: Int.self, limit: 3) { _, gather in start(gather) }
      .leg("None", of: Int.self, limit: .unlimited) { _, gather in start(gather) }
    relay.start(1) { _ in log.add("done") }
    for index in 0..<18 {
      let pass = try #require(passes.all.count > index ? passes.all[index] : nil)
      pass.finish(index)
    }
    #expect(log.all == ["The relay's: 2 of 6", "Its own: 9 of 6", "None: 18 of 6", "done"])
  }
}
