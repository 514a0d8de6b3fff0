// swift-tools-version: 6.2

import PackageDescription

/// Each client is compiled in both language modes: STINT_CLIENTS says in which.
let mode: SwiftLanguageMode = Context.environment["STINT_CLIENTS"] == "5" ? .v5 : .v6

/// Warnings are errors: a declaration that makes old code warn makes it fail where that is an
/// error.
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .swiftLanguageMode(mode)]

let stint = Target.Dependency.product(name: "Stint", package: "stint")
let uiKit = Target.Dependency.product(name: "UIKit", package: "stint")

/// What code of iOS names, and what plays the system for it.
let shapes: [Target.Dependency] = [
  uiKit, .product(name: "BackgroundTasks", package: "stint"),
  .product(name: "StintTesting", package: "stint"),
]

func client(
  _ name: String, _ dependencies: [Target.Dependency], _ more: [SwiftSetting] = []
) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings + more)
}

/// Client code, seen from outside of the package, as a program that uses Stint sees it: what was
/// written before Swift 6, and what was written for it.
let package = Package(
  name: "Clients",
  // Without the trait Images nothing of libvips is needed, whichever product is used.
  dependencies: [.package(name: "stint", path: "../..", traits: [])],
  targets: [
    client("OlderClient", [stint]), client("NewerClient", [stint]),
    client("OlderShapes", shapes),
    client("NewerShapes", shapes, [.enableUpcomingFeature("MemberImportVisibility")]),
    client("MainDelegate", [uiKit]), client("BackgroundWork", shapes),
    client("OutlivingWork", shapes),
    client("WithoutImages", [stint, .product(name: "StintImages", package: "stint")]),
  ]
)
