// One resource, made of what its request brought back. All that knows HTTP and JSON, and nothing of trees.
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The JSON of one resource. `size`, where it is given with a `body`, is the body's length in bytes.
struct Document: Codable, Sendable {
  var name: String
  var children: [String]?
  var size: Int?
  var body: String?
}

/// One downloaded resource.
package struct Resource: Sendable {
  package let name: String
  /// The addresses of the resources that this one needs.
  package let children: [URL]
  /// The answer's body, as it came.
  package let data: Data

  /// Takes what a data task hands to its completion handler.
  /// - Throws: a `FetchError` unless the resource is whole; `CancellationError` if the request was cancelled.
  package init(at url: URL, _ data: Data?, _ response: URLResponse?, _ error: (any Error)?) throws {
    if let error { throw FetchError.failedRequest(error, to: url) }
    guard let data, let response = response as? HTTPURLResponse else { throw FetchError.network("no answer") }
    guard 200..<300 ~= response.statusCode else { throw FetchError.status(response.statusCode, url) }
    try Self.checkLength(of: data, against: response)

    let document = try Document(decoding: data)
    if let size = document.size, let body = document.body, body.utf8.count != size {
      throw FetchError.wrongSize(promised: size, got: body.utf8.count)
    }
    name = document.name
    children = try (document.children ?? []).map { try URL(web: $0, relativeTo: response.url ?? url) }
    self.data = data
  }

  private static func checkLength(of data: Data, against response: HTTPURLResponse) throws {
    // A compressed body has been unpacked by now: its length has nothing to do with the header's.
    guard response.value(forHTTPHeaderField: "Content-Encoding") == nil else { return }
    let promised = response.expectedContentLength  // -1 where the server didn't say.
    if data.count < promised { throw FetchError.cutShort("\(data.count) of \(promised) bytes came") }
  }
}

extension Document {
  init(decoding data: Data) throws(FetchError) {
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch DecodingError.keyNotFound(let key, _) {
      throw .malformed("it has no \"\(key.stringValue)\"")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
      let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
      throw .malformed(path.isEmpty ? "it is not an object" : "its \"\(path)\" is of the wrong kind")
    } catch {
      throw .malformed("it is no JSON at all")
    }
  }
}

extension URL {
  /// An http or https address, made absolute, so that equal addresses are equal values.
  package init(web text: String, relativeTo base: URL? = nil) throws(FetchError) {
    guard
      let url = URL(string: text, relativeTo: base)?.absoluteURL.standardized,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
    else { throw .notAWebAddress(text) }
    parts.fragment = nil  // Never sent, so no part of what is asked for.
    guard let plain = parts.url else { throw .notAWebAddress(text) }
    self = plain
  }
}
