import Glibc
package import StintCore
package import StintRuntime

/// Whom the signals to a command reach.
private enum SignalTarget: String, CaseIterable {
  case leader, group
}

/// A validated `stint exec`.
package struct ExecOptions: Sendable {
  package var command: CommandSpecification
  /// How it is warned, stopped and started again.
  package var rules: SupervisorRules
  /// The numbers by which it is granted time.
  package var policy: SystemPolicy
  /// What limits its time; nil with a duration in `timeout`'s form.
  package var time: TimeOptions?
  /// The one grant of `timeout`'s form: the time until the signal, and what follows it; nil without
  /// an end.
  package var grantOfTimeout: Duration?
  package var files: CommandFiles
  /// What starts the ranks of a parallel program.
  package var launcher = CommandLauncher.none
  package var tick: Duration
  package var isVerbose: Bool
  package var isQuiet: Bool
  package var fresh: Bool
  /// A file that gets every event as a JSON line.
  package var events: String?
  /// Where jobs live; nil if the command is none.
  package var jobsDirectory: String?
  /// What else is said of the job.
  package private(set) var terms: JobTerms
  private var operands: [String]
  private var directory: String
  /// A first word that begins as a duration does and is none.
  package var mistakenDuration: String?

  private static let onlyWithBudget = [
    "warn-signal", "suspend", "lead", "until-done", "rest", "checkpoint-file", "done-file",
    "resumable", "after-warning", "progress-file", "stall-after", "max-stints", "max-restarts",
    "fresh", "unfinished-exit-code", "tick", "stop-grace", "events", "signal-to", "launcher",
    "name", "key-env",
  ]

  /// Reads and validates the command line of `exec`, with all of its words as bytes; the operands
  /// are the last of them.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(_ parsed: ParsedOptions, words: [[UInt8]], in surroundings: Surroundings) throws {
    let hasLimit = BudgetChoice.all.asking.contains { parsed.has($0.name) }
    let duration = hasLimit ? nil : parsed.operands.first.flatMap { TimeoutDuration($0) }
    let skipped = duration == nil ? 0 : 1
    let count = parsed.operands.count - skipped
    guard count > 0 else {
      throw StintError(
        .usage,
        "Say what to run, for example: stint exec 30s COMMAND, or stint exec --budget 30s -- "
          + "COMMAND.")
    }
    command = CommandSpecification(words: Array(words.suffix(count)))
    files = CommandFiles(
      checkpoint: parsed.text("checkpoint-file"), done: parsed.text("done-file"),
      progress: parsed.text("progress-file"))
    try Self.checkFolders(parsed)
    isVerbose = parsed.has("verbose")
    isQuiet = parsed.has("quiet")
    fresh = parsed.has("fresh")
    events = try DisplayOptions(parsed).events
    tick = TimeOptions.Defaults.tick
    terms = try JobTerms(parsed, in: surroundings)
    terms.paths = ["directory": true]
    if let duration {
      for name in Self.onlyWithBudget where parsed.has(name) {
        throw StintError(
          .usage,
          "--\(name) needs --budget; write --budget \(parsed.operands[0]) instead of the duration."
        )
      }
      (rules, policy, grantOfTimeout) = try Self.timeoutForm(duration, parsed)
    } else {
      let time = try TimeOptions(parsed, in: surroundings)
      launcher = try parsed.choice("launcher") ?? CommandLauncher(program: command.name)
      (rules, policy) = try Self.budgetForm(time, launcher, parsed)
      self.time = time
      tick = time.tick
      let first = parsed.operands[0]
      // A plus, a minus, a point or a digit; a path is a path. And what is no number by name.
      if !hasLimit, let byte = first.utf8.first, !first.contains("/"),
        (43...57).contains(byte) || first.lowercased() == "nan"
      {
        mistakenDuration = first
      }
    }
    operands = Array(parsed.operands.suffix(count))
    directory = surroundings.workingDirectory
    guard rules.isJob else { return }
    directory = try surroundings.folder().text
    jobsDirectory = try JobsDirectory.path(parsed, in: surroundings)
  }

  /// Refuses files that the command could never write, which would look like a command without
  /// progress.
  private static func checkFolders(_ parsed: ParsedOptions) throws {
    for name in ["checkpoint-file", "done-file", "progress-file"] {
      guard let path = parsed.text(name), let folder = FilePath(path).folder else { continue }
      if name == "checkpoint-file", ContentWatch.isPattern(folder.text) { continue }
      guard access(folder.text, F_OK) != 0 else { continue }
      throw StintError(
        .usage, "--\(name) \(path): its folder \(folder): \(String(cString: strerror(errno))).",
        errno: errno)
    }
  }

  /// The time until the signal is the grant but for its lead, and the lead is what `-k` gives, or
  /// has no end.
  private static func timeoutForm(
    _ duration: TimeoutDuration, _ parsed: ParsedOptions
  ) throws -> (SupervisorRules, SystemPolicy, Duration?) {
    let killAfter = try killAfter(parsed)
    var rules = SupervisorRules(
      style: .timeout, stopSignal: try signal("signal", parsed) ?? SupervisorRules.terminate,
      stopLead: killAfter ?? TimeoutDuration.longest, stopGrace: killAfter)
    rules.isForeground = parsed.has("foreground")
    rules.preservesStatus = parsed.has("preserve-status")
    guard case .after(let time) = duration else { return (rules, .commandLine, nil) }
    let grant = time + rules.stopLead
    return (rules, SystemPolicy.commandLine.withBudget(grant, lead: rules.stopLead), grant)
  }

  private static func budgetForm(
    _ time: TimeOptions, _ launcher: CommandLauncher, _ parsed: ParsedOptions
  ) throws -> (SupervisorRules, SystemPolicy) {
    let policy = time.systemPolicy
    let warnSignal = try signal("warn-signal", parsed)
    let killAfter = try killAfter(parsed)
    if let killAfter, !time.isUnlimited, killAfter > policy.lead {
      throw StintError(
        .usage,
        "--kill-after \(killAfter.compactText) is longer than the lead, the last \(policy.lead.compactText) before the deadline; give a longer --lead."
      )
    }
    let half = warnSignal == nil ? policy.lead : policy.lead / 2
    var rules = SupervisorRules(
      style: .budget,
      stopSignal: try signal("signal", parsed)
        ?? (launcher == .mpi ? SIGUSR1 : SupervisorRules.terminate),
      stopLead: killAfter ?? half, stopGrace: time.stopGrace)
    rules.warnSignal = warnSignal
    rules.suspends = parsed.has("suspend")
    rules.isForeground = parsed.has("foreground")
    rules.preservesStatus = parsed.has("preserve-status")
    rules.untilDone = time.untilDone
    rules.rest = time.rest
    rules.maximumRestarts = try parsed.integer("max-restarts", in: 0...1_000_000) ?? 3
    rules.hasCheckpointFile = parsed.has("checkpoint-file")
    rules.hasDoneFile = parsed.has("done-file")
    rules.hasProgressFile = parsed.has("progress-file")
    rules.isResumable = parsed.has("resumable")
    rules.afterWarning = try parsed.choice("after-warning")
    rules.signalsLeaderOnly = try parsed.choice("signal-to", as: SignalTarget.self) == .leader
    rules.stallAfter = try parsed.duration("stall-after", least: time.tick)
    rules.isJob =
      rules.showsContent || rules.hasProgressFile || rules.isResumable || rules.untilDone
      || parsed.has("name")
    rules.maximumStints =
      try parsed.integer("max-stints", in: 1...1_000_000)
      ?? (rules.showsContent ? nil : SupervisorRules.mostStints)
    rules.unfinishedStatus = Int32(try parsed.integer("unfinished-exit-code", in: 1...125) ?? 75)
    try checkBudgetForm(rules, time, parsed)
    if rules.suspends, launcher == .srun {
      throw StintError(
        .usage,
        "--suspend would stop srun and not its ranks; leave it out, or give --launcher none.")
    }
    return (rules, policy)
  }

  private static func checkBudgetForm(
    _ rules: SupervisorRules, _ time: TimeOptions, _ parsed: ParsedOptions
  ) throws {
    if rules.suspends, time.isUnlimited {
      throw StintError(.usage, "--suspend needs a time limit; \(BudgetChoice.all.advice).")
    }
    if rules.suspends, rules.untilDone {
      throw StintError(
        .usage, "--suspend continues the same process until it ends; leave --until-done out.")
    }
    if rules.suspends, rules.isForeground {
      throw StintError(
        .usage, "--suspend with --foreground would stop stint too; leave --foreground out.")
    }
    if rules.hasDoneFile, rules.afterWarning != nil {
      throw StintError(
        .usage, "--done-file says when the work is done; leave --after-warning out.")
    }
    if parsed.has("max-restarts"), !rules.untilDone {
      throw StintError(.usage, "--max-restarts limits the restarts of --until-done; give that too.")
    }
    for name in ["fresh", "max-stints", "key-env"] where parsed.has(name) && !rules.isJob {
      throw StintError(
        .usage,
        "--\(name) needs a job; give --checkpoint-file, --done-file, --resumable, --progress-file, "
          + "--until-done or --name too.")
    }
    if rules.stallAfter != nil {
      guard rules.hasCheckpointFile || rules.hasProgressFile else {
        throw StintError(
          .usage,
          "--stall-after looks at the checkpoint and the progress; give --checkpoint-file or "
            + "--progress-file too.")
      }
      if rules.suspends {
        throw StintError(
          .usage, "--stall-after starts the command again; leave --suspend out.")
      }
    }
    if rules.signalsLeaderOnly, rules.isForeground {
      throw StintError(
        .usage, "--foreground reaches the command's own process alone; leave --signal-to out.")
    }
  }

  private static func killAfter(_ parsed: ParsedOptions) throws -> Duration? {
    guard let value = parsed.value("kill-after") else { return nil }
    switch TimeoutDuration(value.text) {
    case .after(let duration): return duration
    case .never: return nil
    case nil:
      throw value.refusal("is not a duration; write one such as 5, 1.5s or 2m.")
    }
  }

  private static func signal(_ name: String, _ parsed: ParsedOptions) throws -> Int32? {
    guard let value = parsed.value(name) else { return nil }
    if let number = SignalName.number(value.text) { return number }
    let near = NearestName.find(value.text.uppercased(), among: SignalName.all)
    let advice = near.map { "did you mean \($0)?" } ?? "kill -l lists them."
    throw value.refusal("is not a signal; \(advice)")
  }

  /// The absolute path or pattern of the checkpoint.
  var absoluteCheckpoint: String? {
    files.checkpoint.map { $0.hasPrefix("/") ? $0 : "\(directory)/\($0)" }
  }

  /// What makes a command this job and no other.
  package var parameters: JobParameters {
    var values = [
      "command": operands.map(ShellWord.quoted).joined(separator: " "),
      "directory": directory,
    ]
    values["checkpointFile"] = files.checkpoint
    values["doneFile"] = files.done
    values["progressFile"] = files.progress
    return JobParameters(values)
  }
}
