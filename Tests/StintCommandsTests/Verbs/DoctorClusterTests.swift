import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint doctor in a cluster")
struct DoctorClusterTests {
  private static let second: Int64 = 1_000_000_000
  /// 2026-11-24T07:28:21Z.
  private static let told: Int64 = 1_795_505_301 * second

  /// What `scontrol show config` of Slurm 22.05 prints, shortened.
  private static func answer(_ lines: String = "") -> String {
    """
    Configuration data as of 2026-11-24T07:28:21
    AuthInfo                = socket=/run/munge.socket
    ClusterName             = north
    KillWait                = 30 sec
    ProctrackType           = proctrack/cgroup
    SchedulerParameters     = (null)
    SchedulerType           = sched/backfill
    SlurmdTimeout           = 300 sec
    SLURM_VERSION           = 22.05.8

    Slurmctld(primary) at head is UP
    \(lines)
    """
  }

  private static func doctor(_ environment: [String: String] = [:]) -> SlurmDoctor {
    SlurmDoctor(
      slurm: Slurm(environment: environment), jobsPath: "/", nodes: nil, stopGrace: .seconds(5))
  }

  private static func findings(_ text: String) -> [Finding] {
    doctor().findings(.success(text), between: told...told)
  }

  @Test("a cluster with defaults warns of nothing, and advises where a default costs time")
  func defaults() {
    let found = Self.findings(Self.answer())
    #expect(found.map(\.state) == Array(repeating: .ok, count: 8))
    #expect(found.first?.text == "22.05.8, cluster north")
    #expect(
      found.filter { $0.advice != nil }.map(\.name) == [
        "batch_sched_delay", "bf_interval", "SlurmdTimeout",
      ])
    #expect(found.first { $0.name == "batch_sched_delay" }?.text == "3s by default")
  }

  @Test(
    "a setting is judged by what it costs",
    arguments: [
      ("SchedulerParameters = batch_sched_delay=1,bf_interval=5", "batch_sched_delay", "ok", ""),
      ("SchedulerParameters = batch_sched_delay=1,bf_interval=5", "bf_interval", "ok", ""),
      ("SchedulerParameters = batch_sched_delay=20", "batch_sched_delay", "ok", "up to 19s"),
      ("SchedulerParameters = batch_sched_delay=soon", "batch_sched_delay", "ok", "half a second"),
      ("SchedulerType = sched/builtin", "bf_interval", "ok", ""),
      ("KillWait = 5 sec", "KillWait", "warning", "--stop-grace 4s"),
      ("KillWait = 0 sec", "KillWait", "warning", "nothing can be saved"),
      ("KillWait = -7 sec", "KillWait", "warning", ""),
      ("SlurmdTimeout = 10 sec", "SlurmdTimeout", "ok", ""),
      ("SlurmdTimeout = 0 sec", "SlurmdTimeout", "warning", "sets the node down"),
      ("SlurmdTimeout = never", "SlurmdTimeout", "warning", ""),
      ("ProctrackType = proctrack/linuxproc", "ProctrackType", "warning", "outlive their slice"),
      ("ProctrackType = proctrack/pgid", "ProctrackType", "warning", "outlive their slice"),
      ("ProctrackType = (null)", "ProctrackType", "warning", ""),
    ])
  func settings(line: String, name: String, state: String, advice: String) throws {
    let found = try #require(Self.findings(Self.answer(line)).first { $0.name == name })
    #expect(found.state.rawValue == state)
    #expect(advice.isEmpty ? true : found.advice?.contains(advice) == true, "\(found)")
    if state == "ok", advice.isEmpty { #expect(found.advice == nil, "\(found)") }
  }

  @Test("cred_expire is a word of AuthInfo")
  func credentials() {
    func text(_ lines: String) -> String? {
      Self.findings(Self.answer(lines)).first { $0.name == "cred_expire" }?.text
    }
    #expect(text("")?.hasPrefix("120s by default;") == true)
    #expect(text("AuthInfo = socket=/run/m,cred_expire=30")?.hasPrefix("30s;") == true)
  }

  @Test(
    "a clock is judged only by what whole seconds prove",
    arguments: [
      // This machine's clock at the question and at the answer, as seconds after what was told.
      (0.0, 0.01, nil), (0.999, 1.0, nil), (1.9, 1.9, nil), (-0.9, -0.9, nil), (-3.0, 5.0, nil),
      (2.5, 2.6, "at least 1s behind"), (3601.0, 3601.0, "at least 1h behind"),
      (-1.5, -1.2, "at least 1s ahead"), (-90.0, -61.0, "at least 1m1s ahead"),
    ] as [(Double, Double, String?)])
  func clock(asked: Double, answered: Double, text: String?) {
    func at(_ seconds: Double) -> Int64 { Self.told + Int64(seconds * 1e9) }
    let found = SlurmDoctor.clock(
      SlurmConfiguration(Self.answer()), between: at(asked)...at(answered))
    #expect(found.state == (text == nil ? .ok : .warning))
    #expect(text.map { found.text.hasPrefix($0) } ?? true, "\(found)")
  }

  @Test(
    "an answer that is none, or that says nothing, is one finding",
    arguments: ["", "hello\n", "slurm_load_ctl_conf error: Unable to contact", "= = =\n=\n"])
  func lies(text: String) {
    let found = Self.findings(text)
    #expect(found.map(\.state) == [.warning])
    #expect(found.first?.name == "slurm")
  }

  @Test("the time of an answer that is no time, or none of this era, is unknown")
  func noTime() {
    for time in ["0001-01-01T00:00:00", "1969-01-01T00:00:00", "soon", ""] {
      let text = "Configuration data as of \(time)\nSLURM_VERSION = 1"
      let found = Self.findings(text).first { $0.name == "controller's clock" }
      #expect(found?.state == .warning && found?.text.hasPrefix("unknown") == true, "\(time)")
    }
  }

  @Test("the job in whose allocation the doctor runs is named")
  func inside() {
    let doctor = Self.doctor(["SLURM_JOB_ID": "17", "SLURMD_NODENAME": "n1"])
    let found = doctor.findings(.success(Self.answer()), between: Self.told...Self.told)
    #expect(found.first?.text.hasSuffix("inside of Slurm job 17 on n1") == true)
    let failed = doctor.findings(
      .failure(EngineFailure(why: "scontrol gave no answer within 10s")), between: 0...1)
    #expect(failed.count == 1 && failed[0].text.contains("no answer within 10s, inside of"))
  }
}
