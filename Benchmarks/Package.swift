// swift-tools-version: 6.2

import PackageDescription

/// The package that Stint is to the compiler: its folder's name as an identifier.
let stintPackage = String(
  (Context.packageDirectory.split(separator: "/").dropLast().last ?? "").lowercased()
    .map { $0.isLetter || $0.isNumber ? $0 : "_" })

/// The settings of Stint.
///
/// As a part of Stint's package the benchmark sees what the modules share.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-package-name", stintPackage]),
]

func stint(_ product: String) -> Target.Dependency { .product(name: product, package: "stint") }

let package = Package(
  name: "stint-benchmarks",
  products: [.executable(name: "stint-bench", targets: ["stint-bench"])],
  dependencies: [.package(name: "stint", path: "..")],
  targets: [
    // Budgets, workloads and strategies in virtual time, then the program.
    .target(
      name: "StintScenarios", dependencies: [stint("StintCommands")], path: "StintScenarios",
      packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "stint-bench",
      dependencies: ["StintScenarios", stint("StintCommands"), stint("Stint")],
      path: "stint-bench", packageAccess: false, swiftSettings: settings,
      // As the programs of Stint whose C library is loaded.
      linkerSettings: [
        .unsafeFlags(
          [
            "-Xclang-linker", "-no-pie", "-Xclang-linker", "-static-libgcc", "-static-stdlib",
            "-use-ld=lld",
          ], .when(configuration: .release))
      ]),

    // The programs that are measured are built beside the tests.
    .testTarget(
      name: "StintScenariosTests", dependencies: ["StintScenarios"], packageAccess: false,
      swiftSettings: settings),
    .testTarget(
      name: "BenchTests", dependencies: ["stint-bench", stint("stint"), stint("stint-images")],
      packageAccess: false, swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
