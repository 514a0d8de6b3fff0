import Glibc
import StintCore
import StintRuntime

/// One process's supervision of a command: what it says, what it writes down.
final class ExecSession: Sendable {
  private struct State {
    var supervisor: CommandSupervisor?
    var asked = false
    var mustStopAtCheckpoint = false
    /// The notices that were given; each is given once.
    var noticed: Set<String> = []
    /// Whether the job is another process's by now.
    var isLost = false
  }

  /// How long the end waits for somebody to read the messages, and for a disk to take the journal.
  private static let lastWordsMayTake = Duration.milliseconds(250)
  private static let journalMayTake = Duration.seconds(5)

  private let options: ExecOptions
  private let launchedAt: Instant
  private let environment: [String: String]
  /// Who says when a stint ends.
  private let sources: BudgetSources
  private let messages: ExecMessages
  private let state = Protected(State())
  /// Writes messages and the journal: neither a terminal that is stopped nor a disk may hold up the
  /// supervisor.
  private let writer = Protected<SerialThread?>(nil)
  private let display: ProgressDisplay
  private let showsProgress: Bool
  private let job = Protected<(job: ExecJob, teller: ProgressTeller)?>(nil)
  private let events = Protected<EventLog?>(nil)

  private var execJob: ExecJob? { job.withLock { $0?.job } }

  init(_ options: ExecOptions, launchedAt: Instant, environment: [String: String]) throws {
    self.options = options
    self.launchedAt = launchedAt
    self.environment = environment
    sources =
      try options.time?.sources()
      ?? BudgetSources(options.grantOfTimeout.map { [FixedBudget($0)] } ?? [])
    messages = ExecMessages(
      command: options.command.name, mistakenDuration: options.mistakenDuration,
      rules: options.rules)
    // The command writes to the same terminal, where its lines and a live one would meet.
    showsProgress =
      options.files.progress != nil && !options.isQuiet && isatty(STDERR_FILENO) == 0
    display = ProgressDisplay(
      quiet: !showsProgress, silence: .seconds(1), every: ChainTie.plainDistance,
      terminal: {
        TerminalState.make(
          isTerminal: false, isForeground: false, columns: nil, environment: environment)
      })
  }

  /// Runs the command until nothing is left to be done.
  ///
  /// - Throws: ``StintError`` for what is refused before it starts.
  func run(signals: SignalDescriptor) throws -> SupervisorExit {
    if let path = options.events {
      let log = try EventLog(path: path) { [weak self] in self?.say($0) }
      events.withLock { $0 = log }
    }
    LastMoment.set(
      afterTripUntil: sources.end(ofTripSince: launchedAt)?.instant,
      lastWords: Self.journalMayTake)
    if let jobsDirectory = options.jobsDirectory { try openJob(in: jobsDirectory) }
    LastMoment.set(nil)
    let supervisor = try supervisor(signals: signals)
    state.withLock { $0.supervisor = supervisor }
    var exit = supervisor.run()
    if state.withLock({ $0.isLost }) { exit = .status(ExitStatus.unavailable) }
    finish(exit)
    return statusOfMistake(exit)
  }

  private func supervisor(signals: SignalDescriptor) throws -> CommandSupervisor {
    do {
      return try CommandSupervisor(setup: setup(), signals: signals, hooks: hooks())
    } catch {
      execJob?.job.withdraw()
      throw error
    }
  }

  private func openJob(in jobsDirectory: String) throws {
    let job = try ExecJob(
      options, in: jobsDirectory, sources: sources, launchedAt: launchedAt, thread: thread()
    ) { [weak self] sentence in self?.say(sentence) }
    if let events = events.withLock({ $0 }) { job.job.observeRecords { events.write($0) } }
    if let cause = LastTermination.explain(job.job) { say(cause) }
    self.job.withLock { $0 = (job, ProgressTeller(job.job)) }
  }

