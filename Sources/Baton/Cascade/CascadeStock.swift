// CascadeStock: what a run of a cascade has collected, and what is ready to be loaded.

/// What a run of a cascade has collected, by index.
struct CascadeStock<Branch: Sendable, Resource: Sendable>: Sendable {
  private(set) var resources: [Resource?] = []
  private(set) var errors: [Int: any Error] = [:]
  /// The keys of `errors`, in the order in which they came.
  private(set) var failed: [Int] = []
  var branches: [Branch] = []
  /// Who hears of each branch.
  var onBranch: (@Sendable (Branch) -> Void)?
  var ready = Queue<CascadeAttempt>()

  /// An id is loaded once, so nothing is ever replaced, and nothing of the user's freed under the lock.
  mutating func put(_ resource: Resource, at index: Int) {
    while resources.count <= index { resources.append(nil) }
    resources[index] = resource
  }

  mutating func removeAll() -> CascadeStock {
    let all = self
    self = CascadeStock()
    return all
  }

  mutating func put(_ error: any Error, at index: Int) {
    guard errors[index] == nil else { return }
    errors[index] = error
    failed.append(index)
  }
}
