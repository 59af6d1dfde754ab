// How many requests there were, and how many at the same time.

/// Counts requests as they begin and end.
package struct Traffic: Sendable, Equatable {
  package private(set) var requests = 0
  package private(set) var inFlight = 0
  package private(set) var mostInFlight = 0

  package init() {}

  package mutating func begin() {
    requests += 1
    inFlight += 1
    mostInFlight = max(mostInFlight, inFlight)
  }

  package mutating func end() {
    inFlight -= 1
  }
}
