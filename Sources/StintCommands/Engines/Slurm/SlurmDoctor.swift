import StintCore
import StintRuntime

/// What `stint doctor` says of Slurm: settings that cost time, clocks, shared storage.
struct SlurmDoctor {
  let slurm: Slurm
  let jobsPath: String
  /// On how many nodes locks are to be tried; nil for none.
  let nodes: Int?
  /// How long work usually saves after SIGTERM.
  let stopGrace: Duration

  /// Nothing on a machine without Slurm, unless nodes are asked for.
  func findings() -> [Finding] {
    let asked = wallClock()
    let answer = slurm.answer(["scontrol", "show", "config"])
    let answered = wallClock()
    if case .failure(let failure) = answer, failure.isAbsent, slurm.job == nil, nodes == nil {
      return []
    }
    let between = SlurmNodes(
      slurm: slurm, jobsPath: jobsPath, program: HelperProgram.ownPath() ?? "stint")
    return findings(answer, between: asked...max(asked, answered))
      + [nodes.map(between.tried) ?? between.untried()]
  }

  private func wallClock() -> Int64 { StoreIdentity.current().wallClock() }

  /// What the answer of `scontrol show config` means: one finding if it is no list of settings.
  ///
  /// The span is this machine's clock from the question to the answer, as nanoseconds since 1970.
  func findings(
    _ answer: Result<String, EngineFailure>, between span: ClosedRange<Int64>
  ) -> [Finding] {
    let place = slurm.job.map { ", inside of \($0.text)" } ?? ""
    switch answer {
    case .failure(let failure):
      return [
        Finding(
          "slurm", .warning, failure.why + place,
          advice: "until it answers, changed time limits are not seen and stint submit fails")
      ]
    case .success(let text):
      let configuration = SlurmConfiguration(text)
      guard let version = configuration["SLURM_VERSION"] else {
        return [
          Finding(
            "slurm", .warning, "scontrol show config says \"\(text.prefix(60))\"" + place,
            advice: "it should list the settings of a cluster; see what scontrol in PATH is")
        ]
      }
      let cluster = configuration["ClusterName"].map { ", cluster \($0)" } ?? ""
      return [
        Finding("slurm", .ok, version + cluster + place),
        Self.clock(configuration, between: span), Self.sliceGap(configuration),
        Self.backfill(configuration), Self.requeue(configuration), killWait(configuration),
        Self.deadNodes(configuration), Self.leftovers(configuration),
      ]
    }
  }

  /// Compares the controller's clock, which is told in whole seconds.
  static func clock(
    _ configuration: SlurmConfiguration, between span: ClosedRange<Int64>
  ) -> Finding {
    let name = "controller's clock"
    guard let told = configuration.answeredAt, told > 0 else { return unknown(name, nil) }
    let second: Int64 = 1_000_000_000
    // It answered at some instant of that second, and of the span.
    let ahead = (told - span.upperBound) / second
    let behind = (span.lowerBound - told) / second - 1
    for (seconds, side, effect) in [(ahead, "ahead of", "later"), (behind, "behind", "earlier")]
    where seconds >= 1 {
      return Finding(
        name, .warning, "at least \(Duration.seconds(seconds).compactText) \(side) this machine's",
        advice: "set the clocks by NTP; here work takes the end of its allocation for \(effect)")
    }
    return Finding(name, .ok, "no difference seen; it is told in whole seconds")
  }

  private static func sliceGap(_ configuration: SlurmConfiguration) -> Finding {
    let name = "batch_sched_delay"
    let (delay, text) = parameter(name, of: "SchedulerParameters", or: 3, in: configuration)
    guard delay > 1 else { return Finding(name, .ok, text) }
    let gain =
      delay > 3 ? "up to \(Duration.seconds(delay - 1).compactText)" : "about half a second"
    return Finding(
      name, .ok, text, advice: "with 1 in SchedulerParameters the next slice begins \(gain) earlier"
    )
  }

  private static func backfill(_ configuration: SlurmConfiguration) -> Finding {
    let name = "bf_interval"
    if let scheduler = configuration["SchedulerType"], scheduler != "sched/backfill" {
      return Finding(name, .ok, "not used by \(scheduler)")
    }
    let (interval, text) = parameter(name, of: "SchedulerParameters", or: 30, in: configuration)
    guard interval >= 10 else { return Finding(name, .ok, text) }
    return Finding(
      name, .ok, text,
      advice: "on a full cluster each slice may wait that long for its turn; make slices longer")
  }

  private static func requeue(_ configuration: SlurmConfiguration) -> Finding {
    let name = "cred_expire"
    let text = parameter(name, of: "AuthInfo", or: 120, in: configuration).text
    return Finding(
      name, .ok, "\(text); a job that is requeued waits that long, slices of stint submit do not")
  }

  private func killWait(_ configuration: SlurmConfiguration) -> Finding {
    let name = "KillWait"
    guard let wait = configuration.duration(name) else {
      return Self.unknown(name, configuration[name])
    }
    let grace = wait - SlurmQuestion.killMargin
    let text = "\(wait.compactText) from SIGTERM to SIGKILL"
    guard grace < stopGrace else { return Finding(name, .ok, text) }
    return Finding(
      name, .warning, text,
      advice: grace > .zero
        ? "after scancel there is little time to save; give --stop-grace \(grace.compactText)"
        : "after scancel nothing can be saved; give --checkpoint-every for what may be lost")
  }

  private static func deadNodes(_ configuration: SlurmConfiguration) -> Finding {
    let name = "SlurmdTimeout"
    guard let time = configuration.duration(name) else { return unknown(name, configuration[name]) }
    guard time > .zero else {
      return Finding(
        name, .warning, "0s: a node that died is never noticed",
        advice: "its slice seems to run until somebody sets the node down")
    }
    return Finding(
      name, .ok, time.compactText,
      advice: time < .seconds(60)
        ? nil : "a node that died goes unnoticed for that long before the next slice begins")
  }

  private static func leftovers(_ configuration: SlurmConfiguration) -> Finding {
    let name = "ProctrackType"
    guard let kind = configuration[name], kind.hasPrefix("proctrack/") else {
      return unknown(name, configuration[name])
    }
    guard ["proctrack/linuxproc", "proctrack/pgid"].contains(kind) else {
      return Finding(name, .ok, kind)
    }
    return Finding(
      name, .warning, kind,
      advice: "processes can outlive their slice and hold its job; proctrack/cgroup ends them all")
  }

  private static func unknown(_ name: String, _ value: String?) -> Finding {
    let said = value.map { "\"\($0.prefix(60))\"" } ?? "nothing of it"
    return Finding(name, .warning, "unknown; scontrol says \(said)")
  }

  /// One of the words of a setting, in seconds, and how it is shown.
  private static func parameter(
    _ name: String, of setting: String, or usual: Int, in configuration: SlurmConfiguration
  ) -> (seconds: Int, text: String) {
    let given = configuration.parameter(name, of: setting)
    let seconds = given ?? usual
    return (seconds, "\(seconds)s" + (given == nil ? " by default" : ""))
  }
}
