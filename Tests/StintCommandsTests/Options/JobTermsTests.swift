import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("What a command line says of its job")
struct JobTermsTests {
  private static func surroundings(_ environment: [String: String] = [:]) -> Surroundings {
    var surroundings = CommandLine.surroundings
    surroundings.environment.merge(environment) { $1 }
    return surroundings
  }

  private static func terms(
    _ words: [String], environment: [String: String] = [:]
  ) throws -> JobTerms {
    try RunOptions(
      CommandLine.parsed(["run"] + words, environment: environment).options,
      in: surroundings(environment)
    ).jobTerms
  }

  private static func keys(_ words: [String]) throws -> [String] {
    let options = try RunOptions(
      CommandLine.parsed(["run"] + words).options, in: surroundings())
    return options.forms(
      kind: "test", parameters: ["n": "1"], outputPath: "/somewhere/out"
    ).keys
  }

  @Test("a name is taken, and a wrong one is refused with what it may be")
  func name() throws {
    #expect(try Self.terms(["fibonacci", "1", "--name", "night.2"]).name == "night.2")
    #expect(try Self.terms(["fibonacci", "1"]).name == nil)
    expectError(.usage, saying: "letters, digits, dots") {
      try Self.terms(["fibonacci", "1", "--name", "a b"])
    }
    expectError(.usage, saying: "looks like the key") {
      try Self.terms(["fibonacci", "1", "--name", "exec-1f0c5a93b2d4e687"])
    }
  }

  @Test("variables of the key have their values from the environment")
  func variables() throws {
    let environment = ["TASK": "3", "EMPTY": ""]
    let words = ["fibonacci", "1", "--key-env", "TASK", "--key-env", "EMPTY"]
    #expect(try Self.terms(words, environment: environment).environment == environment)
    #expect(try Self.terms(["fibonacci", "1"], environment: environment).environment == [:])
    expectError(.usage, saying: "--key-env TASK: the variable is not set") {
      try Self.terms(words, environment: ["EMPTY": ""])
    }
    expectError(.usage, saying: "takes the name of a variable") {
      try Self.terms(["fibonacci", "1", "--key-env", "TASK=3"], environment: environment)
    }
    expectError(.usage, saying: "$TASK") {
      try Self.terms(words, environment: ["TASK": "\u{FFFD}", "EMPTY": ""])
    }
  }

  @Test("paths are relative where both the jobs directory and they were given by relative paths")
  func relative() throws {
    let job = ["fibonacci", "1", "-o"]
    let (relative, absolute) = (job + ["out"], job + ["/somewhere/out"])
    #expect(try Self.terms(relative).workingDirectory == nil)
    for (words, environment) in [
      (relative + ["--jobs-dir", "jobs"], [:]), (relative, ["STINT_JOBS": "jobs"]),
    ] {
      let terms = try Self.terms(words, environment: environment)
      #expect(terms.workingDirectory == "/somewhere")
      #expect(terms.isOutputRelative)
    }
    #expect(try Self.terms(relative + ["--jobs-dir", "/j"]).workingDirectory == nil)
    #expect(try !Self.terms(absolute + ["--jobs-dir", "jobs"]).isOutputRelative)
    let own = JobKey(kind: "test", parameters: ["n": "1"], outputPath: "out").description
    let old = JobKey(kind: "test", parameters: ["n": "1"], outputPath: "/somewhere/out").description
    #expect(try Self.keys(relative + ["--jobs-dir", "jobs"]) == [own, old])
    #expect(try Self.keys(absolute + ["--jobs-dir", "jobs"]) == [old, own])
    #expect(try Self.keys(absolute + ["--jobs-dir", "/j"]) == [old])
  }

  @Test("a name makes a command a job, a variable alone does not")
  func exec() throws {
    func options(_ words: String...) throws -> ExecOptions {
      try ExecOptions(
        CommandLine.parsed(["exec"] + words).options, words: words.map { Array($0.utf8) },
        in: Self.surroundings(["TASK": "1"]))
    }
    #expect(try options("--name", "night", "--", "a").rules.isJob)
    #expect(try options("--name", "night", "--", "a").terms.name == "night")
    #expect(try !options("--", "a").rules.isJob)
    expectError(.usage, saying: "--key-env needs a job") {
      try options("--key-env", "TASK", "--", "a")
    }
    expectError(.usage, saying: "--name needs --budget") { try options("--name", "n", "5", "a") }
    #expect(try options("--key-env", "TASK", "--resumable", "--", "a").terms.environment.count == 1)
  }

  // MARK: Lines of a batch

  private static func read(_ text: String, _ change: (inout Surroundings) -> Void = { _ in })
    throws(StintError) -> [BatchJob]
  {
    let lines = try lines(text, change)
    return lines.indices.compactMap { try? lines.job(of: $0) }
  }

