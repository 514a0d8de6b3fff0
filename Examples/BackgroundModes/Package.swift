// swift-tools-version: 6.2

import PackageDescription

let uiKit = Target.Dependency.product(name: "UIKit", package: "stint")
let stint = Target.Dependency.product(name: "Stint", package: "stint")
let testing = Target.Dependency.product(name: "StintTesting", package: "stint")

let package = Package(
  name: "BackgroundModes",
  // Without the trait Images nothing of libvips is needed.
  dependencies: [.package(name: "stint", path: "../..", traits: [])],
  targets: [
    .executableTarget(name: "BackgroundModes", dependencies: [uiKit, stint]),
    .testTarget(
      name: "BackgroundModesTests", dependencies: ["BackgroundModes", uiKit, stint, testing],
      resources: [.copy("walk.gpx")]),
  ],
  swiftLanguageModes: [.v6]
)
