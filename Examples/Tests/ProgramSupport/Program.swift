// A program of this package, as a process.
import Foundation

package struct Program {
  package struct End: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String
  }

  private let process = Process()
  private let output: URL
  private let errors: URL

  /// A program by its name in the folder that SwiftPM builds into. Where there is something for a shell to do before,
  /// a shell does it, and becomes the program.
  package init(_ name: String, _ arguments: [String] = [], after shell: String = "") throws {
    output = try Self.scratchFile()
    errors = try Self.scratchFile()
    let program = Self.products.appending(path: name)
    process.executableURL = shell.isEmpty ? program : URL(filePath: "/bin/sh")
    process.arguments = (shell.isEmpty ? [] : ["-c", "\(shell)\nexec \"$0\" \"$@\"", program.path]) + arguments
  }

  /// Runs the program, with a body beside it that may talk to it, and returns when it has ended.
  package func run(meanwhile body: (Process) async -> Void = { _ in }) async throws -> End {
    // Files and not pipes: nobody has to read while the program runs.
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    await body(process)
    for await _ in ended {}
    return End(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: try String(contentsOf: output, encoding: .utf8), errors: try String(contentsOf: errors, encoding: .utf8))
  }

  private static func scratchFile() throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
    try Data().write(to: file)
    return file
  }

  /// The folder that SwiftPM builds into: this test's own.
  private static var products: URL {
    #if canImport(Darwin)
    let own = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    return (own ?? Bundle.main.bundleURL).deletingLastPathComponent()
    #else
    return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
  }
}