  private func setup() -> CommandSupervisor.Setup {
    var setup = CommandSupervisor.Setup(
      command: options.command, rules: options.rules, policy: options.policy,
      launchedAt: launchedAt)
    setup.files = execJob?.files ?? options.files
    setup.command.variables[SystemProtocol.checkpointVariable] = options.absoluteCheckpoint
    setup.sources = sources
    setup.tick = options.tick
    setup.launcher = options.launcher
    if options.launcher == .srun {
      setup.reachRanks = { [environment] launchers, number in
        Slurm(environment: environment).signal(number, toRanksOf: launchers)
      }
    }
    if let time = options.time {
      // In timeout's form a command is only told by signals.
      setup.channel = SocketChannel(continuesCommand: options.rules.suspends)
      setup.takesGraceOfSources = !time.givesStopGrace
    } else {
      setup.untoldTail = options.rules.stopLead
    }
    if let job = execJob {
      setup.command.variables[SystemProtocol.jobVariable] = job.job.key
      setup.earlierStints = job.earlierStints
      setup.earlierStintsOfWork = job.earlierStintsOfWork
      setup.fruitlessStints = job.fruitlessStints(
        until: sources.end(ofTripSince: launchedAt)?.instant)
      setup.beforeNextStint = { [unowned self] begin in
        job.lookForStop(stopAsked: { [self] in stopAsked() }, then: begin)
      }
      setup.isWatched = true
    }
    if options.events != nil { setup.isWatched = true }
    return setup
  }

  private func hooks() -> CommandSupervisor.Hooks {
    var hooks = CommandSupervisor.Hooks()
    hooks.say = { [unowned self] in told($0) }
    hooks.diagnose = { [unowned self] in say("\($0)") }
    hooks.familyIsHidden = { [unowned self] in
      if isFirst(messages.familyIsHidden) { say(messages.familyIsHidden) }
    }
    hooks.ticked = { [unowned self] in ticked($0) }
    hooks.unreadableProgress = { [unowned self] in notice(messages.unreadableProgress($0)) }
    hooks.ranksAreOutOfReach = { [unowned self] in notice(messages.ranksAreOutOfReach) }
    hooks.checkpointIsCutOff = { [unowned self] in notice(messages.checkpointIsCutOff) }
    hooks.stintBegan = { [unowned self] grant, end in
      guard let job = execJob else {
        return note(.stintBegan(budget: grant, end: end, restoredSequence: nil, workTime: .zero))
      }
      job.stintBegan(grant: grant, end: end)
    }
    hooks.recordMovedEnd = { [unowned self] end in
      guard let job = execJob?.job else { return note(.deadlineMoved(to: end)) }
      job.record(.deadlineMoved(to: end), durably: true)
    }
    hooks.expiryAnnounced = { [unowned self] reason, deadline, openTasks in
      if case .signal = reason { state.withLock { $0.asked = true } }
      let event = JournalEvent.expiryAnnounced(
        reason: reason, deadline: deadline, openTasks: openTasks)
      guard let job = execJob else { return note(event) }
      job.expiryAnnounced(event)
    }
    hooks.checkpoint = { [unowned self] sizeBytes, work in checkpoint(sizeBytes, work) }
    hooks.stintEnded = { [unowned self] outcome, unsaved in
      // 128 + USR1, as srun and Open MPI tell it.
      if options.launcher != .none, outcome == .stoppedInTime(.exited(128 + SIGUSR1)) {
        notice(messages.rankHasNoHandler)
      }
      let asked = state.withLock { $0.asked }
      guard let job = execJob else {
        return note(ExecJob.ended(outcome, unsaved: unsaved, asked: asked, by: options.rules))
      }
      job.stintEnded(outcome, unsaved: unsaved, asked: asked)
    }
    return hooks
  }

  /// Tells an event of a command that is no job, and so has no journal.
  private func note(_ event: JournalEvent) {
    events.withLock { $0 }?.write(JournalRecord(stamp: .init(.current()), content: .event(event)))
  }

  // MARK: Ticks

  private func ticked(_ report: StatusReport) {
    let found = job.withLock { $0 }
    var report = report
    report.workTime = found?.job.workTime ?? .zero
    found?.job.ticked(
      report, teller: found?.teller, stopAsked: { [weak self] in self?.stopAsked() },
      lost: { [weak self] in self?.lost($0) })
    events.withLock { $0 }?.write(report)
    if showsProgress {
      let now = BootClock.now
      enqueue { [report] in $0.show(report, at: now) }
    }
  }

