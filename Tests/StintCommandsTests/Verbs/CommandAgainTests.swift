import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint resume of commands and batches")
struct CommandAgainTests {
  let fixture = VerbFixture()

  /// A job that was begun by words in a directory, as a job has it in its record.
  private func job(
    _ words: [[UInt8]]?, kind: String = "exec", directory: String = "/", name: String? = nil,
    environment: [String: String] = [:], file: String? = nil
  ) throws -> String {
    var parameters = ["directory": directory, "command": "a"]
    parameters["file"] = file
    var options = Job.Options()
    options.jobsDirectory = fixture.jobsPath
    options.terms.name = name
    options.terms.environment = environment
    options.command = words
    let job = try Job(
      kind: kind, parameters: JobParameters(parameters), stateVersion: 1,
      options: options, fileSystem: PosixFileSystem(), identity: .current())
    try job.materialize()
    return job.key
  }

  private func again(_ words: String...) throws -> CommandAgain? {
    switch try ResumeCommand(context: fixture.context(["resume"] + words)).next() {
    case .again(let command): command
    case .run, .done: nil
    }
  }

  private static func bytes(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

  private func words(_ command: CommandAgain?) throws -> [String] {
    try #require(command).words.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a command runs again in its folder with its own words, found by its name")
  func command() throws {
    let key = try job(
      Self.bytes("exec", "--budget", "9s", "--fresh", "-s", "INT", "--resumable", "--name=night")
        + Self.bytes("--", "a", "--budget", "b") + [[0xff]],
      name: "night", environment: ["TASK": "4"])
    let command = try #require(try again("night"))
    #expect(command.folder == "/")
    #expect(command.environment == ["TASK": "4"])
    #expect(command.words.last == [0xff])
    #expect(
      try words(command).dropLast() == [
        "exec", "--signal=INT", "--budget=9s", "--resumable", "--name=night",
        "--jobs-dir=\(fixture.jobsPath)", "--", "a", "--budget", "b",
      ])
    #expect(try again(key) == command)
  }

  @Test("a limit that resume is given replaces the limit of before, whichever option gave it")
  func otherBudget() throws {
    let key = try job(
      Self.bytes("exec", "--budget", "9s", "--lead", "1s", "--tick", "1s", "--resumable", "--", "a")
    )
    let until = try words(again(key, "--until", "+1h", "--until-done"))
    #expect(until.contains("--until=+1h") && until.contains("--until-done"))
    #expect(until.contains("--tick=1s"))
    #expect(!until.contains { $0.hasPrefix("--budget") || $0.hasPrefix("--lead") })
    let lead = try words(again(key, "--lead", "2s", "--wait-lock"))
    #expect(lead.contains("--budget=9s") && lead.contains("--lead=2s"))
    #expect(lead.contains("--wait-lock") && !lead.contains("--lead=1s"))
  }

  @Test("an option that the job's verb lacks is refused")
  func unknownOption() throws {
    let key = try job(Self.bytes("exec", "--resumable", "--", "a"))
    for option in ["--threads=2", "--keep", "--json"] {
      expectError(.usage, saying: "is of the kind exec, which has no --") { try again(key, option) }
    }
  }

  @Test("a batch runs again, unless its lines came from standard input")
  func batch() throws {
    let file = try job(Self.bytes("batch", "lines", "-j", "2", "--fresh"), kind: "batch")
    #expect(
      try words(again(file, "--json")) == [
        "batch", "--jobs=2", "--json", "--jobs-dir=\(fixture.jobsPath)", "--", "lines",
      ])
    let made = try job(
      Self.bytes("batch", "--template", "echo {}", ":::", "--lead", "-"), kind: "batch",
      directory: "/var")
    #expect(
      try words(again(made)) == [
        "batch", "--template=echo {}", "--jobs-dir=\(fixture.jobsPath)", "--", ":::", "--lead", "-",
      ])
    let input = try job(
      Self.bytes("batch", "-", "--name", "night"), kind: "batch", directory: "/tmp", file: "-")
    expectError(.usage, saying: "read its lines from standard input") { try again(input) }
  }

  @Test("a job that belongs to the folder of its jobs runs again wherever that is now")
  func moved() throws {
    try FileManager.default.createDirectory(
      atPath: fixture.path + "/sub", withIntermediateDirectories: false)
    for (directory, jobs) in [(".", "jobs"), ("sub", "../jobs")] {
      let key = try job(
        Self.bytes("exec", "--jobs-dir", "/before/jobs", "--resumable", "--", "a"),
        directory: directory)
      let command = try #require(try again(key))
      #expect(command.folder.text == fixture.path + (directory == "." ? "" : "/sub"))
      #expect(try words(command).contains("--jobs-dir=\(jobs)"))
      #expect(try !words(command).contains("/before/jobs"))
    }
  }

  @Test("a job whose words are not known, or are of another verb, says so")
  func unknown() throws {
    let key = try job(nil)
    // Its runner says then how to go on.
    #expect(try again(key) == nil)
    for words in [Self.bytes("batch", "x"), Self.bytes("rm", "x")] {
      let key = try job(words, directory: "/\(words[0].count)")
      expectError(.damaged, saying: "was not begun by the words") { try again(key) }
    }
  }

  @Test("a folder that is gone is named")
  func goneFolder() throws {
    let key = try job(
      Self.bytes("exec", "--resumable", "--", "a"), directory: fixture.path + "/gone")
    let command = try #require(try again(key))
    #expect(command.folder.text == fixture.path + "/gone")
  }

  @Test("a list shows names where they are unique, else the beginning of the hash")
  func list() throws {
    let names: [String?] = ["night", "day", "day", nil]
    let jobs = names.enumerated().map { index, name in
      JobName(key: "exec-\(index)f0c5a93b2d4e687", name: name)
    }
    let shown = JobName.shown(jobs)
    #expect(jobs.map { shown[$0.key] } == ["night", "1f0c5a93", "2f0c5a93", "3f0c5a93"])
    func find(_ name: String) throws -> String {
      try JobName.find(name, asPaths: [], among: jobs, in: "/jobs")
    }
    #expect(try find("night") == jobs[0].key)
    expectError(.usage, saying: "could be", jobs[1].key, jobs[2].key) { try find("day") }
    expectError(.usage, saying: "did you mean night") { try find("nigth") }
  }

  @Test("status and list show the name and the variables")
  func shown() throws {
    let key = try job(nil, name: "night", environment: ["TASK": "4"])
    let text = try fixture.status("night").output
    #expect(text.hasPrefix(key))
    #expect(text.contains("name         night"))
    #expect(text.contains("variable     TASK=4"))
    let object = try VerbFixture.object(fixture.status("night", "--json").output)
    #expect(object["name"] as? String == "night")
    #expect(object["environment"] as? [String: String] == ["TASK": "4"])
    #expect(try fixture.list().output.contains("night"))
    #expect(try VerbFixture.objects(fixture.list("--json").output)[0]["name"] as? String == "night")
  }
}
