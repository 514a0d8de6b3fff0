// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "EmbeddedWorker",
  dependencies: [.package(name: "stint", path: "../..")],
  targets: [
    .executableTarget(
      name: "EmbeddedWorker", dependencies: [.product(name: "Stint", package: "stint")]),
    .testTarget(
      name: "EmbeddedWorkerTests",
      dependencies: [
        "EmbeddedWorker",
        .product(name: "Stint", package: "stint"),
        .product(name: "StintTesting", package: "stint"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
