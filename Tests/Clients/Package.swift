// swift-tools-version: 6.2

import PackageDescription

/// Warnings are errors: a declaration that makes old code warn makes it fail where that is an
/// error.
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// What code of iOS names, and what plays the system for it.
let shapes: [Target.Dependency] = [
  .product(name: "UIKit", package: "stint"), .product(name: "BackgroundTasks", package: "stint"),
  .product(name: "StintTesting", package: "stint"),
]

/// The same client code in both language modes, each seen from outside of the package, as a program
/// that uses Stint sees it.
let package = Package(
  name: "Clients",
  // Without the trait Images nothing of libvips is needed, whichever product is used.
  dependencies: [.package(name: "stint", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "OlderClient", dependencies: [.product(name: "Stint", package: "stint")],
      swiftSettings: settings + [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "NewerClient", dependencies: [.product(name: "Stint", package: "stint")],
      swiftSettings: settings + [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "OlderShapes", dependencies: shapes,
      swiftSettings: settings + [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "NewerShapes", dependencies: shapes,
      swiftSettings: settings + [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    .executableTarget(
      name: "MainDelegate", dependencies: [.product(name: "UIKit", package: "stint")],
      swiftSettings: settings + [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "WithoutImages",
      dependencies: [
        .product(name: "Stint", package: "stint"), .product(name: "StintImages", package: "stint"),
      ],
      swiftSettings: settings + [.swiftLanguageMode(.v6)]),
  ]
)
