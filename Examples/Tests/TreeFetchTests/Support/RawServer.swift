// Servers that do exactly what a test tells them to.
import FlyingSocks
import Foundation
import TreeFetch

/// Answers each connection on 127.0.0.1 with the next of its answers, byte for byte, and hangs up.
final class RawServer: Sendable {
  enum Answer: Sendable {
    case text(String)
    case silence  // Holds the connection until the client gives up.
  }

  let root: URL
  /// The first line of each request, as it came in.
  let requests: AsyncStream<String>

  init(_ answers: [Answer]) throws {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.unsupportedAddress }
    root = try URL(web: "http://127.0.0.1:\(port)/root")

    let (requests, heard) = AsyncStream.makeStream(of: String.self)
    self.requests = requests
    Thread.detachNewThread {
      for answer in answers { try? Self.serve(answer, on: socket, heard) }
      try? socket.close()
    }
  }

  convenience init(_ answer: Answer) throws { try self.init([answer]) }

  /// A whole and correct answer.
  static func ok(_ body: String) -> Answer {
    .text("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  private static func serve(_ answer: Answer, on listener: Socket, _ heard: AsyncStream<String>.Continuation) throws {
    let connection = try Socket(file: listener.accept().file)
    defer { try? connection.close() }
    var request = ""
    while !request.contains("\r\n\r\n") {
      request += try String(decoding: connection.read(atMost: 4096), as: UTF8.self)
    }
    heard.yield(request.split(whereSeparator: \.isNewline).first.map(String.init) ?? "")
    switch answer {
    case .text(let text):
      let data = Data(text.utf8)
      var sent = 0
      while sent < data.count { sent = try connection.write(data, from: sent) }
    case .silence:
      while true { _ = try connection.read(atMost: 4096) }  // Throws when the client hangs up.
    }
  }
}

/// An address of 127.0.0.1 that refuses connections for as long as this lives.
final class ClosedPort: Sendable {
  let root: URL
  let place: String
  private let socket: Socket  // Bound, so that nobody else gets the port, and never listening.

  init() throws {
    socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.unsupportedAddress }
    place = "127.0.0.1:\(port)"
    root = try URL(web: "http://\(place)/root")
  }

  deinit { try? socket.close() }
}
