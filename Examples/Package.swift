// swift-tools-version: 6.2
// Small programs built on Baton. A package of their own, so that what they depend on never reaches a user of the library.
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

// One file each, named after the story that it tells.
let stories = ["WebServices", "ScatterGather", "TaskList", "Recorder", "GroupRequests"]

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "treefetch", targets: ["TreeFetchCommand"])
  ],
  dependencies: [
    .package(name: "Baton", path: ".."),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // The program's name is the product's: a target `treefetch` beside `TreeFetch` would be the same folder on a Mac.
    .executableTarget(
      name: "TreeFetchCommand",
      dependencies: ["TreeFetch", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings),
    .target(
      name: "TreeFetch",
      dependencies: [
        "Baton",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [.copy("Resources/gnome.tsv")],
      swiftSettings: settings),
    .testTarget(
      name: "TreeFetchTests",
      dependencies: [
        "TreeFetch", "TreeFetchCommand", "ProgramSupport", "Baton", .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StoriesTests", dependencies: ["ProgramSupport"] + stories.map { .init(stringLiteral: $0) },
      swiftSettings: settings),
    .target(name: "ProgramSupport", path: "Tests/ProgramSupport", swiftSettings: settings),
  ] + stories.map { .executableTarget(name: $0, dependencies: ["Baton"], swiftSettings: settings) },
  swiftLanguageModes: [.v6]
)
