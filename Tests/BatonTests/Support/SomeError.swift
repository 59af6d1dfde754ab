// An error to recognise.

struct SomeError: Error, Hashable, CustomStringConvertible {
  let number: Int
  init(_ number: Int = 0) { self.number = number }
  var description: String { "error \(number)" }
}
