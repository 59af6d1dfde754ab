// An error to fail with.
struct SomeError: Error, Equatable, CustomStringConvertible {
  var description: String { "some error" }
}
