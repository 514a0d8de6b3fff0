import Glibc
import StintCore
import StintRuntime

/// `stint run --isolated`: this process is the system, and a child of it works (R10).
///
/// What ends the child (the abort of a library that found no memory, a crash, the deadline) does
/// not end this process, which writes it into the job's journal and lets the work go on from the
/// last checkpoint, a limited number of times. Between two stints it follows the run machine; while
/// one lasts, the supervisor has the signals and the terminal's stops
/// (`docs/decisions/isolated-run.md`).
struct IsolatedRun {
  /// Tells the child its parent, and how many processes of this run worked before it.
  ///
  /// From the second on, the child must not start the job over, and must obey a stop that an
  /// earlier one did not see.
  private static let variable = "STINT_ISOLATED"

  let options: RunOptions
  let start: RunStart
  /// Who says when the time ends.
  let sources: BudgetSources
  /// How much memory the work takes at its peak, about.
  let memoryBytes: Int
  /// Opens the job and takes its lock, which the child holds while it lives.
  let openJob: () throws -> Job

  /// Whether this process works after another one of the same run.
  static func goesOn(_ environment: [String: String]) -> Bool {
    isWorker(environment) && environment[variable]?.hasSuffix(" 0") == false
  }

  static func isWorker(_ environment: [String: String]) -> Bool {
    environment[variable]?.split(separator: " ").first.flatMap { Int32($0) } == getppid()
  }

  /// What one process of the worker came to.
  private struct End {
    var exit: SupervisorExit
    var outcome: SupervisorMachine.StintOutcome?
    /// A signal asked this process to end.
    var wasAsked = false
    /// A signal warned of the end, perhaps when the worker had ended already.
    var wasWarned = false
    /// Whether it could not say itself what became of its output.
    var isSudden: Bool {
      switch outcome {
      case .killed, .crashed: true
      case .finished, .failed, .asksAgain, .leftUnfinished, .stoppedInTime, .interrupted, .notRun,
        nil:
        false
      }
    }
  }

