// Takes 40 ms off each of the demo server's answers.
import FlyingFox
import FlyingSocks
import Foundation

/// The server's usual pool, with Nagle's algorithm off. FlyingFox writes an answer's head and body one after the other,
/// and a body that fits one segment would wait there until the client has acknowledged the head, which it does late.
struct PromptPool: AsyncSocketPool {
  private let base: any AsyncSocketPool = HTTPServer.defaultPool()

  func prepare() async throws { try await base.prepare() }
  func run() async throws { try await base.run() }

  /// Each connection comes through here before its first request: FlyingFox shows its sockets nowhere else.
  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
    try await base.suspendSocket(socket, untilReadyFor: events)
  }
}
