import Foundation
import Testing

@Suite("The first minute")
struct FirstMinuteTests {
  @Test(
    "the README names the two commands, and the Makefile has them", arguments: ["demo", "test"])
  func commands(target: String) throws {
    let readme = try #require(Tree.text(of: "README.md"))
    let makefile = try #require(Tree.text(of: "Makefile"))
    #expect(readme.contains("make \(target)"))
    #expect(makefile.contains("\n\(target): "))
  }

  @Test(
    "make demo builds stint alone, make build all programs",
    arguments: [("demo", ["stint"]), ("build", ["stint", "stint-images", "stint-bench"])])
  func products(target: String, products: [String]) throws {
    let make = Process()
    make.executableURL = URL(filePath: "/usr/bin/make")
    make.arguments = ["-C", Tree.root.path(), "--no-print-directory", "--dry-run", target]
    let output = Pipe()
    make.standardOutput = output
    try make.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    make.waitUntilExit()
    #expect(make.terminationStatus == 0)
    let built = text.split(separator: "\n").compactMap { line in
      line.contains("swift build") ? line.split(separator: " ").last.map(String.init) : nil
    }
    #expect(built == products)
  }

  @Test("the changes of the version that the program says are listed, with a date")
  func version() throws {
    let program = try #require(
      Tree.text(of: "Sources/StintCommands/Process/ProductVersion.swift"))
    let version = try #require(program.firstMatch(of: /"(\d+\.\d+\.\d+)"/)?.output.1)
    let changes = try #require(Tree.text(of: "CHANGELOG.md"))
    let listed = try #require(changes.firstMatch(of: /\n## (\d\S+), \d{4}-\d{2}-\d{2}\n/))
    #expect(listed.output.1 == version)
    #expect(changes.hasPrefix("# Changes\n\n## Unreleased\n"))
  }

  @Test("the README names every exit status and every verb that a job needs")
  func readme() throws {
    let readme = try #require(Tree.text(of: "README.md"))
    for status in ["0", "75", "64", "65", "69", "70", "73, 74", "128+n"] {
      #expect(readme.contains("| \(status) |"), "\(status)")
    }
    for verb in ["run", "list", "status", "watch", "pause", "resume", "stop", "verify", "clean"] {
      #expect(readme.contains("stint \(verb)"), "\(verb)")
    }
  }

  @Test("scripts can be run and stop at the first error")
  func scripts() throws {
    let scripts = Tree.files(under: "scripts").filter { !$0.contains(".") } + [".ci/run"]
    #expect(scripts.count >= 5)
    for script in scripts {
      let text = try #require(Tree.text(of: script))
      #expect(
        FileManager.default.isExecutableFile(atPath: Tree.root.appending(path: script).path()))
      #expect(Self.stopsAtErrors(text) || Self.goOn[script] != nil, "\(script)")
    }
  }

  /// Scripts that go on after an error, with the reason.
  static let goOn = [
    "scripts/acceptance": "it counts the lines that fail, and exits with 1 at the end",
    "scripts/acceptance-fibonacci": "it counts the lines that fail, and exits with 1 at the end",
  ]

  static func stopsAtErrors(_ script: String) -> Bool {
    !script.hasPrefix("#!/usr/bin/env bash") || script.contains("\nset -euo pipefail\n")
  }

  @Test("the check catches a script that goes on after an error")
  func planted() {
    #expect(!Self.stopsAtErrors("#!/usr/bin/env bash\nset -e\nfalse\n"))
    #expect(Self.stopsAtErrors("#!/usr/bin/env python3\n"))
  }
}
