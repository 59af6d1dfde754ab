// Baton and swift-nio: event loops as executors, futures as passes, and an outcome as a future. Copy this file.
//
//     let query = Baton(name: "Query", on: .eventLoop(loop)) { cancelled in … }  // runs on the loop
//     client.get(url).joining(query, "logo.png")                       // the query waits for this future
//     write(buffer, promise: query.makePass("write").promise(on: loop))          // and for this promise
//     return query.completion(on: loop)                                          // fails with the first failure
import Baton
import NIOCore

extension Baton.Executor {
  /// On an event loop, in the order in which things are handed to it. A loop that has shut down drops them.
  static func eventLoop(_ loop: any EventLoop) -> Baton.Executor {
    Baton.Executor { work in loop.execute(work) }
  }
}

extension Baton.Pass {
  /// A promise that hands this pass back when it is kept, and cancels with the error when it is broken.
  ///
  /// Like any promise it must be kept or broken; NIO stops a debug build where one is forgotten.
  func promise<Value>(of type: Value.Type = Void.self, on loop: any EventLoop) -> EventLoopPromise<Value> {
    let promise = loop.makePromise(of: type)
    settle(with: promise.futureResult)
    return promise
  }

  /// Hands this pass back when the future has a value, or cancels with its error: on its loop, after the callbacks that it
  /// has already.
  func settle<Value>(with future: EventLoopFuture<Value>) {
    future.whenComplete { result in
      switch result {
      case .success: self.finish()
      case .failure(let error): self.cancel(error)
      }
    }
  }
}

extension EventLoopFuture {
  /// Has a baton wait for this future, whose error cancels it.
  /// - Returns: This future.
  @discardableResult
  func joining(
    _ baton: Baton, _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) -> EventLoopFuture<Value> {
    baton.makePass(label, fileID: fileID, line: line).settle(with: self)
    return self
  }
}

extension Baton {
  /// A future that is kept when this baton finishes, and fails with the first failure, or `CancellationError`, when it was
  /// cancelled. It doesn't keep the baton; every baton completes (rule 3), and so no promise is forgotten.
  func completion(on loop: any EventLoop) -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    onCompletion { outcome in promise.completeWith(Result { try outcome.get() }) }
    return promise.futureResult
  }
}