  private static func lines(_ text: String, _ change: (inout Surroundings) -> Void = { _ in })
    throws(StintError) -> BatchLines
  {
    var surroundings = surroundings(["TASK": "1"])
    // Outputs are looked for from the folder in which the tests run.
    let folder = try FilePath(".").resolved()
    surroundings.workingDirectory = folder.text
    surroundings.jobsDirectory = folder.appending("jobs").text
    change(&surroundings)
    return try BatchReader(lines: LineReader(surroundings: surroundings, needsOutput: false))
      .read(Array(text.utf8), from: "jobs.txt").lines
  }

  @Test("a line may have a name, and two lines may not have the same one")
  func namedLines() throws {
    let jobs = try Self.read("fibonacci 1 --name a\nexec --name b -- true\nexec --name b -- true\n")
    #expect(jobs.map(\.name) == ["a", "b"])
    let named = JobKey(kind: "fibonacci", parameters: [:], outputPath: nil, name: "a")
    #expect(jobs[0].key == named.description)
    for second in ["fibonacci 2 --name a", "exec --name a -- true"] {
      expectError(.usage, saying: "a is the name of line 1 too") {
        try Self.read("fibonacci 1 --name a\n" + second)
      }
    }
  }

  @Test("a line is known by relative paths where its batch is, and by absolute ones from before")
  func movedLines() throws {
    let text = "fibonacci 1 -o f\nexec -- true\nfibonacci 1 -o /tmp/g\n"
    let before = try Self.read(text)
    let now = try Self.read(text) { $0.relativeJobsDirectory = "jobs" }
    for (old, new) in zip(before, now).prefix(2) {
      #expect(old.key != new.key)
      #expect(new.otherKeys.contains(old.key))
    }
    #expect(before[2].key == now[2].key)
  }

  @Test("the variables of a batch and of a line are in the line's key, and go on to its process")
  func lineVariables() throws {
    let plain = try Self.read("fibonacci 1\nexec -- true\nexec --resumable -- true\n")
    let own = try Self.read("fibonacci 1 --key-env TASK\n")
    let batch = try Self.read("fibonacci 1\nexec -- true\n") { $0.keyVariables = ["TASK": "1"] }
    #expect(own[0].key != plain[0].key && own[0].key == batch[0].key)
    #expect(plain[1].key != batch[1].key)
    let settings = try CommandLine.settings(
      ofBatch: ["--jobs-dir", "jobs", "--key-env", "HOME"])
    let words = plain.map { $0.arguments(settings, budget: nil, startsOver: false) }
    #expect(words.map { $0.contains("--key-env") } == [true, false, true])
    #expect(words[0].contains("jobs"))
  }

  // MARK: Results of lines

  @Test("a result that was moved together with the jobs directory counts, a copy does not")
  func marks() throws {
    let fixture = VerbFixture()
    let path = FilePath(fixture.path + "/result")
    try "12345".write(toFile: path.text, atomically: false, encoding: .utf8)
    var mark = try #require(BatchOutputMark(path: path))
    mark.relativePath = "result"
    mark.path = "/before/result"
    let again = try BatchOutputMark(JSONObject(Array(mark.json.line.utf8)))
    #expect(again == mark)
    #expect(mark.holds(JobsBase(folder: FilePath(fixture.path))))
    #expect(!mark.holds(JobsBase(folder: "/before")))
    #expect(!mark.holds(nil))
    mark.inode += 1
    #expect(!mark.holds(JobsBase(folder: FilePath(fixture.path))))
  }

  @Test("the log of a batch knows its lines by the keys of before")
  func knownLines() throws {
    let fixture = VerbFixture()
    func opened() throws -> BatchDirectory {
      try BatchDirectory(
        parameters: ["file": "/f"], jobsPath: fixture.jobsPath, startsOver: false,
        report: { _ in })
    }
    var lines = try Self.lines("fibonacci 1 -o f\nfibonacci 2 -o g\ntrue\n") {
      $0.relativeJobsDirectory = "jobs"
    }
    let jobs = lines.indices.compactMap { try? lines.job(of: $0) }
    try #require(jobs.count == 3)
    var old = jobs[0]
    old.key = try #require(jobs[0].otherKeys.first)
    try opened().log.append(
      BatchRecord(.lineBegan, of: old, stints: 1, unixNanoseconds: 0), durably: false)
    lines.takeKeys(of: try opened().log.entries)
    #expect(lines.indices.map(lines.key) == [old.key, jobs[1].key, jobs[2].key])
    #expect(lines.index(of: old.key) == 0 && lines.index(of: jobs[0].key) == nil)
    #expect(try lines.job(of: 0).key == old.key)
  }
}
