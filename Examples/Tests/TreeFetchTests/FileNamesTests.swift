// File names: harmless, and no two the same.
import Testing
import TreeFetch

@Suite struct FileNamesTests {
  @Test(arguments: [
    ("libc6", "libc6.json"),
    ("libsigc++-2.0-0v5", "libsigc++-2.0-0v5.json"),
    ("a/b", "a%2Fb.json"),
    ("..", "%2E..json"),
    ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.json"),
    ("/etc/passwd", "%2Fetc%2Fpasswd.json"),
    ("a\\b:c", "a%5Cb%3Ac.json"),
    ("a\u{0}\nb", "a%00%0Ab.json"),
    ("größe", "gr%C3%B6%C3%9Fe.json"),
    ("a%2Fb", "a%252Fb.json"),
    ("a~2", "a%7E2.json"),
    ("", "_.json"),
  ])
  func `a name becomes a harmless file name`(name: String, file: String) {
    var names = FileNames()
    #expect(names.claim(name) == file)
  }

  @Test func `names that would be the same file get a number`() {
    var names = FileNames()
    let files = ["a", "a", "A", "a~2", "", "_"].map { names.claim($0) }
    #expect(files == ["a.json", "a~2.json", "A~3.json", "a%7E2.json", "_.json", "_~2.json"])
  }

  @Test func `a very long name fits a file system`() {
    var names = FileNames()
    let long = String(repeating: "x", count: 10_000)
    let files = [names.claim(long + "1"), names.claim(long + "2"), names.claim(String(repeating: "ö", count: 5_000))]
    #expect(Set(files).count == 3)
    #expect(files.allSatisfy { $0.utf8.count < 255 })
  }
}
