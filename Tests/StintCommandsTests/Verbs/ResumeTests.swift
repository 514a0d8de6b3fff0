import Foundation
import StintCore
import StintFibonacci
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint resume")
struct ResumeTests {
  let fixture = VerbFixture()

  func options(_ words: String...) throws -> (record: JobRecord, options: RunOptions)? {
    switch try ResumeCommand(context: fixture.context(["resume"] + words)).next() {
    case .run(let record, let options): (record, options)
    case .done, .again: nil
    }
  }

  /// The work of a record, which this process can do.
  static func work(_ record: JobRecord) throws -> any KindWork {
    let options = try CommandLine.run(["fibonacci", "1"])
    return try KindTable.stint[record.kind].runner.work(record, options)
  }

  @Test("a waiting job runs again as its record says, with the time options of now")
  func again() throws {
    let output = fixture.path + "/out"
    let key = try fixture.waitingJob(77, output: output)
    let (record, options) = try #require(
      try options(key, "--budget", "3s", "--unfinished-exit-code", "85"))
    let work = try #require(try Self.work(record) as? FibonacciWork)
    #expect(work.index == (try FibonacciIndex(77)))
    #expect(work.format == .decimal)
    #expect(options.output == output)
    #expect(options.time.grant()?.0 == .seconds(3))
    #expect(options.unfinishedExitCode == 85)
    #expect(options.jobsDirectory == fixture.jobsPath)
    #expect(!options.fresh && !options.force)
  }

  @Test(
    "a process that goes on keeps its budget, so that another one is refused and nothing happens")
  func newTerms() throws {
    let job = try fixture.job(5)
    try job.materialize()
    fixture.begin(job)
    for words in [["--budget", "1s"], ["--threads", "2"], ["--quiet"]] {
      expectError(.usage, saying: "so \(words[0]) would have no effect", comment: "\(words)") {
        try ResumeCommand(context: fixture.context(["resume", job.key] + words)).next()
      }
    }
  }

  @Test("both computations come back from their records, anything else is refused")
  func kinds() throws {
    func record(_ kind: String, _ parameters: JobParameters) -> JobRecord {
      JobRecord(kind: kind, parameters: parameters, outputPath: nil, identity: .current())
    }
    let sequence = try Self.work(record("fibonacci-seq", ["from": "3", "to": "9"]))
    #expect((sequence as? FibonacciSequenceWork)?.range == (try FibonacciRange(from: 3, to: 9)))
    let number = try Self.work(record("fibonacci", ["n": "5", "format": "hex"]))
    #expect((number as? FibonacciWork)?.format == .hex)
    for (kind, parameters) in [
      ("primes", ["n": "5"]), ("fibonacci", ["n": "5"]), ("fibonacci-seq", ["from": "1"]),
    ] {
      expectError(.damaged) { try Self.work(record(kind, JobParameters(parameters))) }
    }
  }

  @Test("a damaged record and a job that is being worked on are refused")
  func refused() throws {
    let key = try fixture.waitingJob(1)
    try "{".write(
      toFile: fixture.jobsPath + "/\(key)/job.json", atomically: false, encoding: .utf8)
    expectError(.damaged) { try options(key) }
    let job = try fixture.job(2)
    try job.materialize()
    expectError(.busy) { try options(job.key) }
  }
}