  /// Supervises until the work is done, or nothing more can be done for it; the process ends here.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func run() throws -> Never {
    guard !Self.isWorker(start.environment) else {
      throw StintError(
        .unavailable, "The isolated worker has no connection to its supervisor; run it again.")
    }
    let signals = try SignalDescriptor()
    // Every process of the run is of one version, whatever happens to the installed one.
    let program = try ProgramFile.own()
    let attempts = options.time.systemPolicy.restoreAttempts
    var life = RunMachine(
      rules: .init(rest: options.time.untilDone ? options.time.rest : nil, leastTime: .zero))
    var (began, crashes, processes) = (start.launchedAt, 0, 0)
    _ = life.begun(.unlimited, now: began)
    var newest: UInt64?
    while true {
      LastMoment.set(nil)
      let end = try supervise(program, signals, since: began, after: processes)
      processes += 1
      limitLastWords(since: began)
      if end.wasAsked { leave(end.exit) }
      if end.isSudden, (try? openJob())?.summary.hasCutStream ?? false {
        let error = ResultOutput.cut("The worker was ended", isIsolated: true)
        complain(error)
        leave(.status(ExitStatus.of(error)))
      }
      switch end.outcome {
      case .crashed(let number, _) where !Self.asks.contains(number):
        let reached = write(.workerEnded(signal: number))
        crashes = reached == newest ? crashes + 1 : 1
        newest = reached
        guard crashes < attempts else {
          // Not the progress that --quiet is about, but why there is no result.
          complain(lastWords(of: number, attempts))
          leave(end.exit)
        }
        guard hasTime(since: began), !end.wasWarned else {
          leave(.status(options.unfinishedExitCode))
        }
        say("The worker was ended by signal \(number); it continues from its last checkpoint.")
      case .killed:
        _ = write(.workerEnded(signal: SIGKILL))
        say("The worker ran past its deadline and was killed; what it had saved is kept.")
        began = try nextStint(after: end, &life, signals)
      case .asksAgain, .leftUnfinished, .stoppedInTime:
        guard endedForLackOfTime() else { leave(end.exit) }
        began = try nextStint(after: end, &life, signals)
      case .finished, .failed, .crashed, .interrupted, .notRun, nil:
        leave(end.exit)
      }
    }
  }

  /// Lets the kernel end this process if a disk does not take what it writes now.
  private func limitLastWords(since began: Instant) {
    LastMoment.set(
      afterTripUntil: sources.end(ofTripSince: began)?.instant,
      lastWords: options.time.stopGrace(sources))
  }

  /// Signals that ask a process to end; a process that dies of one has not crashed.
  private static let asks = [SIGHUP, SIGTERM, SIGPIPE]

  // MARK: One process

  private func supervise(
    _ program: ProgramFile, _ signals: SignalDescriptor, since began: Instant,
    after processes: Int
  ) throws -> End {
    var rules = SupervisorRules(
      style: .budget, stopLead: policy.lead, stopGrace: options.time.stopGrace)
    rules.isJob = true
    rules.unfinishedStatus = options.unfinishedExitCode
    var command = program.command(Array(Environment.words().dropFirst()))
    command.variables[Self.variable] = "\(getpid()) \(processes)"
    command.variables[ChainTie.variable] = ChainTie.path
    // A crash ends the worker at once: a backtrace would first wait for threads that block the
    // signal by which it holds them, up to the deadline.
    command.variables["SWIFT_BACKTRACE"] = "enable=no"
    var setup = CommandSupervisor.Setup(
      command: command, rules: rules, policy: policy, launchedAt: began)
    setup.sources = sources
    setup.takesGraceOfSources = !options.time.givesStopGrace
    setup.channel = SocketChannel()
    let end = Protected(End(exit: .status(SupervisorExit.cannotSupervise)))
    var hooks = CommandSupervisor.Hooks()
    hooks.stintEnded = { outcome, _ in end.withLock { $0.outcome = outcome } }
    hooks.expiryAnnounced = { reason, _, _ in
      if case .signal = reason { end.withLock { $0.wasAsked = true } }
    }
    hooks.passedOn = { number in
      if SignalWatch.warnings.contains(number) { end.withLock { $0.wasWarned = true } }
    }
    hooks.say = { message in
      if case .notStarted(let failure) = message {
        complain("The worker cannot be started (error \(failure.errno)).")
      }
    }
    let exit = try CommandSupervisor(setup: setup, signals: signals, hooks: hooks).run()
    return end.withLock { end in
      end.exit = exit
      return end
    }
  }

  private var policy: SystemPolicy { options.time.systemPolicy }

  // MARK: Between two processes

  /// Writes into the journal what became of the worker, which cannot, and returns the newest
  /// checkpoint; nil if there is none, or the job is not there yet.
  private func write(_ event: JournalEvent) -> UInt64? {
    do {
      let job = try openJob()
      guard job.isMaterialized else { return nil }
      job.record(event, durably: true)
      job.finishRecords()
      return job.summary.lastCheckpoint?.sequence
    } catch {
      say(StintError(wrapping: error, while: "recording how the worker ended").typed)
      return nil
    }
  }

  /// Whether the worker was not stopped by a stop file or the like.
  private func endedForLackOfTime() -> Bool {
    guard options.time.untilDone, let job = try? openJob() else { return false }
    switch job.summary.lastStint?.ended {
    case .expired, .didNotFit, .extended, nil: return true
    case .finished, .failed, .denied, .paused, .stopRequested: return false
    }
  }

  /// Whether what is left of the stint is worth another process.
  private func hasTime(since began: Instant) -> Bool {
    guard let end = sources.end(ofTripSince: began) else { return true }
    return BootClock.now.advanced(by: policy.lead) < end.instant
  }

  /// Does what the machine wants between two stints, and says when the next one begins; the process
  /// ends if there is to be none.
  private func nextStint(
    after last: End, _ life: inout RunMachine, _ signals: SignalDescriptor
  ) throws -> Instant {
    if last.wasWarned { leave(.status(options.unfinishedExitCode)) }
    var actions = life.suspended(now: BootClock.now)
    while case .rest(let end, _)? = actions.first {
      let mayGoOn = try rest(until: end, signals)
      let now = BootClock.now
      let time = RunMachine.Time.trip(start: now, end: sources.end(ofTripSince: now))
      actions =
        mayGoOn
        ? life.restEnded(hasTime(since: now) ? time : nil, now: now) : life.stopRequested()
    }
    guard case .goOn(.trip(let began, _))? = actions.first else {
      leave(.status(options.unfinishedExitCode))
    }
    return began
  }

  /// Rests until an instant or a signal, which the next supervision handles before it begins; false
  /// if somebody has asked for an end.
  ///
  /// The job is held meanwhile, so that nobody else takes it and `stint stop` finds somebody to
  /// ask.
  private func rest(until end: Instant, _ signals: SignalDescriptor) throws -> Bool {
    let job = try openJob()
    LastMoment.set(nil)
    while true {
      if job.isSet(.stop) {
        try? job.clear(.stop)
        return false
      }
      let left = BootClock.now.duration(to: end)
      guard left > .zero else { return true }
      var waited = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      let turn = min(left, options.time.tick)
      if poll(&waited, 1, Int32(clamping: turn.nanoseconds / 1_000_000 + 1)) > 0 {
        // A warning has nobody to be passed on to, and everything is saved.
        return SignalWatch.pendingOrWarned().map { !SignalWatch.warnings.contains($0) } ?? true
      }
    }
  }

  /// Why it is not tried again, and what can be done.
  private func lastWords(of number: Int32, _ attempts: Int) -> String {
    let what =
      "The worker was ended by signal \(number) \(attempts) times without a new checkpoint."
    // GMP aborts, the runtime of Swift and GLib trap.
    guard [SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGKILL].contains(number) else { return what }
    let limit = AddressSpace.limit().map {
      ", and its address space is limited to \(ReportText.grouped($0)) (ulimit -v)"
    }
    return what + " If memory was short: the work takes about "
      + "\(ReportText.grouped(memoryBytes)) bytes at its peak\(limit ?? ""). Run the same command again to continue."
  }

  private func say(_ sentence: String) {
    if !options.display.quiet { complain(sentence) }
  }

  private func leave(_ exit: SupervisorExit) -> Never {
    exit.leave(unfinished: options.unfinishedExitCode)
  }
}
