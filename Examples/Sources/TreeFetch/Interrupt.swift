// Ctrl-C as a callback.
import Dispatch
import Foundation

/// Runs a handler at the first Ctrl-C (or SIGTERM); a second one ends the program as it always does.
package final class Interrupt {
  private let sources: [any DispatchSourceSignal]

  package init(_ handler: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)  // Otherwise the default action comes first.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        signal(number, SIG_DFL)
        source.cancel()
        handler()
      }
      source.resume()
      return source
    }
  }

  package func cancel() {
    for source in sources { source.cancel() }
  }
}
