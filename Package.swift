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

/// Whether another package fetched this one: SwiftPM then accepts no flags that it does not know.
let isFetched = Context.packageDirectory.contains("/checkouts/")

/// Loops over digits and pixels are optimised in a debug build too.
///
/// The tests run them for minutes.
let computing: [SwiftSetting] =
  strict + (isFetched ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])

/// How a release of a program is linked: with Swift's libraries inside, at fixed addresses.
///
/// A program that loads fifteen libraries takes three times as long to start. With STINT_RELEASE
/// the makefile also asks for the C library inside, where a program can be whole.
func linked(canBeWhole: Bool) -> [LinkerSetting] {
  if isFetched { return [] }
  let isWhole = canBeWhole && Context.environment["STINT_RELEASE"] == "whole"
  let bound = ["-Xclang-linker", "-no-pie", "-Xclang-linker", "-static-libgcc"]
  let flags = ["-static-stdlib", "-use-ld=lld"] + (isWhole ? ["-static-executable"] : bound)
  return [.unsafeFlags(flags, .when(configuration: .release))]
}

let package = Package(
  name: "stint",
  products: [
    .library(name: "Stint", targets: ["Stint"]),
    .library(name: "StintTesting", targets: ["StintTesting"]),
    // For code written for iOS; built only where they are named.
    .library(name: "UIKit", targets: ["UIKit"]),
    .library(name: "BackgroundTasks", targets: ["BackgroundTasks"]),
    .library(name: "StintImages", targets: ["StintImages"]),
    // For the benchmark, which is a package of its own; nothing in it is public.
    .library(name: "StintCommands", targets: ["StintCommands"]),
    .executable(name: "stint", targets: ["stint"]),
    .executable(name: "stint-images", targets: ["stint-images"]),
    .executable(name: "stint-simulate", targets: ["stint-simulate"]),
  ],
  traits: [
    .trait(name: "Images", description: "Image filters over libvips."),
    .default(enabledTraits: ["Images"]),
  ],
  targets: [
    // C libraries and what Swift cannot say.
    .systemLibrary(name: "CGMP", pkgConfig: "gmp", providers: [.apt(["libgmp-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    // The flags of GObject are all that the headers of libvips need, and the module map names what
    // is linked. The flags of libvips come from all that it was built with, and SwiftPM warns of
    // some of them (-pthread), also where only `Stint` is used.
    .systemLibrary(name: "CVips", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CStint", publicHeadersPath: "include"),

    // Values and state machines: standard library only, no clock, no lock, no I/O.
    .target(name: "StintCore", swiftSettings: pure),

    // A second statement of the system contract, which knows nothing of the first, and what drives
    // both in lockstep.
    .target(name: "StintModel", path: "Verification/StintModel", swiftSettings: pure),
    .target(
      name: "StintLockstep", dependencies: ["StintCore", "StintModel"],
      path: "Verification/StintLockstep", swiftSettings: strict),

    // The runtime: systems, worker, store. The only effects, and no Foundation.
    .target(
      name: "StintRuntime", dependencies: ["StintCore", "CStint", "CXXHash"], swiftSettings: strict),

    // What an embedder imports: the runtime, and the application with what it needs of Foundation.
    .target(name: "Stint", dependencies: ["StintCore", "StintRuntime"], swiftSettings: strict),

    // The names of iOS, for code that is to stay as it is.
    // The compiler imports the empty module where a test imports UIKit and Testing.
    .target(
      name: "UIKit", dependencies: ["StintCore", "Stint", "_Testing_UIKit"], swiftSettings: strict),
    .target(name: "_Testing_UIKit", swiftSettings: strict),
    .target(name: "BackgroundTasks", dependencies: ["StintCore", "Stint"], swiftSettings: strict),

    // Reports: values in, text out; a page, plots, a trace.
    .target(name: "StintReport", dependencies: ["StintCore"], swiftSettings: pure),

    // Computations.
    .target(
      name: "StintFibonacci", dependencies: ["StintCore", "StintRuntime", "CGMP"],
      swiftSettings: computing),

    // With the trait `Images` alone; without it the module is empty and libvips is not needed.
    .target(
      name: "StintImages",
      dependencies: [
        "StintCore", "StintRuntime",
        .target(name: "CVips", condition: .when(traits: ["Images"])),
        .target(name: "CZlib", condition: .when(traits: ["Images"])),
      ],
      swiftSettings: computing),

    // The command line.
    .target(
      name: "StintCommands",
      dependencies: ["StintCore", "StintRuntime", "StintReport", "StintFibonacci", "CStint"],
      swiftSettings: strict),
    .executableTarget(
      name: "stint", dependencies: ["StintCommands"], swiftSettings: strict,
      linkerSettings: linked(canBeWhole: true)),
    // libvips takes milliseconds to load, so the image verbs are a program of their own, which
    // `stint` becomes by exec.
    .target(
      name: "StintImageCommands",
      dependencies: ["StintCore", "StintRuntime", "StintImages", "StintCommands", "CStint"],
      swiftSettings: strict),
    .executableTarget(
      name: "stint-images", dependencies: ["StintImageCommands"], swiftSettings: strict,
      linkerSettings: linked(canBeWhole: false)),

    // Testing the budget handling of any worker.
    .target(
      name: "StintTesting", dependencies: ["StintCore", "StintRuntime", "Stint"],
      swiftSettings: strict),

    // Whole lives of a worker, drawn from seeds: the machines against everything that can go wrong.
    .target(
      name: "StintSimulation", dependencies: ["StintCore", "StintRuntime"],
      path: "Verification/StintSimulation", swiftSettings: strict),
    .executableTarget(
      name: "stint-simulate",
      dependencies: [
        "StintCore", "StintRuntime", "StintSimulation", "StintLockstep", "StintCommands",
      ],
      path: "Verification/stint-simulate", swiftSettings: strict),

    // The fuzz targets: the tests run the corpora through them, and Fuzz/ has the fuzzer.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "StintCore", "StintRuntime", "StintFibonacci", "StintImages", "StintCommands",
        "StintImageCommands",
      ],
      path: "Fuzz/Targets", swiftSettings: strict),

    // Tests: one target per module, then end to end, then the tree itself.
    .testTarget(
      name: "StintCoreTests", dependencies: ["StintCore"], swiftSettings: strict),
    .testTarget(
      name: "StintReportTests", dependencies: ["StintReport", "StintCore"], swiftSettings: strict),
    .testTarget(
      name: "StintLockstepTests", dependencies: ["StintCore", "StintLockstep"],
      swiftSettings: strict),
    .testTarget(
      name: "StintRuntimeTests", dependencies: ["StintRuntime", "Stint", "StintTesting", "CStint"],
      swiftSettings: strict),
    .testTarget(
      name: "StintTests", dependencies: ["Stint", "StintTesting"], swiftSettings: strict),
    .testTarget(
      name: "StintTestingTests",
      dependencies: ["StintTesting", "Stint", "StintCore", "UIKit", "BackgroundTasks"],
      swiftSettings: strict),
    .testTarget(
      name: "StintFibonacciTests",
      dependencies: ["StintCore", "StintFibonacci", "StintTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "StintImagesTests",
      dependencies: ["StintImages", "StintTesting", "Stint", "StintCore"],
      swiftSettings: strict),
    .testTarget(
      name: "StintCommandsTests", dependencies: ["StintCommands", "StintTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "StintCore", "Stint", "StintReport", "CStint", "stint", "stint-images",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["StintSimulation"], swiftSettings: strict),
    .testTarget(name: "CorpusTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// STINT_TESTS names the test targets that a list of checks runs, so that it builds no others.
if let chosen = Context.environment["STINT_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}
