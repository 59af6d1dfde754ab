// The demo's table.
import Testing
import TreeFetch

@Suite struct PackageTableTests {
  @Test func `gnome's table is whole, and closed`() throws {
    let packages = try PackageTable.gnome()
    let names = Set(packages.map(\.name))
    #expect(packages.count == 1_139)
    #expect(names.count == 1_139)
    #expect(packages.first?.name == "gnome")
    #expect(packages.reduce(0) { $0 + $1.children.count } == 6_012)
    #expect(packages.reduce(0) { $0 + $1.size } == 708_336_820)
    #expect(packages.flatMap(\.children).allSatisfy(names.contains))
  }

  @Test func `a line is a name, a size and children`() throws {
    let packages = try PackageTable.parse("name\tsize\tchildren\na\t12\tb c\nb\t0\t\n\nc\t7\ta\n")
    #expect(
      packages == [
        Package("a", size: 12, children: ["b", "c"]), Package("b"), Package("c", size: 7, children: ["a"]),
      ])
  }

  @Test(arguments: ["a\t12", "a\t12\tb\tc", "\t12\tb", "a\tmany\tb", "a\t-1\tb"])
  func `a damaged line is named`(line: String) {
    #expect(throws: FetchError.damagedTable(line: 3)) {
      try PackageTable.parse("name\tsize\tchildren\nx\t1\t\n\(line)\n")
    }
  }
}
