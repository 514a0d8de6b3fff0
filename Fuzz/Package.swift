// swift-tools-version: 6.2

import PackageDescription

/// The fuzzer's instrumentation, and `@testable` for what a module keeps to itself.
let instrumented: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"]),
]
let instrumentedC: [CSetting] = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]

/// A module of Stint.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], images: Bool = false)
  -> Target
{
  .target(
    name: name, dependencies: dependencies, path: "Stint/\(name)",
    swiftSettings: instrumented + (images ? [.define("Images")] : []))
}

let package = Package(
  name: "stint-fuzz",
  targets: [
    .systemLibrary(name: "CGMP", path: "Stint/CGMP", pkgConfig: "gmp"),
    .systemLibrary(name: "CXXHash", path: "Stint/CXXHash", pkgConfig: "libxxhash"),
    .target(
      name: "CStint", path: "Stint/CStint", publicHeadersPath: "include", cSettings: instrumentedC),
    module("StintCore"),
    module("StintRuntime", ["StintCore", "CStint", "CXXHash"]),
    module("StintFibonacci", ["StintCore", "StintRuntime", "CGMP"]),
    module("StintReport", ["StintCore"]),
    .systemLibrary(name: "CVips", path: "Stint/CVips", pkgConfig: "vips"),
    .systemLibrary(name: "CZlib", path: "Stint/CZlib", pkgConfig: "zlib"),
    module("StintImages", ["StintCore", "StintRuntime", "CVips", "CZlib"], images: true),
    module(
      "StintCommands", ["StintCore", "StintRuntime", "StintFibonacci", "StintReport", "CStint"]),
    module(
      "StintImageCommands",
      ["StintCore", "StintRuntime", "StintImages", "StintCommands", "CStint"], images: true),

    .target(name: "CFuzz"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "StintCore", "StintRuntime", "StintFibonacci", "StintImages", "StintCommands",
        "StintImageCommands", "CZlib",
      ],
      path: "Targets", swiftSettings: instrumented + [.define("Images")]),
    .executableTarget(
      name: "stint-fuzz",
      dependencies: [
        "FuzzTargets", "StintCore", "StintRuntime", "StintImages", "CFuzz",
      ],
      swiftSettings: instrumented,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  ],
  swiftLanguageModes: [.v6]
)
