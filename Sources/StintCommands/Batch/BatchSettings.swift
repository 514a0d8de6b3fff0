import StintCore

/// The numbers of a batch, from its options and the machine.
struct BatchSettings: Sendable {
  /// How many lines run at a time.
  var places: Int
  /// How many threads each may use.
  var threads: Int
  var untilDone: Bool
  var rest: Duration
  var stopGrace: Duration
  var tick: Duration
  /// How long before the deadline the handlers are called.
  var lead: Duration
  var startsOver: Bool
  var jobsDirectory: String
  /// When the process began, from which its first trip is counted.
  var launchedAt: Instant
  /// What a trip that begins at an instant is granted; nil without a limit.
  var nextGrant: @Sendable (Instant) -> Duration?

  /// The least budget that the command line takes, so that a line can be given it.
  private static let leastBudget = TimeOptions.Defaults.leastBudget

  /// What is kept of a trip to see the processes end: they end by their own clocks, which begin when they do.
  var closing: Duration { max(.milliseconds(10), min(.milliseconds(50), lead / 5)) }

  /// How long before the deadline what still runs is ended: the processes end, are reaped, and this one leaves in order.
  var overdueMargin: Duration { closing / 2 }

  /// The least rest of a trip in which a line is started: enough to load, to compute a little and to save.
  var leastRemaining: Duration { lead + closing + Self.leastBudget }

  /// What the process of a line is given when so much is left.
  func grant(remaining: RemainingTime, startsOver: Bool) -> BatchGrant {
    let budget = remaining.duration.map { rest -> BatchGrant.Budget in
      let time = max(Self.leastBudget, rest - closing)
      // Warned at the instant at which the batch is, or as early in its time as the least lead lets.
      let lead = min(max(lead - closing, .milliseconds(1)), time - .milliseconds(1))
      return BatchGrant.Budget(time: time, lead: lead)
    }
    return BatchGrant(
      budget: budget, stopGrace: max(.milliseconds(50), stopGrace - closing), threads: threads,
      tick: tick, jobsDirectory: jobsDirectory, startsOver: startsOver)
  }

  /// The refusal of a trip in which nothing could be started.
  func noTimeError(remaining: RemainingTime) -> StintError {
    StintError(
      .noProgress,
      "No line could be started in the time of the batch; the least budget with this lead is "
        + "\((leastRemaining + closing).compactText) and the time to read the lines.")
  }
}

extension BatchSettings {
  /// The settings of a command line.
  ///
  /// - Parameters:
  ///   - options: The command line.
  ///   - processors: How many processors may be used.
  ///   - launchedAt: When the process began.
  init(_ options: BatchOptions, processors: Int, launchedAt: Instant) {
    let time = options.time
    // One task more is the batch's own.
    places = max(1, min(options.places ?? processors, time.systemPolicy.maximumTasks - 1))
    threads = options.threads ?? max(1, processors / places)
    untilDone = time.untilDone
    rest = time.rest
    stopGrace = time.stopGrace
    tick = time.tick
    lead = time.systemPolicy.lead
    startsOver = options.fresh
    jobsDirectory = options.jobsDirectory
    self.launchedAt = launchedAt
    let policy = time.systemPolicy
    nextGrant = { now in
      [time.grant(after: launchedAt.duration(to: now))?.0, policy.grant].compactMap { $0 }.min()
    }
  }
}

/// Where what happens to a batch is taken up, one thing after another.
protocol BatchLane: AnyObject, Sendable {
  /// Runs the body after everything that was enqueued before.
  func enqueue(_ body: @escaping @Sendable () -> Void)
}
