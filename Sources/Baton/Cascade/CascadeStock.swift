// CascadeStock: what a run of a cascade has collected, and what is ready to be loaded.

/// What a run of a cascade has collected, by index.
@usableFromInline
struct CascadeStock<Branch: Sendable, Resource: Sendable>: Sendable {
  @usableFromInline var resources: [Resource?] = []
  @usableFromInline private(set) var errors: [Int: any Error] = [:]
  /// The keys of `errors`, in the order in which they came.
  private(set) var failed: [Int] = []
  @usableFromInline var branches: [Branch] = []
  /// Who hears of each branch.
  var onBranch: (@Sendable (Branch) -> Void)?
  @usableFromInline var ready = Queue<CascadeAttempt>()

  init(onBranch: (@Sendable (Branch) -> Void)? = nil) { self.onBranch = onBranch }

  /// An id is loaded once, so nothing is ever replaced, and nothing of the user's freed under the lock.
  @inlinable
  mutating func put(_ resource: Resource, at index: Int) {
    while resources.count <= index { resources.append(nil) }
    resources[index] = resource
  }

  @usableFromInline
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
