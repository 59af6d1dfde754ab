// treefetch: downloads a tree of resources into a folder.
import ArgumentParser
import Foundation
import TreeFetch

@main
struct Command: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "treefetch",
    abstract: "Downloads a resource and all that it needs, all the way down.",
    discussion: """
      Each resource is JSON: {"name": …, "children": [addresses of further resources], …}. With --demo, treefetch \
      serves such a tree itself: the 1,139 packages that Debian's gnome needs.

      What the first resource names are its branches. Each of them is put into the folder as a whole, or not at all.
      """)

  @Argument(help: "The address of the resource to begin with.")
  var url: String?

  @Flag(help: "Download from a demo server on this machine.")
  var demo = false

  @Option(help: ArgumentHelp("The folder to download into; a fresh temporary one if not given.", valueName: "folder"))
  var output: String?

  @Option(parsing: .unconditional, help: "The most requests in flight.")
  var limit = 8

  @Option(
    help: ArgumentHelp("Where to write what happened when: a picture (.svg) or a trace (.json).", valueName: "file"))
  var timeline: String?

  @Option(help: ArgumentHelp("The demo's resource to begin with; gnome if not given.", valueName: "name"))
  var root: String?

  @Option(help: ArgumentHelp("A resource that the demo server answers with 500. May be repeated.", valueName: "name"))
  var fail: [String] = []

  func validate() throws {
    guard limit >= 1 else { throw ValidationError("--limit must be at least 1, and is \(limit).") }
    guard demo != (url != nil) else { throw ValidationError("Give either an address or --demo.") }
    guard demo || root == nil else { throw ValidationError("--root is for the demo server: give --demo too.") }
    if let timeline, !TimelineFile.knows(timeline) {
      throw ValidationError("--timeline must end in .svg or .json, and is \(timeline).")
    }
    guard demo || fail.isEmpty else { throw ValidationError("--fail is for the demo server: give --demo too.") }
  }

  func run() async throws {
    let server = demo ? try makeServer() : nil
    defer { server?.stop() }
    let root = try await server?.start().appending(path: "packages/\(self.root ?? "gnome")") ?? URL(web: url ?? "")

    let timeline = try timeline.map { path throws(FetchError) in try TimelineFile(path) }
    let folder = try Folder(output)
    let display = ProgressDisplay()
    let download = TreeDownload(
      from: root, into: folder, limit: limit, observer: timeline?.timeline, onProgress: display.show)
    let running = Task { await download.run() }
    let interrupt = Interrupt { running.cancel() }
    let report = await running.value
    interrupt.cancel()
    display.erase()

    var (problems, written) = (report.problems, timeline?.url)
    do {
      try timeline?.write()
    } catch {
      problems.append("\(error)")
      written = nil
    }
    for problem in problems { try FileHandle.standardError.write(contentsOf: Data("Error: \(problem)\n".utf8)) }
    print(report.summary(limit: limit, traffic: server?.traffic, timeline: written))
    if !problems.isEmpty || !report.isComplete { throw ExitCode.failure }
  }

  private func makeServer() throws -> DemoServer {
    let packages = try PackageTable.gnome()
    if let unknown = Set(fail + [root].compactMap(\.self)).subtracting(packages.map(\.name)).sorted().first {
      throw ValidationError("The demo has no resource \"\(unknown)\".")
    }
    // As if over a network: on loopback alone an answer is there before the next request, and there is little to see.
    return try DemoServer(packages, failing: Set(fail)) { _ in try? await Task.sleep(for: .milliseconds(10)) }
  }
}
