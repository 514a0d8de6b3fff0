import StintCore
import StintRuntime

/// The numbers of a batch, from its options and the machine.
struct BatchSettings: Sendable {
  let options: BatchOptions
  /// How many lines run at a time.
  let places: Int
  /// How many threads each may use.
  let threads: Int
  /// How long before the deadline the handlers are called.
  let lead: Duration
  /// When the process began, from which its first trip is counted.
  let launchedAt: Instant
  /// Who says when a trip ends.
  var sources: BudgetSources

  /// The settings of a command line, where so many processors may be used.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if a source cannot be followed.
  init(_ options: BatchOptions, processors: Int, launchedAt: Instant) throws(StintError) {
    self.options = options
    let policy = options.time.systemPolicy
    // One task more is the batch's own.
    places = max(1, min(options.places ?? processors, policy.maximumTasks - 1))
    threads = options.threads ?? max(1, processors / places)
    lead = policy.lead
    self.launchedAt = launchedAt
    sources = try options.time.sources()
  }

  /// The time to save after SIGTERM or SIGHUP.
  var stopGrace: Duration { options.time.stopGrace(sources) }

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
      places: places, leastRemaining: leastRemaining, runs: options.runs, halt: options.halt,
      asksBeforeStart: options.pace.asksBeforeStart)
  }

  /// How the process lives from trip to trip.
  func lifeRules(
    leave: @escaping @Sendable (SupervisorExit) -> Void,
    stoppedWhileOpening: @escaping @Sendable (Int32) -> Void
  ) -> ProcessLife.Rules {
    ProcessLife.Rules(
      run: .init(
        rest: options.time.untilDone ? options.time.rest : nil, leastTime: .zero,
        stopsWithWork: true),
      leastTrip: leastRemaining, reserve: reserve, looksEvery: min(options.time.tick, .seconds(1)),
      stopGrace: { stopGrace },
      // The lines must not be killed because a reader sleeps.
      leavesAfter: .seconds(1), leave: leave, stoppedWhileOpening: stoppedWhileOpening)
  }

  /// The policy of the lines: what this process keeps for itself is not theirs.
  func policy(_ policy: SystemPolicy) -> SystemPolicy {
    var policy = policy
    if let grant = policy.grant { policy.grant = max(lead + .milliseconds(1), grant - reserve) }
    return policy
  }

  /// The limit of a line's process when so much is left; nil without a limit.
  func budget(remaining: RemainingTime) -> BatchBudget? {
    remaining.duration.map { rest in
      let time = max(Self.leastBudget, rest - Self.startMayTake)
      // Warned at the instant at which the batch is, or as early in its time as the least lead
      // lets.
      let lead = min(max(lead - Self.startMayTake, .milliseconds(1)), time - .milliseconds(1))
      return BatchBudget(time: time, lead: lead)
    }
  }

  /// The time to save of a line's process.
  var graceOfLine: Duration { max(.milliseconds(50), stopGrace - Self.startMayTake) }

  /// The refusal of a trip in which nothing could be started.
  func noTimeError() -> StintError {
    StintError(
      .noProgress,
      "The budget is too short to start a line; use at least "
        + "\((leastRemaining + reserve).compactText) plus the time to read the lines.")
  }
}
