// Baton and swift-distributed-tracing: a span for each baton and each pass. Copy this file; it needs nothing else.
//
//     let query = Baton(name: "Query", observer: TracingObserver()) { cancelled in … }
//
// A root's span is a child of the span in which it is made, a child's of its parent's, a pass's of its baton's. A pass's
// span lasts from the pass to the settle, with any waiting for a permit. Bare passes are only counted, as attributes of
// their baton's span. A failure is recorded once, where it happened; each baton that it cancels has the error as its status.
import Baton
import Synchronization
import Tracing

final class TracingObserver: Baton.Observer {
  private struct Open {
    let span: any Span
    var passes: [UInt64: any Span] = [:]
    var bare = 0
  }

  private let tracer: any Tracer
  private let open = Mutex<[UInt64: Open]>([:])

  /// - Parameter tracer: Starts the spans. No code of its runs under a lock of this.
  init(_ tracer: any Tracer = InstrumentationSystem.tracer) { self.tracer = tracer }

  func baton(_ identity: Baton.Identity, _ event: Baton.Event) {
    switch event {
    case .made:
      let parent = identity.parent.flatMap { self.span(of: $0) }?.context ?? .current ?? .topLevel
      let span = tracer.startSpan(identity.name ?? "baton", context: parent)
      if !identity.path.isEmpty { span.attributes["baton.path"] = identity.path.joined(separator: "/") }
      open.withLock { $0[identity.id] = Open(span: span) }
    case .passed(let pass):
      guard let id = pass.id else { return open.withLock { $0[identity.id]?.bare += pass.count } }
      guard pass.child == nil, let parent = self.span(of: identity) else { return }
      let file = pass.location.map { "\($0.fileID)" } ?? #fileID
      let span = tracer.startSpan(
        pass.label ?? "pass", context: parent.context, file: file, line: pass.location?.line ?? #line)
      span.attributes["code.file.path"] = pass.location.map { "\($0.fileID)" }
      span.attributes["code.line.number"] = pass.location.map { Int($0.line) }
      let isOpen = open.withLock { open in
        open[identity.id]?.passes[id] = span
        return open[identity.id] != nil
      }
      // Abandoned meanwhile: nobody else will end it.
      if !isOpen { end(span, Baton.AbandonedError(outstanding: 1)) }
    case .settled(let pass):
      guard let id = pass.id, pass.child == nil else { return }
      end(open.withLock { $0[identity.id]?.passes.removeValue(forKey: id) }, pass.error)
    case .cancelled(let failure):
      let span = self.span(of: identity)
      span?.addEvent("cancelled")
      if let failure { span?.setStatus(SpanStatus(code: .error, message: "\(failure)")) }
    case .completed(let cancelled):
      guard let left = open.withLock({ $0.removeValue(forKey: identity.id) }) else { return }
      // Nobody will tell of what an abandoned baton was passed for.
      for span in left.passes.values { end(span, Baton.AbandonedError(outstanding: 1)) }
      if left.bare > 0 { left.span.attributes["baton.bare_passes"] = left.bare }
      left.span.attributes["baton.cancelled"] = cancelled
      left.span.end()
    case .misused(let misuse):
      span(of: identity)?.addEvent(SpanEvent(name: "misuse", attributes: ["baton.misuse": .string("\(misuse)")]))
    }
  }

  private func span(of identity: Baton.Identity) -> (any Span)? { open.withLock { $0[identity.id]?.span } }

  private func end(_ span: (any Span)?, _ error: (any Error)?) {
    if let error, !(error is CancellationError) {
      span?.recordError(error)
      span?.setStatus(SpanStatus(code: .error, message: "\(error)"))
    }
    if error is CancellationError { span?.addEvent("cancelled") }
    span?.end()
  }
}
