import Testing

/// Something that the code must not say, and where it may after all.
struct Ban: Sendable {
  let what: String
  /// A regular expression, matched line by line.
  let pattern: String
  /// Folders or files in which the ban holds.
  let applies: [String]
  /// Files or folders that are excepted, with the reason.
  var exceptions: [String: String] = [:]
  /// What of a file it is about.
  var part = SourceFile.Part.code

  func faults(in file: SourceFile) -> [String] {
    guard applies.contains(where: file.path.hasPrefix),
      !exceptions.keys.contains(where: file.path.hasPrefix)
    else { return [] }
    return file.places(of: pattern, in: part).map { "\(what): \($0)" }
  }

  /// The exceptions that excuse nothing in these files.
  func idleExceptions(in files: [SourceFile]) -> [String] {
    exceptions.keys.sorted().filter { path in
      !files.contains { file in
        file.path.hasPrefix(path) && applies.contains(where: file.path.hasPrefix)
          && !file.places(of: pattern, in: part).isEmpty
      }
    }.map { "\(what): nothing in \($0) needs its exception" }
  }

  /// The names of other tests' planted faults would otherwise be found in this file.
  static let ownFile = "Tests/TidyTests/BannedCallTests.swift"

  static let all = [
    Ban(what: "the wall clock", pattern: #"\bDate\(\)|\bDate\.now\b"#, applies: Tree.code),
    Ban(
      what: "a clock of its own",
      pattern: #"\b(CLOCK_\w+|gettimeofday|clock_gettime|ContinuousClock)\b"#,
      applies: Tree.code),
    Ban(
      what: "sleeping",
      pattern: #"\bTask\.sleep|\bThread\.sleep|\b(u|nano|clock_nano)?sleep\("#,
      applies: Tree.code + Tree.tests,
      exceptions: [
        "Tests/EndToEndTests/": "tests that wait on real time live there"
      ]),
    Ban(
      what: "a timer that stands still with the machine",
      pattern: #"\basyncAfter\b|\bmakeTimerSource\b|\bscheduledTimer\b|\balarm\("#,
      applies: Tree.code),
    Ban(
      what: "a child with this thread's signals",
      pattern: #"\bProcess\(\)|\bposix_spawnp?\(|\bfork\(|\b(system|popen)\("#,
      applies: Tree.code),
    Ban(what: "a forced cast", pattern: #"\bas!"#, applies: Tree.code + ["Tests/", "Benchmarks/"]),
    Ban(
      what: "a check that is gone in a release", pattern: #"(?<![.\w])assert(ionFailure)?\("#,
      applies: Tree.code),
    Ban(
      what: "unstructured tasks", pattern: #"\bTask\.detached|\bTask\s*(\([^)]*\)\s*)?\{"#,
      applies: Tree.code,
      exceptions: [
        "Sources/StintRuntime/System/ProcessEnvironment.swift":
          "how asynchronous handlers come to main",
        "Sources/StintTesting/System/VirtualEnvironment.swift": "the same, in virtual time",
      ]),
    Ban(what: "a forced try", pattern: #"\btry!"#, applies: Tree.code + ["Tests/", "Benchmarks/"]),
    Ban(
      what: "unfinished work", pattern: #"\bTODO\b|\bFIXME\b|\bXXX\b"#,
      applies: Tree.code + ["Tests/", "Benchmarks/", "Examples/"], exceptions: [ownFile: "the ban"],
      part: .all),
    Ban(
      what: "printing from a library", pattern: #"(?<![.\w])(debugPrint|print|dump)\("#,
      applies: Tree.code),
    Ban(
      what: "Foundation in the pure module", pattern: #"\bimport\s+(Foundation|Glibc|Dispatch)"#,
      applies: ["Sources/StintCore/"]),
    Ban(
      what: "another lock", pattern: #"\b(NSLock|NSRecursiveLock|Mutex)\b|\bpthread_mutex_t\b"#,
      applies: Tree.code,
      exceptions: [
        "Sources/StintRuntime/Support/Protected.swift": "the one lock",
        "Sources/StintRuntime/Support/SerialThread.swift":
          "a condition waits with a mutex of its own",
      ]),
    Ban(
      what: "an option of the command line, which only it knows (give a Remedy)",
      pattern: #"(^|[^-\w])--[a-z]"#,
      applies: ["Core", "Runtime", "", "Testing", "Fibonacci", "Images"].map {
        "Sources/Stint\($0)/"
      },
      part: .literals),
    Ban(
      what: "default in a machine", pattern: #"^\s*default:"#,
      applies: ["Sources/StintCore/System/", "Sources/StintCore/Work/", "Sources/StintCore/Life/"]),
  ]
}

@Suite("Banned calls")
struct BannedCallTests {
  @Test("the tree says nothing that is banned")
  func tree() {
    let faults = Tree.swiftFiles.flatMap { file in Ban.all.flatMap { $0.faults(in: file) } }
    #expect(faults == [])
  }

  @Test("every exception excuses something")
  func exceptions() {
    #expect(Ban.all.flatMap { $0.idleExceptions(in: Tree.swiftFiles) } == [])
    let ban = Ban(
      what: "it", pattern: "it", applies: ["Sources/"],
      exceptions: ["Sources/A.swift": "needed", "Sources/B/": "not", "Tests/": "never applied"])
    let files = ["Sources/A.swift", "Sources/C.swift", "Tests/D.swift"].map {
      SourceFile(path: $0, text: "it\n")
    }
    #expect(
      ban.idleExceptions(in: files) == [
        "it: nothing in Sources/B/ needs its exception",
        "it: nothing in Tests/ needs its exception",
      ])
  }

  @Test(
    "each ban catches a planted fault",
    arguments: [
      ("Sources/Stint/A.swift", "let now = Date()"),
      ("Sources/Stint/A.swift", "clock_gettime(CLOCK_REALTIME, &t)"),
      ("Tests/StintTests/A.swift", "try await Task.sleep(for: .seconds(1))"),
      ("Tests/StintTests/A.swift", "  usleep(100)"),
      ("Sources/Stint/A.swift", "Task { await run() }"),
      ("Sources/Stint/A.swift", "Task(priority: .high) { await run() }"),
      ("Sources/Stint/A.swift", "Task.detached { }"),
      ("Sources/Stint/A.swift", "let x = try! f()"),
      ("Tests/StintTests/A.swift", "let x = y as! Int"),
      ("Sources/Stint/A.swift", "queue.asyncAfter(deadline: .now() + 1) {}"),
      ("Sources/Stint/A.swift", "let child = Process()"),
      ("Sources/Stint/A.swift", "assert(x > 0)"),
      ("Sources/Stint/A.swift", "// TODO: later"),
      ("Sources/Stint/A.swift", "print(1)"),
      ("Sources/StintCore/A.swift", "public import Foundation"),
      ("Sources/Stint/A.swift", "let lock = Mutex(0)"),
      ("Sources/StintCore/System/A.swift", "  default: break"),
      ("Sources/StintImages/A.swift", "let a = \"it is there; add --force\""),
      ("Sources/Stint/A.swift", "let a = \"\"\"\n  --fresh starts over\n  \"\"\""),
    ])
  func planted(path: String, text: String) {
    let file = SourceFile(path: path, text: text + "\n")
    #expect(Ban.all.flatMap { $0.faults(in: file) }.count == 1)
  }

  @Test(
    "what only looks like it passes",
    arguments: [
      ("Sources/Stint/A.swift", "// Date() and Task.sleep are banned"),
      ("Sources/Stint/A.swift", "let text = \"try! print(1)\""),
      ("Sources/Stint/A.swift", "/* NSLock /* nested */ Date() */ let a = 1"),
      ("Sources/Stint/A.swift", "screen.print(1); fingerprint(2)"),
      ("Sources/Stint/A.swift", "struct BackgroundTask { }"),
      ("Sources/Stint/A.swift", "operating_system(1); self.assert(2); let a = b as? Int"),
      ("Sources/Stint/A.swift", "let a = \"\"\"\n  Date() \"quoted\"\n  \"\"\""),
      ("Tests/EndToEndTests/A.swift", "usleep(100)"),
      ("Sources/StintCore/A.swift", "/// As `--force` does.\nlet a = \"a--b --- -- c\" // --fresh"),
      ("Sources/StintCommands/A.swift", "let a = \"add --force\""),
    ])
  func innocent(path: String, text: String) {
    let file = SourceFile(path: path, text: text + "\n")
    #expect(Ban.all.flatMap { $0.faults(in: file) } == [])
  }
}
