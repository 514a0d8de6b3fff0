// swift-tools-version: 6.2

import PackageDescription

/// Every Swift target is compiled in Swift 6 mode with these settings.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The pure module touches no memory by hand, so it is also held to strict memory safety.
let pure: [SwiftSetting] = strict + [.strictMemorySafety()]

let package = Package(
  name: "stint",
  products: [
    .library(name: "Stint", targets: ["Stint"]),
    .library(name: "StintTesting", targets: ["StintTesting"]),
    .executable(name: "stint", targets: ["stint"]),
    .executable(name: "stint-bench", targets: ["stint-bench"]),
    .executable(name: "stint-simulate", targets: ["stint-simulate"]),
  ],
  targets: [
    // C libraries and what Swift cannot say.
    .systemLibrary(name: "CGMP", pkgConfig: "gmp", providers: [.apt(["libgmp-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .target(name: "CStint", publicHeadersPath: "include"),

    // Values and state machines: standard library only, no clock, no lock, no I/O.
    .target(name: "StintCore", swiftSettings: pure),

    // A second statement of the system contract, which knows nothing of the first, and what drives both in lockstep.
    .target(name: "StintModel", swiftSettings: pure),
    .target(
      name: "StintLockstep", dependencies: ["StintCore", "StintModel"], swiftSettings: strict),

    // The runtime: application, systems, worker, store.
    .target(
      name: "Stint", dependencies: ["StintCore", "CStint", "CXXHash"], swiftSettings: strict),

    // Computations.
    .target(
      name: "StintFibonacci", dependencies: ["StintCore", "Stint", "CGMP"], swiftSettings: strict),

    // The command line.
    .target(
      name: "StintCommands",
      dependencies: ["StintCore", "Stint", "StintFibonacci", "CStint"],
      swiftSettings: strict),
    .executableTarget(name: "stint", dependencies: ["StintCommands"], swiftSettings: strict),

    // Testing the budget handling of any worker.
    .target(name: "StintTesting", dependencies: ["StintCore", "Stint"], swiftSettings: strict),

    // Whole lives of a worker, drawn from seeds: the machines against everything that can go wrong.
    .target(
      name: "StintSimulation", dependencies: ["StintCore", "Stint"], swiftSettings: strict),
    .executableTarget(
      name: "stint-simulate",
      dependencies: ["StintCore", "Stint", "StintSimulation", "StintLockstep", "StintCommands"],
      swiftSettings: strict),

    // Benchmarks.
    .executableTarget(
      name: "stint-bench",
      dependencies: ["StintCore", "Stint", "StintFibonacci", "StintCommands", "CStint"],
      path: "Benchmarks/stint-bench",
      swiftSettings: strict),

    // Tests: one target per module, then end to end, then the tree itself.
    .testTarget(
      name: "StintCoreTests", dependencies: ["StintCore"], swiftSettings: strict),
    .testTarget(
      name: "StintLockstepTests", dependencies: ["StintCore", "StintLockstep"],
      swiftSettings: strict),
    .testTarget(
      name: "StintTests", dependencies: ["Stint", "StintTesting", "CStint"], swiftSettings: strict),
    .testTarget(
      name: "StintTestingTests", dependencies: ["StintTesting", "Stint", "StintCore"],
      swiftSettings: strict),
    .testTarget(
      name: "StintFibonacciTests",
      dependencies: ["StintCore", "StintFibonacci", "StintTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "StintCommandsTests", dependencies: ["StintCommands", "StintTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["StintCore", "Stint", "CStint", "stint", "stint-bench"],
      swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["StintSimulation"], swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
