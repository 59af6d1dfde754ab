// One execution: its threads, what they share, and what each of them knows.

import CExplorer

/// The threads are fibers, and all of this runs on one thread of the operating system: plain storage does.
@usableFromInline
final class World {
  /// How many threads a program may have.
  static let mostThreads = 3
  /// The one that sets the scene and looks at the end.
  static let main = mostThreads

  struct Thread {
    var view = View()
    /// Stands for all that it has done, and seen.
    var hash: UInt64 = 0
    /// How many locations it has made.
    var making: UInt64 = 0
    /// The locks that it holds, by what they guard.
    var locks: [ObjectIdentifier] = []
    var pending: Operation?
    var isFinished = true
    var body: (() -> Void)?
    var fiber = fiber_t()
    var stack: UnsafeMutableRawPointer?
  }

  /// A buffer of its own: an array would be checked for uniqueness at each of the many uses.
  let threads: UnsafeMutablePointer<Thread> = {
    let threads = UnsafeMutablePointer<Thread>.allocate(capacity: mostThreads + 1)
    threads.initialize(repeating: Thread(), count: mostThreads + 1)
    return threads
  }()
  var current = main
  /// How many threads this execution has.
  var threadCount = 0
  /// True until each thread has come to its first operation: what is before that, nobody else can see.
  var isStarting = false
  var epoch = 0
  var failure: String?
  /// Locations made in this execution and still there.
  var live = 0
  var steps = 0
  var search = SearchState()
  var trace: ((TraceEntry) -> Void)?
  /// What failed executions leave behind: their threads stand still, and still use it.
  var wrecks: [any Subject] = []

  private var nextSlot = 0
  private var nextSerial = 0
  private var pool: [UnsafeMutablePointer<Location>] = []

  // MARK: Locations

  @usableFromInline
  func make(_ kind: Location.Kind, _ value: UInt64, _ site: Site, guarding type: ObjectIdentifier? = nil)
    -> UnsafeMutablePointer<Location>
  {
    let place = pool.popLast() ?? fresh(kind, site)
    place.pointee.kind = kind
    place.pointee.site = site
    place.pointee.guarded = type
    place.pointee.epoch = epoch
    place.pointee.maker = current
    threads[current].making += 1
    place.pointee.made = tick(current)
    let hash = mixed(threads[current].hash, UInt64(current), threads[current].making)
    enter(place, value: value, hash: hash)
    live += 1
    return place
  }

  private func fresh(_ kind: Location.Kind, _ site: Site) -> UnsafeMutablePointer<Location> {
    let place = UnsafeMutablePointer<Location>.allocate(capacity: 1)
    place.initialize(to: Location(kind, site))
    return place
  }

  private func enter(_ place: UnsafeMutablePointer<Location>, value: UInt64, hash: UInt64) {
    if place.pointee.kind == .atomic {
      guard nextSlot < View.capacity else { fatalError("more than \(View.capacity) atomics in one execution") }
      place.pointee.slot = nextSlot
      nextSlot += 1
    }
    place.pointee.serial = nextSerial
    nextSerial += 1
    place.pointee.reset(Store(value: value, hash: hash, view: View()))
  }

  /// Starts the history of a static anew, from the value that it has.
  func reenter(_ place: UnsafeMutablePointer<Location>) {
    enter(place, value: place.pointee.latest.value, hash: 3)
  }

  @usableFromInline
  func free(_ place: UnsafeMutablePointer<Location>) {
    if place.pointee.epoch == epoch { live -= 1 }
    pool.append(place)
  }

  /// Advances a thread's clock, so that what it does now can be told from what it did before.
  func tick(_ thread: Int) -> Int {
    let time = threads[thread].view[thread] + 1
    guard time < View.limit else { fatalError("a thread's clock ran out") }
    threads[thread].view[thread] = time
    return time
  }

  // MARK: Threads

  /// Begins an execution, with main as the thread that runs.
  func begin() {
    epoch += 1
    live = 0
    steps = 0
    failure = nil
    current = Self.main
    nextSlot = Self.mostThreads + 1
    nextSerial = 0
    threads[Self.main].view = View()
    threads[Self.main].hash = 1
    threads[Self.main].making = 0
    threads[Self.main].locks = []
  }

  /// Runs threads to their end, in an order that the search chooses, and then lets main see what they did.
  func run(_ bodies: [() -> Void]) {
    threadCount = bodies.count
    for index in 0..<threadCount { prepare(index, bodies[index]) }
    isStarting = true
    for index in 0..<threadCount { go(to: index) }
    isStarting = false
    if !areAllFinished, failure == nil { go(to: choose()) }
    guard failure == nil else { return }
    for index in 0..<threadCount { threads[Self.main].view.join(threads[index].view) }
  }

  private func prepare(_ index: Int, _ body: @escaping () -> Void) {
    guard let stack = threads[index].stack ?? fiber_make_stack(1 << 18) else { fatalError("no memory for a stack") }
    threads[index].stack = stack
    threads[index].view = threads[Self.main].view
    threads[index].hash = mixed(2, UInt64(index), 0)
    threads[index].making = 0
    threads[index].locks = []
    threads[index].pending = nil
    threads[index].isFinished = false
    threads[index].body = body
    fiber_prepare(&threads[index].fiber, stack) {
      world.runBody()
      world.leave()
    }
  }

  /// Out of line, so that nothing of the body is left on the stack that is never returned to.
  @inline(never)
  private func runBody() {
    let body = threads[current].body.take()
    body?()
  }

  private func leave() {
    threads[current].isFinished = true
    go(to: isStarting || areAllFinished ? Self.main : choose())
  }

  private var areAllFinished: Bool { (0..<threadCount).allSatisfy { threads[$0].isFinished } }

  /// Lets another thread run; returns when it is this one's turn again.
  func go(to next: Int) {
    let previous = current
    guard next != previous else { return }
    current = next
    fiber_switch(&threads[previous].fiber, &threads[next].fiber)
  }

  // MARK: Operations

  /// Does one operation, when its turn has come, and returns the value that it read.
  @usableFromInline
  func step(_ operation: Operation) -> UInt64 {
    let me = current
    guard me != Self.main else { return perform(operation, back: 0) }
    threads[me].pending = operation
    go(to: isStarting ? Self.main : choose())
    return perform(operation, back: search.chosenBack)
  }

  /// Ends the execution here, and for good: no thread goes on.
  func fail(_ message: String) {
    if failure == nil { failure = message }
    if current != Self.main { go(to: Self.main) }
  }
}

/// Never touched by two threads of the operating system: fibers take turns on one.
@usableFromInline nonisolated(unsafe) let world = World()
