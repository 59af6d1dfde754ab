// What can go wrong, each said in one line that a person can act on.
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

package enum FetchError: Error, Equatable {
  case notAWebAddress(String)
  case nothingListens(String)
  case noSuchHost(String)
  case timedOut(URL)
  case connectionLost(String)
  case cutShort(String)
  case network(String)
  case status(Int, URL)
  case malformed(String)
  case wrongSize(promised: Int, got: Int)
  case unwritable(String, reason: String)
  case damagedTable(line: Int)
  case serverFailed(String)
  case interrupted
}

extension FetchError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAWebAddress(let text): "\"\(text)\" is not an http or https address"
    case .nothingListens(let place): "the connection was refused: nothing listens at \(place)"
    case .noSuchHost(let host): "there is no host \(host)"
    case .timedOut(let url): "no answer in time from \(url)"
    case .connectionLost(let detail): "the connection was lost (\(detail))"
    case .cutShort(let detail): "the body was cut short (\(detail))"
    case .network(let detail): "the request failed: \(detail)"
    case .status(let code, let url):
      "the server answered \(code) (\(HTTPURLResponse.localizedString(forStatusCode: code))) to \(url)"
    case .malformed(let detail): "the answer is not the JSON of a resource: \(detail)"
    case .wrongSize(let promised, let got): "the body is \(got) bytes long, and its \"size\" says \(promised)"
    case .unwritable(let path, let reason): "can't write to \(path): \(reason)"
    case .damagedTable(let line): "line \(line) of the package table is damaged"
    case .serverFailed(let detail): "the demo server didn't start: \(detail)"
    case .interrupted: "interrupted"
    }
  }
}

extension FetchError {
  /// The error of a data task's completion handler, in our words.
  static func failedRequest(_ error: any Error, to url: URL) -> any Error {
    guard let error = error as? URLError else { return FetchError.network(error.localizedDescription.oneLine) }
    let detail = error.localizedDescription.oneLine
    let place = "\(url.host ?? "?"):\(url.port ?? (url.scheme == "https" ? 443 : 80))"
    switch error.code {
    case .cancelled: return CancellationError()  // Not a failure of its own: a baton that is cancelled drops it.
    case .cannotConnectToHost: return FetchError.nothingListens(place)
    case .cannotFindHost, .dnsLookupFailed: return FetchError.noSuchHost(url.host ?? "?")
    case .timedOut: return FetchError.timedOut(url)
    case .networkConnectionLost: return FetchError.connectionLost(detail)
    case .unsupportedURL, .badURL: return FetchError.network("\(detail) (\(url))")
    // On Linux a body that ends too soon has no code of its own, only curl's words.
    case .unknown where detail.hasPrefix("transfer closed"): return FetchError.cutShort(detail)
    default:
      return FetchError.network(detail.contains("NSURLErrorDomain") ? "URLError \(error.code.rawValue)" : detail)
    }
  }

  /// What the system says of a file that could not be written, in its own words.
  static func failedWrite(_ error: any Error, to path: String) -> FetchError {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
    let posix = (cause as? POSIXError)?.code.rawValue
    let reason = posix.map { String(cString: strerror($0)) } ?? cause.localizedDescription.oneLine
    return .unwritable(path, reason: reason)
  }
}

extension String {
  /// Without line breaks, for messages that others wrote.
  var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
