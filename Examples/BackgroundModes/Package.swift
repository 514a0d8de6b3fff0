// swift-tools-version: 6.2

import PackageDescription

let stint = Target.Dependency.product(name: "Stint", package: "stint")
let testing = Target.Dependency.product(name: "StintTesting", package: "stint")

let package = Package(
  name: "BackgroundModes",
  dependencies: [.package(name: "stint", path: "../..")],
  targets: [
    .target(name: "Drawing"),
    .executableTarget(name: "MusicPlayer", dependencies: ["Drawing", stint]),
    .executableTarget(name: "WalkRecorder", dependencies: ["Drawing", stint]),
    .testTarget(name: "MusicPlayerTests", dependencies: ["MusicPlayer", stint, testing]),
    .testTarget(
      name: "WalkRecorderTests", dependencies: ["WalkRecorder", stint, testing],
      resources: [.copy("walk.gpx")]),
  ],
  swiftLanguageModes: [.v6]
)
