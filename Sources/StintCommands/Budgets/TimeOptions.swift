package import StintCore
package import StintRuntime

/// How much time a run has, and what it does with it: the options under "Time" and "Saving".
package struct TimeOptions: Sendable {
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

  /// Who says when the time ends.
  private let chosen: [(choice: BudgetChoice, source: BudgetChoice.Chosen)]
  /// Those of them that never change their mind.
  private let steady: BudgetSources
  /// When the command line was read.
  private let readAt: Instant
  /// The lead that was asked for; see ``systemPolicy``.
  package var requestedLead: Duration?
  /// The time to save after SIGTERM or SIGHUP, where a source knows no better one.
  package var stopGrace: Duration
  /// Whether the command line gives that time.
  package var givesStopGrace: Bool
  /// The time between two reports.
  package var tick: Duration
  /// Whether to go on after the budget is used up, stint after stint.
  package var untilDone: Bool
  /// The pause between two stints.
  package var rest: Duration
  /// The preset whose numbers hold where no option says otherwise; see ``systemPolicy``.
  package var preset: SystemPolicy
  /// How long another process that works on the job is waited for; nil for not at all.
  package var waitsForLock: Duration?
  /// The time between two checkpoints, or nil for the learnt one.
  package var checkpointEvery: Duration?

  /// Reads and validates the options.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(
    _ parsed: ParsedOptions, in surroundings: Surroundings,
    choices: [BudgetChoice] = BudgetChoice.all
  ) throws {
    chosen = try choices.compactMap { choice in
      try choice.read(parsed, surroundings).map { (choice, $0) }
    }
    steady = BudgetSources(
      chosen.compactMap { if case .steady(let source) = $0.source { source } else { nil } })
    readAt = surroundings.wallTime.instant
    requestedLead = try parsed.duration("lead", least: .milliseconds(1))
    givesStopGrace = parsed.has("stop-grace")
    stopGrace = try Self.stopGrace(parsed)
    tick = try parsed.duration("tick", least: Defaults.leastTick) ?? Defaults.tick
    untilDone = parsed.has("until-done")
    rest = try parsed.duration("rest") ?? Defaults.rest
    preset = try BudgetChoice.preset(parsed)
    waitsForLock =
      parsed.text("wait-lock") == ""
      ? .nanoseconds(Int64.max) : try parsed.duration("wait-lock")
    checkpointEvery = try parsed.duration(
      "checkpoint-every", least: Defaults.leastCheckpointInterval)
    try validate(parsed, choices)
  }

  /// The time to save after a stop, as the command line gives it or by default.
  static func stopGrace(_ parsed: ParsedOptions) throws -> Duration {
    try parsed.duration("stop-grace", least: Defaults.leastLead) ?? Defaults.stopGrace
  }

  private func validate(_ parsed: ParsedOptions, _ choices: [BudgetChoice]) throws {
    if parsed.has("rest"), !untilDone, !parsed.has("suspend") {
      let other = parsed.knows("suspend") ? " or --suspend" : ""
      throw StintError(.usage, "--rest is the pause between stints; it needs --until-done\(other).")
    }
    if untilDone, !chosen.contains(where: \.choice.comesAgain) {
      let advice = choices.filter(\.comesAgain).advice
      throw StintError(.usage, "--until-done needs a time limit; \(advice).")
    }
    if let requestedLead, let (grant, source) = grant(), requestedLead >= grant {
      let giver = source == .local ? "the run of the request" : "--\(source.rawValue)"
      throw StintError(
        .usage,
        "--lead \(requestedLead.compactText) is not shorter than \(giver), which gives \(grant.compactText); the warning must come after the start."
      )
    }
    if requestedLead != nil, isUnlimited {
      throw StintError(.usage, "--lead needs a time limit; \(choices.advice).")
    }
  }

  /// Who says when a trip ends; those that have to be asked are asked from now on.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if one that was chosen cannot be asked.
  package func sources() throws(StintError) -> BudgetSources {
    let lead = systemPolicy.lead
    var sources: [any BudgetSource] = []
    for (choice, source) in chosen {
      switch source {
      case .steady(let source): sources.append(source)
      case .asked(let make):
        do throws(StintError) {
          sources.append(try make(lead) { complain($0) })
        } catch {
          // What comes with the surroundings, and nobody asked for, is no reason to do nothing.
          guard choice.options.isEmpty else { throw error }
          complain("The end of the allocation is not followed: \(error.typed)")
        }
      }
    }
    return BudgetSources(sources)
  }

  /// How long the work may save after SIGTERM: as asked for, else as the system behind a source
  /// allows, if that is longer than usual.
  func stopGrace(_ sources: BudgetSources) -> Duration {
    givesStopGrace ? stopGrace : max(stopGrace, sources.stopGrace ?? .zero)
  }

  /// What a trip is granted by those who never change their mind, and by whom.
  ///
  /// - Parameter start: When it begins; by default when the command line was read.
  /// - Returns: Nil when there is no limit. Never negative.
  package func grant(since start: Instant? = nil) -> (Duration, BudgetName)? {
    let start = start ?? readAt
    return steady.end(ofTripSince: start).map { end in
      (max(.zero, start.duration(to: end.instant)), BudgetName(rawValue: end.source))
    }
  }

  /// How long a run waits for another process that works on the job, and for which ones.
  ///
  /// One that is dying is waited for as long as half of the time that is left, and 10 s at most;
  /// one that lives only if that was asked for, and as long as there is time to do something then.
  /// The time may end by the sources, or as somebody else offered it.
  package func patience(
    _ sources: BudgetSources, launchedAt launch: Instant, offered: Instant? = nil,
    now: @escaping @Sendable () -> Instant = { BootClock.now }
  ) -> JobLock.Patience {
    // An offer tells only its end. The wait ends twice the usual lead before that, because the
    // process that made the offer stops its lines at its own lead.
    let lead =
      offered.map { offered in
        let grant = max(.zero, launch.duration(to: offered))
        return min(
          systemPolicy.lead, preset.withBudget(grant, lead: requestedLead).lead * 2)
      } ?? systemPolicy.lead
    let end: @Sendable () -> Instant? = {
      [sources.end(ofTripSince: launch)?.instant, offered].compactMap { $0 }.min()
    }
    if let waitsForLock {
      return JobLock.Patience(duration: waitsForLock, waitsForLiving: true) {
        end().map { $0 <= now().advanced(by: lead) } ?? false
      }
    }
    let left = end().map { now().duration(to: $0) / 2 } ?? .seconds(10)
    return JobLock.Patience(duration: max(.zero, min(.seconds(10), left)))
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

  /// Whether the command line gives an end of the time.
  package var hasOwnEnd: Bool { chosen.contains { !$0.choice.options.isEmpty } }

  /// Whether nothing limits the time.
  package var isUnlimited: Bool { chosen.isEmpty }
}
