// swift-tools-version: 6.2
// What checks the library beyond its tests; never part of what a user gets.
import PackageDescription

// The upcoming features of the library's own targets, so that its sources mean the same here.
let library: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Swift's record of exclusive accesses belongs to the operating system's thread, so it can't follow a fiber.
let onFibers: [SwiftSetting] = [.unsafeFlags(["-enforce-exclusivity=unchecked"])]

let client: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
let baton: Target.Dependency = .product(name: "Baton", package: "Baton")

let package = Package(
  name: "Verification",
  platforms: [.macOS(.v15)],
  products: [
    // Without a main: libFuzzer brings its own. Built by `./libfuzz`.
    .library(name: "libfuzz", type: .static, targets: ["libfuzz"])
  ],
  dependencies: [
    .package(name: "Baton", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(name: "CExplorer"),
    .target(name: "Explored", dependencies: ["CExplorer"], swiftSettings: onFibers),
    // The library's own sources, through a link, since a package may not reach out of its folder.
    .target(
      name: "BatonExplored", dependencies: ["Explored"], exclude: ["Baton.docc"],
      swiftSettings: library + onFibers + [.define("BATON_EXPLORED")]),
    .executableTarget(
      name: "explore", dependencies: ["BatonExplored", "Explored"], swiftSettings: library + onFibers),
    .target(name: "Fuzzing", dependencies: [baton], swiftSettings: client),
    .executableTarget(
      name: "fuzz",
      dependencies: ["Fuzzing", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: client),
    // Races, round after round. And sizes: a million of everything on a small stack.
    .executableTarget(name: "stress", dependencies: [baton], swiftSettings: client),
    .executableTarget(name: "depth", dependencies: [baton], swiftSettings: client),
    .target(name: "libfuzz", dependencies: ["Fuzzing"], swiftSettings: client),
  ],
  swiftLanguageModes: [.v6]
)
