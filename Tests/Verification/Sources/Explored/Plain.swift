// Plain data, with a detector of races.

/// A plain variable: every access must be ordered with each write of another thread.
///
/// Threads of an execution take turns on one thread of the operating system, so it may be shared.
public final class Plain<Value>: @unchecked Sendable {
  private var value: Value
  private var writer: Int
  private var written: Int
  private var reads = [0, 0, 0, 0]
  private let name: StaticString

  /// Makes a variable.
  public init(_ value: Value, _ name: StaticString) {
    self.value = value
    self.name = name
    writer = world.current
    written = world.tick(world.current)
  }

  /// Whether the running thread knows of the last write.
  public var isVisible: Bool { world.threads[world.current].view[writer] >= written }

  /// The value, for who looks without being a part of the program.
  public var peek: Value { value }

  /// Reads it.
  public func read() -> Value {
    if !isVisible { world.fail("\(name): thread \(world.current) reads what thread \(writer) wrote, unordered") }
    reads[world.current] = world.tick(world.current)
    return value
  }

  /// Writes it.
  public func write(_ new: Value) {
    if !isVisible { world.fail("\(name): thread \(world.current) overwrites what thread \(writer) wrote, unordered") }
    let view = world.threads[world.current].view
    for reader in 0...World.main where view[reader] < reads[reader] {
      world.fail("\(name): thread \(world.current) overwrites what thread \(reader) reads, unordered")
    }
    value = new
    writer = world.current
    written = world.tick(world.current)
  }
}
