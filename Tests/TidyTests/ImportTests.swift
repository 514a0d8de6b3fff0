import Testing

@Suite("Imports")
struct ImportTests {
  private static let foundation = [
    "Sources/Stint/", "Sources/UIKit/", "Sources/BackgroundTasks/",
    "Sources/StintTesting/", "Benchmarks/", "Fuzz/", "Tests/", "Examples/",
  ]

  /// Where a module may be imported; what is not listed may be imported anywhere.
  static let allowed: [String: [String]] = [
    "CGMP": ["Sources/StintFibonacci/", "Benchmarks/", "Tests/StintFibonacciTests/"],
    "CVips": ["Sources/StintImages/Vips/", "Tests/StintImagesTests/Vips/"],
    "CZlib": [
      "Sources/StintImages/Output/", "Fuzz/Targets/",
      "Tests/StintImagesTests/Output/",
    ],
    "CXXHash": ["Sources/StintRuntime/Files/", "Tests/StintRuntimeTests/"],
    "StintReport": [
      "Sources/StintCommands/", "Benchmarks/", "Tests/StintReportTests/",
      "Tests/StintCommandsTests/", "Tests/EndToEndTests/",
    ],
    "StintFibonacci": [
      "Sources/StintCommands/", "Benchmarks/", "Fuzz/", "Tests/StintFibonacciTests/",
      "Tests/StintCommandsTests/", "Tests/EndToEndTests/",
    ],
    "StintImages": [
      "Sources/StintImageCommands/", "Benchmarks/", "Fuzz/", "Tests/StintImagesTests/",
      "Tests/Clients/Sources/WithoutImages/",
    ],
    "StintImageCommands": ["Sources/stint-images/", "Fuzz/"],
    "StintCommands": [
      "Sources/stint/", "Sources/StintImageCommands/", "Verification/stint-simulate/",
      "Benchmarks/", "Fuzz/",
      "Tests/StintCommandsTests/",
    ],
    "StintSimulation": ["Verification/stint-simulate/", "Tests/SimulationTests/"],
    "StintModel": ["Verification/StintLockstep/"],
    "StintLockstep": ["Verification/stint-simulate/", "Tests/StintLockstepTests/"],
    "StintScenarios": ["Benchmarks/"],
    "StintTesting": ["Tests/", "Examples/"],
    "StintRuntime": [
      "Sources/Stint/", "Sources/StintFibonacci/", "Sources/StintImages/", "Sources/StintCommands/",
      "Sources/StintImageCommands/", "Sources/StintTesting/", "Verification/StintSimulation/",
      "Verification/stint-simulate/", "Benchmarks/", "Fuzz/", "Tests/",
    ],
    // What an embedder imports links Foundation, which no installed program needs.
    "Stint": [
      "Sources/UIKit/", "Sources/BackgroundTasks/", "Sources/StintTesting/", "Benchmarks/",
      "Tests/", "Examples/",
    ],
    "UIKit": [
      "Tests/StintTestingTests/Documentation/", "Tests/StintTestingTests/Scheduler/",
      "Tests/Clients/", "Examples/BackgroundModes/",
    ],
    // The compiler's own doing.
    "_Testing_UIKit": [],
    "BackgroundTasks": ["Tests/StintTestingTests/Scheduler/", "Tests/Clients/"],
    "Foundation": foundation, "FoundationEssentials": foundation,
    "FoundationInternationalization": foundation, "FoundationNetworking": foundation,
    // Values and machines know nothing of what uses them, and anything may use them.
    "StintCore": [""],
    "CStint": ["Sources/StintRuntime/", "Sources/StintCommands/", "Benchmarks/", "Tests/"],
  ]

  static func faults(in file: SourceFile) -> [String] {
    var faults = file.imports.filter { module in
      allowed[module].map { !$0.contains(where: file.path.hasPrefix) } ?? false
    }
    if file.path.hasPrefix("Sources/StintCore/") {
      faults = file.imports
    }
    // Values in, text out: a report knows of nothing that could read or write.
    if file.path.hasPrefix("Sources/StintReport/") {
      faults = file.imports.filter { $0 != "StintCore" }
    }
    return faults.map { "\(file.path) imports \($0)" }
  }

  @Test("arrows go down only, and each C library has its one place")
  func tree() {
    #expect(Tree.swiftFiles.flatMap(Self.faults) == [])
  }

  @Test(
    "the check catches a planted import",
    arguments: [
      ("Sources/StintRuntime/A.swift", "import StintFibonacci"),
      ("Sources/StintRuntime/A.swift", "internal import CGMP"),
      ("Sources/StintRuntime/A.swift", "public import Foundation"),
      ("Sources/StintRuntime/A.swift", "import Stint"),
      ("Sources/StintCommands/A.swift", "import FoundationEssentials"),
      ("Sources/StintImages/A.swift", "package import Stint"),
      ("Sources/StintCommands/A.swift", "@preconcurrency import CXXHash"),
      ("Sources/StintCore/A.swift", "import Synchronization"),
      ("Sources/StintCore/A.swift", "public import struct Foundation.Date"),
      ("Sources/StintFibonacci/A.swift", "package import StintCommands"),
      ("Sources/StintReport/A.swift", "import Foundation"),
      ("Sources/StintReport/A.swift", "package import Stint"),
    ])
  func planted(path: String, line: String) {
    #expect(Self.faults(in: SourceFile(path: path, text: line + "\n")).count == 1)
  }
}