  /// A stop file is there; on the writer's thread.
  private func stopAsked() {
    guard let supervisor = state.withLock({ $0.supervisor }) else { return }
    supervisor.loop.post { [self] in
      let isNew = state.withLock { state in
        defer { state.mustStopAtCheckpoint = true }
        return !state.mustStopAtCheckpoint
      }
      guard isNew else { return }
      if options.rules.hasCheckpointFile {
        supervisor.stopAfterStint()
      } else {
        supervisor.askToEnd(by: SIGTERM)
      }
    }
  }

  /// Another process has taken the job up; on the writer's thread.
  private func lost(_ loss: StintError) {
    guard let supervisor = state.withLock({ $0.supervisor }) else { return }
    let isNew = state.withLock { state in
      defer { state.isLost = true }
      return !state.isLost
    }
    guard isNew else { return }
    say(loss.typed)
    // One that could save would put its checkpoint in the place of the other's.
    let signal = options.rules.hasCheckpointFile ? SIGKILL : SIGTERM
    supervisor.loop.post { supervisor.askToEnd(by: signal) }
  }

  private func checkpoint(_ sizeBytes: Int, _ work: Duration) {
    execJob?.checkpoint(sizeBytes: sizeBytes, work: work)
    let (supervisor, mustStop) = state.withLock { ($0.supervisor, $0.mustStopAtCheckpoint) }
    if mustStop { supervisor?.askToEnd(by: SIGTERM) }
  }

  // MARK: Saying

  private func told(_ message: SupervisorMachine.Message) {
    switch message {
    case .sending:
      if options.isVerbose { say(messages.sentence(message)) }
    case .startedAgain, .timeIsOver, .stalled, .takenForFinished:
      if !options.isQuiet { say(messages.sentence(message)) }
    // A program that does a piece in each run would hear it each time.
    case .notDone: notice(messages.sentence(message))
    case .noStintsLeft, .stalledTooOften, .notStarted, .dumpedCore, .noRestartsLeft, .noProgress,
      .leftBehind:
      say(messages.sentence(message))
    }
  }

  private func isFirst(_ notice: String) -> Bool {
    state.withLock { $0.noticed.insert(notice).inserted }
  }

  /// Says something at most once.
  private func notice(_ sentence: String) {
    if !options.isQuiet, isFirst(sentence) { say(sentence) }
  }

  private func say(_ sentence: String) {
    enqueue { $0.complain(sentence) }
  }

  private func enqueue(_ body: @escaping @Sendable (ProgressDisplay) -> Void) {
    thread().enqueue { [display] in body(display) }
  }

  /// The writer's thread, made when there is something to write.
  private func thread() -> SerialThread {
    writer.withLock { thread in
      let found = thread ?? SerialThread(name: "stint-write")
      thread = found
      return found
    }
  }

  /// Says how it ended, and waits until everything is written, but not for ever.
  private func finish(_ exit: SupervisorExit) {
    let found = job.withLock { $0 }
    LastMoment.set(BootClock.now.advanced(by: Self.journalMayTake + Self.lastWordsMayTake))
    let isLost = state.withLock { $0.isLost }
    if let found, !options.isQuiet, !isLost, exit == .status(options.rules.unfinishedStatus) {
      let elapsed = launchedAt.duration(to: BootClock.now).compactText
      let job = found.job.job
      enqueue { display in
        let next = job.displacement().map { ". \($0)" }
        let sentence =
          "Not finished after \(elapsed)\(next ?? "; run the same command again to continue.")"
        display.complain(sentence)
      }
    }
    if !options.isQuiet, options.time != nil, exit == .status(SupervisorExit.timedOut) {
      say(messages.timedOut(after: launchedAt.duration(to: BootClock.now)))
    }
    if let found { found.job.end(found.teller) }
    writer.withLock { $0 }?.flush(
      within: found == nil ? Self.lastWordsMayTake : Self.journalMayTake)
    events.withLock { $0 }?.flush(within: Self.lastWordsMayTake)
  }

  /// A word that was to be a duration and is no command either is a wrong command line.
  private func statusOfMistake(_ exit: SupervisorExit) -> SupervisorExit {
    options.mistakenDuration != nil && exit == .status(SupervisorExit.notFound)
      ? .status(SupervisorExit.cannotSupervise) : exit
  }
}
