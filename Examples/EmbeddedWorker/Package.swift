// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "EmbeddedWorker",
  dependencies: [.package(name: "stint", path: "../..")],
  targets: [
    .executableTarget(
      name: "EmbeddedWorker", dependencies: [.product(name: "Stint", package: "stint")])
  ],
  swiftLanguageModes: [.v6]
)
