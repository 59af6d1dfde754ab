// An observer that writes down what it is told.

@testable import Baton

/// Every event as a line, such as `Query: passed 1`.
final class EventLog: Baton.Observer {
  private let log = Log<String>()
  private let misused = Log<Baton.Misuse>()

  var lines: [String] { log.all }
  var misuses: [Baton.Misuse] { misused.all }

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    let what =
      switch event {
      case .made: "made"
      case .passed(let pass): "passed \(pass.label ?? "\(pass.count)")"
      case .settled(let pass): "settled \(pass.label ?? "\(pass.count)")"
      case .cancelled(let failure): failure.map { "cancelled \($0.error)" } ?? "cancelled"
      case .completed(let cancelled): cancelled ? "completed, cancelled" : "completed"
      case .misused(let misuse): "misused: \(misuse.kind)"
      }
    if case .misused(let misuse) = event { misused.add(misuse) }
    log.add("\(identity.name ?? "?"): \(what)")
  }
}
