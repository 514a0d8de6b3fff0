import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("What Slurm says of an end")
struct SlurmQuestionTests {
  /// 2026-11-21 05:00:00 UTC, in nanoseconds since 1970.
  private static let now = CommandLine.now

  private final class Complaints: Sendable {
    let all = Protected<[String]>([])
  }

  private static func question(
    _ environment: [String: String] = [:], _ complaints: Complaints = Complaints()
  ) -> SlurmQuestion {
    SlurmQuestion(
      EngineJob(engine: EngineJob.slurm, job: "7", node: "n1"),
      slurm: Slurm(environment: environment),
      wallClock: { now }
    ) { complaint in complaints.all.withLock { $0.append(complaint) } }
  }

  /// The seconds until the end that an answer tells.
  private static func seconds(_ end: BudgetEnd) -> Int64? {
    guard case .at(let instant) = end else { return nil }
    let left = BootClock.now.duration(to: instant)
    return (left.nanoseconds + 500_000_000) / 1_000_000_000
  }

  @Test("E2 the end is a time in UTC, and no end is an answer")
  func answers() {
    #expect(Self.seconds(Self.question().read("2026-11-21T06:00:00\n")) == 3600)
    #expect(Self.question().read("NONE\n") == .never)
    // The parts of a job that has several: the first end counts.
    let several = "NONE\n2026-11-21T07:00:00\n2026-11-21T06:00:00  \n"
    #expect(Self.seconds(Self.question().read(several)) == 3600)
  }

  @Test(
    "E2 what cannot be read is no answer, and an end that has passed is none in a living process",
    arguments: [
      ("", "knows no job 7"), ("\n", "knows no job 7"), ("N/A\n", "not a time"),
      ("2026-11-21T04:59:59\n", "has passed"), ("1970-01-01T00:00:00\n", "has passed"),
      ("slurm_load_jobs error\n", "not a time"), ("2026-13-41T99:00:00\n", "not a time"),
    ])
  func noAnswers(answer: String, part: String) {
    let complaints = Complaints()
    let question = Self.question([:], complaints)
    #expect(question.read(answer) == .unknown)
    #expect(question.read(answer) == .unknown)
    let said = complaints.all.withLock { $0 }
    #expect(said.count == 1)
    #expect(said.first?.contains(part) == true, "\(said)")
  }

  @Test("E2 a later answer moves the end both ways; the same one moves nothing")
  func moved() {
    let question = Self.question()
    let first = question.read("2026-11-21T06:00:00\n")
    #expect(question.read("2026-11-21T06:00:00\n") == first)
    #expect(Self.seconds(question.read("2026-11-21T05:10:00\n")) == 600)
    #expect(Self.seconds(question.read("2026-11-21T09:00:00\n")) == 14_400)
    #expect(question.read("NONE\n") == .never)
  }

  @Test("E2 the variable says the first end, and squeue the same one in other words")
  func variable() {
    let question = Self.question(["SLURM_JOB_END_TIME": "1795240800"])
    let first = question.ask()
    #expect(Self.seconds(first) == 3600)
    #expect(question.read("2026-11-21T06:00:00\n") == first)
  }

  @Test("an end is asked at different times for different jobs, and always alike for one")
  func stagger() {
    let shares = (0..<200).map { SlurmQuestion.stagger("120_\($0)") }
    #expect(Set(shares).count > 20)
    #expect(shares.allSatisfy { (0.25...1).contains($0) })
    #expect(SlurmQuestion.stagger("7") == SlurmQuestion.stagger("7"))
  }

  @Test("the settings of a cluster are read by name")
  func settings() {
    let text = """
      Configuration data as of 2026-11-24T07:20:00
      KillWait                = 30 sec
      MaxArraySize            = 1001
      SchedulerParameters     = batch_sched_delay=1,bf_interval=3
      SlurmUser               = root(0)

      """
    let settings = SlurmConfiguration(text)
    #expect(settings.duration("KillWait") == .seconds(30))
    #expect(settings.number("MaxArraySize") == 1001)
    #expect(settings.parameter("bf_interval", of: "SchedulerParameters") == 3)
    #expect(settings.parameter("bf", of: "SchedulerParameters") == nil)
    #expect(settings["SlurmUser"] == "root(0)")
    #expect(SlurmConfiguration("KillWait = -1 sec").duration("KillWait") == nil)
    #expect(SlurmConfiguration("KillWait").duration("KillWait") == nil)
  }

  @Test("E1 the place of a process is read from its environment, and nothing else is taken for one")
  func place() {
    let variables = [
      "SLURM_JOB_ID": "121", "SLURM_ARRAY_JOB_ID": "120", "SLURM_ARRAY_TASK_ID": "4",
      "SLURMD_NODENAME": "n1",
    ]
    #expect(EngineJob { variables[$0] }?.text == "Slurm job 120_4 on n1")
    #expect(EngineJob { _ in nil } == nil)
    #expect(EngineJob { $0 == "SLURM_JOB_ID" ? "7; rm -rf" : nil } == nil)
    let strange = ["SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n\u{1b}[31m"]
    #expect(EngineJob { strange[$0] }?.node == "")
  }
}
