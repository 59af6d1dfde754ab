// Resource: what a request's answer is taken for.
import Foundation
import Testing
import TreeFetch

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ResourceTests {
  private static func resource(
    _ body: String, status: Int = 200, headers: [String: String] = [:], at address: String = "http://h:1/a/b"
  ) throws -> Resource {
    let url = try URL(web: address)
    let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
    return try Resource(at: url, Data(body.utf8), response, nil)
  }

  @Test func `children may be absolute, or relative to their parent's address`() throws {
    let resource = try Self.resource(
      #"{"name": "n", "children": ["http://other/x", "/packages/y", "z", "../w", "?q=1", "//h2/v", "/p#part"]}"#)
    #expect(
      resource.children.map(\.absoluteString) == [
        "http://other/x", "http://h:1/packages/y", "http://h:1/a/z", "http://h:1/w", "http://h:1/a/b?q=1",
        "http://h2/v", "http://h:1/p",
      ])
  }

  @Test func `a resource without children is a leaf`() throws {
    let resource = try Self.resource(#"{"name": "n", "more": [1, {"of": "whatever"}]}"#)
    #expect(resource.name == "n")
    #expect(resource.children.isEmpty)
  }

  @Test func `the data is the answer as it came`() throws {
    let body = #"{ "name" : "n", "size": 3, "body": "xyz" }"#
    #expect(try Self.resource(body).data == Data(body.utf8))
  }

  @Test(arguments: [
    ("", "it is no JSON at all"),
    ("<html>", "it is no JSON at all"),
    (#"{"name": "n", "chil"#, "it is no JSON at all"),
    ("[]", "it is not an object"),
    ("{}", #"it has no "name""#),
    (#"{"name": 1}"#, #"its "name" is of the wrong kind"#),
    (#"{"name": "n", "children": "x"}"#, #"its "children" is of the wrong kind"#),
    (#"{"name": "n", "children": ["x", 2]}"#, #"its "children.1" is of the wrong kind"#),
  ])
  func `JSON that is not a resource's is malformed`(body: String, detail: String) {
    #expect(throws: FetchError.malformed(detail)) { try Self.resource(body) }
  }

  @Test(arguments: ["ftp://h/x", "mailto:a@b", "file:///etc/passwd", "http://", "http://[x"])
  func `a child that is no web address fails its parent`(child: String) {
    #expect(throws: FetchError.notAWebAddress(child)) {
      try Self.resource(#"{"name": "n", "children": ["\#(child)"]}"#)
    }
  }

  @Test(arguments: [0, 2, 4, -1])
  func `a body must be as long as its size says`(size: Int) {
    #expect(throws: FetchError.wrongSize(promised: size, got: 3)) {
      try Self.resource(#"{"name": "n", "size": \#(size), "body": "xyz"}"#)
    }
  }

  @Test func `a size without a body promises nothing`() throws {
    #expect(throws: Never.self) { try Self.resource(#"{"name": "n", "size": 100}"#) }
  }

  @Test func `fewer bytes than the header promised are not enough`() throws {
    #expect(throws: FetchError.cutShort("12 of 13 bytes came")) {
      try Self.resource(#"{"name":"n"}"#, headers: ["Content-Length": "13"])
    }
  }

  @Test func `a compressed answer's length is that of the compressed bytes`() throws {
    #expect(throws: Never.self) {
      try Self.resource(#"{"name":"n"}"#, headers: ["Content-Length": "13", "Content-Encoding": "gzip"])
    }
  }

  @Test(arguments: [404, 500, 304])
  func `only a status of success brings a resource`(status: Int) throws {
    let url = try URL(web: "http://h:1/a/b")
    #expect(throws: FetchError.status(status, url)) { try Self.resource(#"{"name":"n"}"#, status: status) }
  }

  @Test func `a cancelled request is no failure of its own`() throws {
    let url = try URL(web: "http://h:1/a/b")
    #expect(throws: CancellationError.self) { try Resource(at: url, nil, nil, URLError(.cancelled)) }
  }

  @Test func `no answer and no error is an error`() throws {
    let url = try URL(web: "http://h:1/a/b")
    #expect(throws: FetchError.self) { try Resource(at: url, nil, nil, nil) }
  }

  @Test(arguments: ["", "nonsense", "127.0.0.1:80/x", "/x", "http:", "http:///x", "ftp://h/x", "http://[x"])
  func `what is no web address is refused`(text: String) {
    #expect(throws: FetchError.notAWebAddress(text)) { try URL(web: text) }
  }

  @Test func `addresses of the same resource are equal`() throws {
    #expect(try Set(["http://h/a/x", "http://h/a/x#1", "http://h/a/b/../x"].map { try URL(web: $0) }).count == 1)
  }
}
