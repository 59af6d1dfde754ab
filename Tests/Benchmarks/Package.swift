// swift-tools-version: 6.2
// Baton beside its peers and beside the limit: figures, ratios and instruction counts. See README.md.
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
let baton: Target.Dependency = .product(name: "Baton", package: "Baton")

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "ratios", targets: ["Ratios"]),
    .executable(name: "counted", targets: ["Counted"]),
  ],
  dependencies: [
    .package(name: "Baton", path: "../.."),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // What the compiler must not see through.
    .target(name: "Opaque", swiftSettings: settings),
    .target(name: "CMemory"),
    .target(name: "Works", dependencies: [baton, "Opaque"], swiftSettings: settings),
    .target(
      name: "Peers",
      dependencies: ["Opaque", "Works", .product(name: "NIOEmbedded", package: "swift-nio")], swiftSettings: settings),
    .executableTarget(
      name: "Ratios", dependencies: [baton, "CMemory", "Opaque", "Peers", "Works"], swiftSettings: settings),
    // Nothing but Baton, so that the check of the instruction counts builds in no time.
    .executableTarget(name: "Counted", dependencies: ["Works"], swiftSettings: settings),
    .executableTarget(
      name: "BatonBenchmarks", dependencies: ["Peers", "Works", .product(name: "Benchmark", package: "benchmark")],
      path: "BatonBenchmarks", swiftSettings: settings,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)
