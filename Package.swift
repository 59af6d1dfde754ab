// swift-tools-version: 6.2
// Baton: counts asynchronous work that is still out, and completes when the last of it is back.
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "Baton",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Baton", targets: ["Baton"]),
    .library(name: "BatonFoundation", targets: ["BatonFoundation"]),
  ],
  targets: [
    .target(name: "Baton", swiftSettings: settings),
    .target(name: "BatonFoundation", dependencies: ["Baton"], swiftSettings: settings),
    .testTarget(name: "BatonTests", dependencies: ["Baton"], swiftSettings: settings),
    .testTarget(name: "BatonFoundationTests", dependencies: ["Baton", "BatonFoundation"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
