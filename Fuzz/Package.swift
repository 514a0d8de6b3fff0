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

let package = Package(
  name: "stint-fuzz",
  targets: [
    .systemLibrary(name: "CGMP", path: "Stint/CGMP", pkgConfig: "gmp"),
    .systemLibrary(name: "CXXHash", path: "Stint/CXXHash", pkgConfig: "libxxhash"),
    .target(
      name: "CStint", path: "Stint/CStint", publicHeadersPath: "include", cSettings: instrumentedC),
    .target(name: "StintCore", path: "Stint/StintCore", swiftSettings: instrumented),
    .target(
      name: "StintRuntime", dependencies: ["StintCore", "CStint", "CXXHash"],
      path: "Stint/StintRuntime",
      swiftSettings: instrumented),
    .target(
      name: "StintFibonacci", dependencies: ["StintCore", "StintRuntime", "CGMP"],
      path: "Stint/StintFibonacci", swiftSettings: instrumented),
    .target(
      name: "StintReport", dependencies: ["StintCore"], path: "Stint/StintReport",
      swiftSettings: instrumented),
    .systemLibrary(name: "CVips", path: "Stint/CVips", pkgConfig: "vips"),
    .systemLibrary(name: "CZlib", path: "Stint/CZlib", pkgConfig: "zlib"),
    .target(
      name: "StintImages", dependencies: ["StintCore", "StintRuntime", "CVips", "CZlib"],
      path: "Stint/StintImages", swiftSettings: instrumented + [.define("Images")]),
    .target(
      name: "StintCommands",
      dependencies: ["StintCore", "StintRuntime", "StintFibonacci", "StintReport", "CStint"],
      path: "Stint/StintCommands", swiftSettings: instrumented),
    .target(
      name: "StintImageCommands",
      dependencies: ["StintCore", "StintRuntime", "StintImages", "StintCommands", "CStint"],
      path: "Stint/StintImageCommands", swiftSettings: instrumented + [.define("Images")]),
    .target(
      name: "StintTesting", dependencies: ["StintCore", "StintRuntime"], path: "Stint/StintTesting",
      sources: ["Files/MemoryWorkspace.swift"], swiftSettings: instrumented),

    .target(name: "CFuzz"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "StintCore", "StintRuntime", "StintFibonacci", "StintImages", "StintCommands",
        "StintImageCommands", "StintTesting",
      ],
      path: "Targets", swiftSettings: instrumented + [.define("Images")]),
    .executableTarget(
      name: "stint-fuzz",
      dependencies: [
        "FuzzTargets", "StintCore", "StintRuntime", "StintImages", "StintTesting", "CFuzz",
      ],
      swiftSettings: instrumented,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  ],
  swiftLanguageModes: [.v6]
)
