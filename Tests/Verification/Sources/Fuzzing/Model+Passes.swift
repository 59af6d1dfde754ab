// What the rules say of references, and of permits.

extension Model {
  // MARK: Letting go

  /// The sequence's own reference goes.
  mutating func letGo(_ baton: Int) {
    nodes[baton].isHeld = false
    release(baton)
  }

  mutating func release(_ baton: Int) {
    nodes[baton].references -= 1
    guard nodes[baton].references == 0, !nodes[baton].isSealed else { return }
    if nodes[baton].passed == 0 { return seal(baton) }
    misuses.abandoned += 1
    cancel(baton, -nodes[baton].out)
    sealAbandoned(baton)
  }

  /// The last reference to the pass goes.
  mutating func free(_ pass: Int) {
    passes[pass].isHeld = false
    if !passes[pass].isSettled {
      if !passes[pass].isInert { misuses.dropped += 1 }
      settle(pass, error: -1, cancels: true, reportsLate: false)
    }
    release(passes[pass].baton)
  }

  // MARK: Callbacks

  mutating func call(_ pass: Int, _ step: Step, error: Int) {
    guard !passes[pass].isSettled else { return misuses.twice += 1 }
    let baton = passes[pass].baton
    passes[pass].isSettled = true
    nodes[baton].log.append(Event(kind: .called, id: pass))
    if step == .wrapThatPasses { self.pass(baton) }
    if step == .wrapThatThrows { handBack(pass, error: error, cancels: true) } else { handBack(pass) }
  }

  // MARK: Permits

  mutating func start(_ pass: Int) {
    let baton = passes[pass].baton
    if nodes[baton].isCancelled || passes[pass].isInert {
      settle(pass, cancels: true, reportsLate: false)
      return free(pass)
    }
    guard let limit = nodes[baton].limit else { return begin(pass) }
    // With a permit at once there is nothing to withdraw.
    guard nodes[baton].permitsOut >= limit else {
      nodes[baton].permitsOut += 1
      return begin(pass)
    }
    passes[pass].isQueued = true
    nodes[baton].cancelHandlers.append(.pass(pass))
    nodes[baton].line.append(pass)
  }

  private mutating func begin(_ pass: Int) {
    passes[pass].isQueued = false
    passes[pass].holdsPermit = nodes[passes[pass].baton].limit != nil
    nodes[passes[pass].baton].log.append(Event(kind: .started, id: pass))
  }

  mutating func withdraw(_ pass: Int) {
    passes[pass].isQueued = false
    nodes[passes[pass].baton].line.removeAll { $0 == pass }
    settle(pass, cancels: true, reportsLate: false)
    free(pass)
  }

  mutating func releasePermit(_ pass: Int) {
    guard passes[pass].holdsPermit else { return }
    passes[pass].holdsPermit = false
    let baton = passes[pass].baton
    while !nodes[baton].line.isEmpty {
      let next = nodes[baton].line.removeFirst()
      if !nodes[baton].isCancelled { return begin(next) }
      withdraw(next)
    }
    nodes[baton].permitsOut -= 1
  }
}
