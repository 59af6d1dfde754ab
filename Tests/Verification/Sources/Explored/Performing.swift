// What each operation does, after the view-based model of C11: what a thread may read, and what it learns by that.

extension World {
  /// Brings a location that outlived its execution, a static, into this one.
  func renew(_ place: UnsafeMutablePointer<Location>) {
    guard place.pointee.epoch != epoch else { return }
    place.pointee.epoch = epoch
    place.pointee.maker = Self.main
    place.pointee.made = 0
    reenter(place)
  }

  /// The hash of an operation by a thread: it stands for what the thread did before, and for the store that it met.
  func hash(of operation: Operation, by thread: Int, back: Int) -> UInt64 {
    renew(operation.place)
    let place = operation.place
    let met = place.pointee.stores[place.pointee.count - 1 - back]
    // A load, or an exchange that fails, leaves no mark on the location: when it comes, among the others, is not told.
    let kind = operation.onlyReads(met.value) || back > 0 ? .load : operation.kind
    // Whether a lock is held matters to who only tries.
    return mixed(threads[thread].hash, UInt64(kind.rawValue) | UInt64(place.pointee.owner + 1) << 8, met.hash)
  }

  /// How many stores a thread may choose from when it reads, counted back from the newest.
  func choices(of operation: Operation, by thread: Int) -> Int {
    renew(operation.place)
    let mayBeOld = operation.kind == .load || operation.kind == .compareExchange
    guard mayBeOld, search.options.staleReads != 0 else { return 1 }
    return operation.place.pointee.count - threads[thread].view[operation.place.pointee.slot]
  }

  /// Whether an operation could read the store that is so far back. One that writes reads the newest.
  func allows(_ operation: Operation, back: Int) -> Bool {
    guard back > 0, operation.kind == .compareExchange else { return true }
    let place = operation.place
    return place.pointee.stores[place.pointee.count - 1 - back].value != operation.expected
  }

  /// Does an operation, as the current thread.
  func perform(_ operation: Operation, back: Int) -> UInt64 {
    renew(operation.place)
    steps += 1
    let me = current
    let place = operation.place
    checkPublished(place, operation)
    let hash = hash(of: operation, by: me, back: back)
    let met = place.pointee.stores[place.pointee.count - 1 - back]
    defer { trace?(TraceEntry(thread: me, operation: operation, back: back, read: met.value)) }
    threads[me].hash = hash
    switch operation.kind {
    case .lock, .tryLock, .signal, .wait, .release: return synchronize(operation, hash)
    default: break
    }
    let slot = place.pointee.slot
    if back > 0 || operation.onlyReads(met.value) {
      threads[me].view[slot] = max(threads[me].view[slot], place.pointee.count - 1 - back)
      if operation.acquires { threads[me].view.join(met.view) }
      return met.value
    }
    let time = place.pointee.count
    guard time < View.limit else { fatalError("more than \(View.limit) stores to \(place.pointee.site)") }
    threads[me].view[slot] = time
    let isPlainStore = operation.kind == .store
    if operation.acquires, !isPlainStore { threads[me].view.join(met.view) }
    var view = operation.releases ? threads[me].view : View(slot, time)
    // A read-modify-write continues the release sequence that it finds; a store begins anew.
    if !isPlainStore { view.join(met.view) }
    place.pointee.append(Store(value: operation.updated(met.value), hash: hash, view: view))
    return met.value
  }

  /// Locks, gates and references: each of their operations knows of the one before.
  private func synchronize(_ operation: Operation, _ hash: UInt64) -> UInt64 {
    let me = current
    let place = operation.place
    threads[me].view.join(place.pointee.latest.view)
    switch operation.kind {
    case .lock, .tryLock:
      guard place.pointee.owner < 0 else { return 0 }
      take(place)
      return 1
    case .signal: place.pointee.signals += 1
    case .wait: place.pointee.signals -= 1
    default: break
    }
    place.pointee.latest = Store(value: 0, hash: hash, view: threads[me].view)
    return 1
  }

  /// Whoever uses an atomic must know that it was made; else its memory may still hold anything. Not so a lock: its
  /// first use by a thread may be in a deinit, which reference counting orders, and that is not modelled.
  private func checkPublished(_ place: UnsafeMutablePointer<Location>, _ operation: Operation) {
    guard place.pointee.kind == .atomic, threads[current].view[place.pointee.maker] < place.pointee.made else { return }
    fail("\(operation.site): thread \(current) uses what was made at \(place.pointee.site) without knowing of it")
  }

  // MARK: Locks

  private func take(_ place: UnsafeMutablePointer<Location>) {
    place.pointee.owner = current
    guard let guarded = place.pointee.guarded else { return }
    if threads[current].locks.contains(guarded) {
      fail("thread \(current) takes a second lock of the same kind, made at \(place.pointee.site)")
    }
    threads[current].locks.append(guarded)
  }

  /// Gives a lock back. Not a step of its own: it hinders nobody, so nothing is lost by doing it at once.
  @usableFromInline
  func unlock(_ place: UnsafeMutablePointer<Location>) {
    let me = current
    place.pointee.owner = -1
    threads[me].locks.removeLast()
    let hash = mixed(threads[me].hash, 0, threads[me].making)
    place.pointee.latest = Store(value: 0, hash: hash, view: threads[me].view)
  }
}
