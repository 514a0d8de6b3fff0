import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("A kind of one's own")
struct OwnKindTests {
  static let kinds = KindTable.stint.with([.squares])

  let fixture = VerbFixture()

  /// Carries a command line out; the process ends here.
  static func run(_ words: [String]) {
    Program.main(since: BootClock.now, arguments: words) {
      Program(kinds: kinds) { _ in "squares 1\n" }
    }
  }

  func context(_ words: String...) throws -> VerbContext {
    try fixture.context(words, kinds: Self.kinds)
  }

  /// A job that has begun, with a checkpoint after the first hundred numbers.
  func job(output: String) throws -> String {
    var options = Job.Options()
    options.jobsDirectory = fixture.jobsPath
    options.outputPath = output
    let computation = SquaresComputation(last: 300) { _, _ in }
    let job = try Job(of: computation, options: options)
    fixture.begin(job)
    var payload = CheckpointPayload()
    computation.encode(.init(next: 101, sum: 338_350), into: &payload)
    _ = try job.commit(
      payload, workTime: .seconds(2), progress: WorkProgress(fraction: 0.25, phase: "adding"))
    job.record(.stintEnded(reason: .didNotFit, saved: .seconds(2), lost: .zero), durably: false)
    return job.key
  }

  func contents(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test("it runs in this process as its command line says, wherever options stand")
  func runs() async throws {
    let path = fixture.path
    await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
      OwnKindTests.run([
        "run", "--quiet", "-o", path + "/out", "--up-to", "300", "squares", "--jobs-dir",
        path + "/jobs", "--budget", "20s",
      ])
    }
    #expect(try contents(path + "/out") == "9045050\n")
    await #expect(processExitsWith: .exitCode(64)) { [path = path as String] in
      OwnKindTests.run(["run", "squares", "--jobs-dir", path + "/jobs"])
    }
  }

  @Test("it is resumed from its record and its checkpoint")
  func resumes() async throws {
    let path = fixture.path
    let key = try job(output: path + "/out")
    await #expect(processExitsWith: .exitCode(0)) { [path = path as String, key = key as String] in
      OwnKindTests.run(["resume", key, "--quiet", "--jobs-dir", path + "/jobs"])
    }
    #expect(try contents(path + "/out") == "9045050\n")
    let result = try VerifyCommand(context: context("verify", key)).run()
    #expect(result.exitStatus == 0, "\(result.output)")
    #expect(try StatusCommand(context: context("status", key)).run().output.contains("finished"))
  }

  @Test("verbs that show jobs know it, and those of a program that lacks it call it by its name")
  func shown() throws {
    let key = try job(output: fixture.path + "/out")
    #expect(
      try ListCommand(context: context("list")).run().output.contains("squares up to 300 > /"))
    let page = try StatusCommand(context: context("status", key)).run().output
    #expect(page.contains("squares up to 300\n") && page.contains("stint resume \(key)"), "\(page)")
    #expect(page.contains("000001.ckpt"))
    let result = try VerifyCommand(context: context("verify", key)).run()
    #expect(result.exitStatus == 0 && result.output.contains("squares up to 300, parameter hash"))
    #expect(
      try ReportCommand(context: context("report", key)).run().output.contains("squares up to 300"))
    let elsewhere = try fixture.list()
    #expect(elsewhere.output.contains("squares last=300"))
  }

  @Test("its help, that of run, and what is no kind, name it")
  func help() throws {
    let run = try CommandLineRequest.subject(ofHelp: ["run"], kinds: Self.kinds)
    let words = HelpText.render(try #require(run), width: 100)
    #expect(words.contains("run squares LAST [OPTIONS]") && words.contains("--sequence"))
    #expect(KindTable([.squares]).pageOfRun.usage.count == 2)
    let subject = try CommandLineRequest.subject(ofHelp: ["run", "squares"], kinds: Self.kinds)
    #expect(HelpText.render(try #require(subject), width: 80).contains("--up-to LAST"))
    let (verb, parsed) = try CommandLine.parsed(["run", "square"], kinds: Self.kinds)
    try #require(verb == .run)
    let error = #expect(throws: StintError.self) {
      try Self.kinds.kind(askedForBy: parsed, in: CommandLine.surroundings)
    }
    #expect(error?.message.hasSuffix("Did you mean squares?") == true)
  }

  @Test("it is a line of a batch, known by the key of its job")
  func line() throws {
    let reader = BatchReader(
      lines: LineReader(
        surroundings: CommandLine.surroundings, needsOutput: false, kinds: Self.kinds))
    let text = """
      squares 300 -o /tmp/squares
      run squares --threads 2 --up-to 300 -o /tmp/squares
      fibonacci 3
      """
    let reading = try reader.read(Array(text.utf8), from: "jobs.txt")
    #expect(reading.jobs.map(\.number) == [1, 3])
    let key = JobKey(kind: "squares", parameters: ["last": "300"], outputPath: "/tmp/squares")
    #expect(reading.jobs[0].key == key.description)
    let settings = try CommandLine.settings(ofBatch: [])
    let words = reading.jobs[0].arguments(settings, budget: nil, startsOver: false)
    #expect(words.first == "run")
    expectError(saying: "Line 1: LAST is missing") {
      try reader.read(Array("squares x".utf8), from: "jobs.txt")
    }
  }
}
