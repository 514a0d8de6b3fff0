package import StintCore
package import StintRuntime

/// How much time a run has, and what it does with it: the options under "Time" and "Saving".
package struct TimeOptions: Hashable, Sendable {
  /// What holds when an option is not given, and the least that makes sense.
  package enum Defaults {
    // A shorter budget could not hold the least lead and a chunk.
    package static let leastBudget = Duration.milliseconds(100)
    package static let leastLead = Duration.milliseconds(50)
    package static let stopGrace = Duration.seconds(5)
    package static let tick = Duration.milliseconds(500)
    package static let leastTick = Duration.milliseconds(50)
    package static let rest = Duration.seconds(1)
    package static let leastCheckpointInterval = Duration.milliseconds(50)
  }

  /// The background time of one trip that was asked for, or nil when only the policy or nothing
  /// limits it.
  package var budget: Duration?
  /// From the moment the command line was read to the time of `--until`.
  package var untilRemaining: Duration?
  /// The file that says when the time ends.
  package var deadlineFile: String?
  /// The lead that was asked for; see ``systemPolicy``.
  package var requestedLead: Duration?
  /// The time to save after SIGTERM or SIGHUP.
  package var stopGrace: Duration
  /// The time between two reports.
  package var tick: Duration
  /// Whether to go on after the budget is used up, stint after stint.
  package var untilDone: Bool
  /// The pause between two stints.
  package var rest: Duration
  /// The preset whose numbers hold where no option says otherwise; see ``systemPolicy``.
  package var preset: SystemPolicy
  /// The time between two checkpoints, or nil for the learnt one.
  package var checkpointEvery: Duration?

  /// Reads and validates the options.
  ///
  /// - Parameters:
  ///   - parsed: The command line.
  ///   - wallTime: The wall clock, for `--until`.
  /// - Throws: ``StintError`` with the code `usage`.
  package init(_ parsed: ParsedOptions, wallTime: WallTime) throws {
    budget = try parsed.duration("budget", least: Defaults.leastBudget)
    untilRemaining = try parsed.text("until").map {
      try UntilTime.remaining(
        $0, nowNanoseconds: wallTime.nanosecondsSince1970, calendar: wallTime.calendar)
    }
    deadlineFile = parsed.text("deadline-file")
    requestedLead = try parsed.duration("lead", least: .milliseconds(1))
    stopGrace =
      try parsed.duration("stop-grace", least: Defaults.leastLead) ?? Defaults.stopGrace
    tick = try parsed.duration("tick", least: Defaults.leastTick) ?? Defaults.tick
    untilDone = parsed.has("until-done")
    rest = try parsed.duration("rest") ?? Defaults.rest
    preset = try Self.preset(parsed)
    checkpointEvery = try parsed.duration(
      "checkpoint-every", least: Defaults.leastCheckpointInterval)
    try validate(parsed)
  }

  private func validate(_ parsed: ParsedOptions) throws {
    if let untilRemaining, untilRemaining < Defaults.leastBudget {
      throw StintError(
        .usage,
        "--until leaves only \(untilRemaining.compactText); the least is \(Defaults.leastBudget.compactText)."
      )
    }
    if parsed.has("rest"), !untilDone, !parsed.has("suspend") {
      let other = parsed.knows("suspend") ? " or --suspend" : ""
      throw StintError(.usage, "--rest is the pause between stints; it needs --until-done\(other).")
    }
    if untilDone, budget == nil, preset.grant == nil, deadlineFile == nil {
      throw StintError(
        .usage, "--until-done goes on after a budget is used up; give it --budget or --policy.")
    }
    if let requestedLead, let (grant, source) = grant(), requestedLead >= grant {
      throw StintError(
        .usage,
        "--lead \(requestedLead.compactText) is not shorter than --\(source.rawValue), which gives \(grant.compactText); the warning must come after the start."
      )
    }
    if requestedLead != nil, isUnlimited {
      throw StintError(
        .usage, "--lead is counted back from the end of a budget; give --budget too.")
    }
  }

  private static func preset(_ parsed: ParsedOptions) throws -> SystemPolicy {
    guard let value = parsed.value("policy") else { return .commandLine }
    if let preset = SystemPolicy.named(value.text) { return preset }
    throw parsed.unknown(value, among: SystemPolicy.presets.map(\.name))
  }

  /// Who says when a trip ends, in a process that was launched at an instant; here a source is
  /// added.
  package func sources(launchedAt launch: Instant) -> BudgetSources {
    BudgetSources(steady(launchedAt: launch) + [deadlineFileSource()].compactMap { $0 })
  }

  /// The sources that never change their mind.
  private func steady(launchedAt launch: Instant) -> [any BudgetSource] {
    let fixed =
      budget.map { FixedBudget($0) }
      ?? preset.grant.map { FixedBudget($0, name: .policy) }
    let until = untilRemaining.map { UntilBudget(launch.advanced(by: $0)) }
    let all: [(any BudgetSource)?] = [fixed, until]
    return all.compactMap { $0 }
  }

  private func deadlineFileSource() -> AskedBudget? {
    guard let deadlineFile else { return nil }
    let file = DeadlineFile(
      path: deadlineFile, nanoseconds: UntilTime.instant,
      wallClock: { StoreIdentity.current().wallClock() },
      complain: { writeToStandardError("stint: \($0)\n") })
    guard let source = try? file.source() else { return nil }
    // A file server that does not answer must not hold up the start.
    _ = source.wait(atMost: .milliseconds(500))
    return source
  }

  /// What the next trip is granted, and by whom.
  ///
  /// - Parameter elapsed: The time since the command line was read.
  /// - Returns: Nil when there is no limit. Never negative.
  package func grant(after elapsed: Duration = .zero) -> (Duration, BudgetName)? {
    let launch = Instant(nanoseconds: 0)
    let start = launch.advanced(by: elapsed)
    return BudgetSources(steady(launchedAt: launch)).end(ofTripSince: start).map { end in
      (max(.zero, start.duration(to: end.instant)), BudgetName(rawValue: end.source))
    }
  }

  /// How long a run waits for a worker that is dying.
  ///
  /// - Parameters:
  ///   - elapsed: The time since the command line was read.
  ///   - offered: What is left of the time that somebody else grants, if anybody does.
  /// - Returns: Half of the time that is left, and 10 s at most.
  package func patience(after elapsed: Duration, offered: Duration? = nil) -> Duration {
    let left = [grant(after: elapsed).map { $0.0 - elapsed }, offered].compactMap { $0 }.min()
    return max(.zero, min(.seconds(10), left.map { $0 / 2 } ?? .seconds(10)))
  }

  /// Counts from a later moment on.
  mutating func passed(_ elapsed: Duration) {
    untilRemaining = untilRemaining.map { max(.zero, $0 - elapsed) }
  }

  /// The policy of the run: the preset, and over it the numbers of the options.
  ///
  /// A lead that was not asked for is the preset's if the grant is, else what suits the budget.
  package var systemPolicy: SystemPolicy {
    guard let (grant, source) = grant() else {
      return requestedLead.map { preset.withLead($0) } ?? preset
    }
    if source == .policy, requestedLead == nil { return preset }
    return preset.withBudget(grant, lead: requestedLead)
  }
}

extension TimeOptions {
  /// Whether nothing limits the time.
  package var isUnlimited: Bool { grant() == nil && deadlineFile == nil }
}
