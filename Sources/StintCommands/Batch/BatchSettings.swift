import StintCore
import StintRuntime

/// The numbers of a batch, from its options and the machine.
struct BatchSettings: Sendable {
  /// How many lines run at a time.
  var places: Int
  /// How many threads each may use.
  var threads: Int
  var untilDone: Bool
  var rest: Duration
  /// The time to save after SIGTERM or SIGHUP, where a source knows no better one.
  var usualStopGrace: Duration
  var tick: Duration
  /// How long before the deadline the handlers are called.
  var lead: Duration
  var startsOver: Bool
  /// How often a line that fails is run.
  var runs = 1
  var halt: BatchMachine.Halt?
  var pace = BatchPace()
  var keepsOrder = false
  /// Where jobs live, as the batch was told.
  var jobsDirectory: String
  /// Variables that belong to the keys of all jobs.
  var keyVariables: [String] = []
  /// When the process began, from which its first trip is counted.
  var launchedAt: Instant
  /// Who says when a trip ends.
  var sources: BudgetSources
  /// Whether a source may allow more time to save.
  var takesGraceOfSources = false

  /// The time to save after SIGTERM or SIGHUP.
  var stopGrace: Duration {
    takesGraceOfSources ? max(usualStopGrace, sources.stopGrace ?? .zero) : usualStopGrace
  }

  /// The least budget that the command line takes, so that a line can be given it.
  private static let leastBudget = TimeOptions.Defaults.leastBudget

  /// What is kept of every budget for this process, after the lines have ended or were ended: to
  /// reap and to leave in order.
  ///
  /// On a loaded machine a thread may be woken tens of milliseconds late.
  var reserve: Duration { max(.milliseconds(20), min(.milliseconds(60), lead / 4)) }

  /// By how much the clock of a command's process may begin later than it was started.
  private static let startMayTake = Duration.milliseconds(20)

  /// The least rest of a trip in which a line is started: enough to load, to compute a little and
  /// to save.
  var leastRemaining: Duration { lead + Self.leastBudget }

  /// How lines are started.
  var machineRules: BatchMachine.Rules {
    BatchMachine.Rules(
      places: places, leastRemaining: leastRemaining, runs: runs, halt: halt,
      asksBeforeStart: pace.asksBeforeStart)
  }

  /// How the process lives from trip to trip.
  var lifeRules: RunMachine.Rules {
    RunMachine.Rules(rest: untilDone ? rest : nil, leastTime: .zero, stopsWithWork: true)
  }

  /// The policy of the lines: what this process keeps for itself is not theirs.
  func policy(_ policy: SystemPolicy) -> SystemPolicy {
    var policy = policy
    if let grant = policy.grant { policy.grant = max(lead + .milliseconds(1), grant - reserve) }
    return policy
  }

  /// What the process of a line is given when so much is left.
  func grant(remaining: RemainingTime, startsOver: Bool) -> BatchGrant {
    let budget = remaining.duration.map { rest -> BatchGrant.Budget in
      let time = max(Self.leastBudget, rest - Self.startMayTake)
      // Warned at the instant at which the batch is, or as early in its time as the least lead
      // lets.
      let lead = min(max(lead - Self.startMayTake, .milliseconds(1)), time - .milliseconds(1))
      return BatchGrant.Budget(time: time, lead: lead)
    }
    return BatchGrant(
      budget: budget, stopGrace: max(.milliseconds(50), stopGrace - Self.startMayTake),
      threads: threads, tick: tick, jobsDirectory: jobsDirectory, keyVariables: keyVariables,
      startsOver: startsOver)
  }

  /// The refusal of a trip in which nothing could be started.
  func noTimeError() -> StintError {
    StintError(
      .noProgress,
      "The budget is too short to start a line; use at least "
        + "\((leastRemaining + reserve).compactText) plus the time to read the lines.")
  }
}

extension BatchSettings {
  /// The settings of a command line, where so many processors may be used.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if a source cannot be followed.
  init(_ options: BatchOptions, processors: Int, launchedAt: Instant) throws(StintError) {
    let time = options.time
    // One task more is the batch's own.
    places = max(1, min(options.places ?? processors, time.systemPolicy.maximumTasks - 1))
    threads = options.threads ?? max(1, processors / places)
    untilDone = time.untilDone
    rest = time.rest
    usualStopGrace = time.stopGrace
    takesGraceOfSources = !time.givesStopGrace
    tick = time.tick
    lead = time.systemPolicy.lead
    startsOver = options.fresh
    (runs, halt, pace, keepsOrder) = (options.runs, options.halt, options.pace, options.keepsOrder)
    jobsDirectory = options.relativeJobsDirectory ?? options.jobsDirectory
    keyVariables = options.terms.environment.keys.sorted()
    self.launchedAt = launchedAt
    sources = try time.sources()
  }

  /// When a trip that begins at an instant must have ended, with what is kept back at its end.
  func end(ofTripSince start: Instant) -> Deadline? { sources.end(ofTripSince: start).map(kept) }

  /// An end without what is kept back for the batch itself.
  func kept(_ end: Deadline) -> Deadline {
    Deadline(source: end.source, instant: end.instant.advanced(by: .zero - reserve))
  }

  /// The time of a trip that begins at an instant; nil if it never has an end.
  func time(ofTripSince start: Instant) -> RunMachine.Time? {
    let end = end(ofTripSince: start)
    return end != nil || sources.mayChange ? .trip(start: start, end: end) : nil
  }
}
