import CStint
import Dispatch
package import StintCore

/// Plays the system for a command: starts it, gives it time, and sees to it that the time is kept.
///
/// The proven ``SystemMachine`` grants and expires, driven by a ``SystemDriver`` whose effects are
/// the command's; the ``SupervisorMachine`` says what an expiry means for a process. Everything
/// happens on the loop's thread, which must be main. The children that
/// the process gets are taken for the command's and are reaped, or killed with it; those that it
/// starts for itself are spared (`CommandSpecification.isSpared`).
package final class CommandSupervisor: Sendable {
  /// What is to be supervised, and how.
  package struct Setup: Sendable {
    /// The command.
    package var command: CommandSpecification
    /// How it is warned, stopped and started again.
    package var rules: SupervisorRules
    /// The numbers by which it is granted time.
    package var policy: SystemPolicy
    /// When the first stint's clock began.
    package var launchedAt: Instant
    /// Who says when a stint ends.
    package var sources = BudgetSources([])
    /// Whether the command may take longer after a signal than its rules say, where a source knows
    /// that the system behind it allows that.
    package var takesGraceOfSources = false
    /// Called when a rest is over: calls back, on any thread, when nobody has asked for an end.
    package var beforeNextStint: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    /// How much of a grant the command is not told of: the part after its announced end.
    package var untoldTail = Duration.zero
    /// How long after its deadline a command that is still there is killed; for a system that is
    /// late, as batch schedulers are.
    package var enforcedLate = Duration.zero
    /// The files by which it tells how far it is.
    package var files = CommandFiles()
    /// The time between two looks at them, and between two reports.
    package var tick = Duration.milliseconds(500)
    /// Whether to report at every tick although there are no files.
    package var isWatched = false
    /// Stints of earlier processes that came to nothing in a row.
    package var fruitlessStints = 0
    /// All stints of earlier processes.
    package var earlierStints = 0
    /// Those of them that came after the work was finished last, which the rules bound.
    package var earlierStintsOfWork = 0
    /// Which launcher of ranks the command is, or starts.
    package var launcher = CommandLauncher.none
    /// Sends a signal to the ranks of some `srun`s; called on a thread that may wait for Slurm.
    package var reachRanks: @Sendable ([Int32], Int32) -> RankReach = { _, _ in .silent }
    /// Through which the command may ask for time itself.
    package var channel: SocketChannel?
    /// Whether a command that is stopped stops its supervisor with it, as at a terminal.
    package var stopsWithCommand = true

    /// Describes a command without an end of its time.
    package init(
      command: CommandSpecification, rules: SupervisorRules, policy: SystemPolicy,
      launchedAt: Instant
    ) {
      self.command = command
      self.rules = rules
      self.policy = policy
      self.launchedAt = launchedAt
    }
  }

  /// Who is told.
  ///
  /// All are called on the supervisor's thread and must not block, because a kill would wait for
  /// them.
  package struct Hooks: Sendable {
    /// Something that the user should know.
    package var say: @Sendable (SupervisorMachine.Message) -> Void = { _ in }
    /// Something that the system noticed.
    package var diagnose: @Sendable (Diagnostic) -> Void = { _ in }
    /// A stint began with this grant, or without an end.
    package var stintBegan: @Sendable (Duration?, Deadline?) -> Void = { _, _ in }
    /// The end of the trip has moved; called on a thread that may wait for a disk.
    package var recordMovedEnd: @Sendable (Deadline?) -> Void = { _ in }
    /// Time ends soon.
    package var expiryAnnounced: @Sendable (ExpiryReason, Instant, [String]) -> Void = { _, _, _ in
    }
    /// The checkpoint file has changed: its size, and how long the stint ran since it began or
    /// since the one before.
    package var checkpoint: @Sendable (_ sizeBytes: Int, _ work: Duration) -> Void = { _, _ in }
    /// A stint is over: what it was, or nil if the command was only suspended; and how long it ran
    /// since the last checkpoint.
    package var stintEnded: @Sendable (SupervisorMachine.StintOutcome?, Duration) -> Void = {
      _, _ in
    }
    /// The progress file begins with these words, which say nothing.
    package var unreadableProgress: @Sendable (String) -> Void = { _ in }
    /// The checkpoint has more files than are looked at.
    package var checkpointIsCutOff: @Sendable () -> Void = {}
    /// Slurm does not answer, so the ranks cannot be warned.
    package var ranksAreOutOfReach: @Sendable () -> Void = {}
    /// A tick.
    package var ticked: @Sendable (StatusReport) -> Void = { _ in }
    /// Processes of the command live on after its end, because they cannot be found.
    package var familyIsHidden: @Sendable () -> Void = {}
    /// A signal came that does not ask for an end; the command has it, if one runs.
    package var passedOn: @Sendable (Int32) -> Void = { _ in }

    /// Creates hooks that do nothing.
    package init() {}
  }

  struct State {
    var machine: SupervisorMachine
    var exit: SupervisorExit?
    var task: BackgroundTaskIdentifier?
    var process: CommandProcess?
    /// The process has ended, and the machine knows.
    var hasEnded = false
    /// Everything that is found of the command is killed.
    var isSweeping = false
    /// Its time ends, or somebody asked it to end: nothing of it may be left behind.
    var mustLeaveNothing = false
    var wake: EventLoop.Token?
    var stints = 0
    /// When the trip ends, whatever is asked for.
    var tripEnd = Instant.distantFuture
    /// The process that stands still until the terminal is its own.
    var awaitingTerminal: CommandProcess?
    var stintBegan = Instant.distantFuture
    /// When the work began that no checkpoint holds yet.
    var unsavedSince = Instant.distantFuture
    /// What the files were like at the last look; nil before one was answered.
    var lastLook: CommandFiles.Look?
    var lastCheckpoint: Instant?
    /// A look at the files is under way.
    var isLooking = false
    var isPrompt = false
    /// How long the progress and the checkpoint stand still.
    var stalledFor = Duration.zero
    var lastLookedAt: Instant?
    var stallMark: CommandFiles.Mark?
    /// Whether a signal that asked it to end was sent in this stint, and whether it heard one.
    var wasTold = false
    /// Its `srun` had no step yet when it was asked to end, so that no rank had to save.
    var hadNoRanks = false
    /// Until when its `srun` is left alone that kills the ranks; nil if none does.
    var ranksEnd: Instant?
    var heard = false
    /// What it left behind is gone, and the files are looked at for the last time.
    var isLookingLast = false
    /// The last look at its files was not answered.
    var isUnseen = false
  }

  let setup: Setup
  let hooks: Hooks
  /// Where everything happens.
  package let loop: EventLoop
  /// The system that grants and expires.
  package let driver: SystemDriver
  let signals: SignalDescriptor
  let state: MachineDriver<State, SupervisorMachine.Action>
  let terminal: CommandTerminal?
  let freezer: CommandFreezer?
  let follower: BudgetFollower
  let looking = Protected<SerialThread?>(nil)
  let watch: Protected<CommandFileWatch>

  /// Creates the supervisor of a command that has not been started.
  ///
  /// - Parameters:
  ///   - setup: What is to be supervised.
  ///   - signals: Opened before any thread was made.
  ///   - hooks: Who is told.
  /// - Throws: ``StintError`` with the code `unavailable`.
  package init(setup: Setup, signals: SignalDescriptor, hooks: Hooks) throws(StintError) {
    self.setup = setup
    self.hooks = hooks
    self.signals = signals
    loop = try EventLoop()
    let environment = SupervisorEnvironment(loop: loop)
    driver = SystemDriver(policy: setup.policy, environment: environment)
    let machine = SupervisorMachine(
      rules: setup.rules, fruitlessStints: setup.fruitlessStints, stints: setup.earlierStintsOfWork)
    state = MachineDriver(State(machine: machine))
    terminal = setup.rules.isForeground ? nil : CommandTerminal()
    freezer = setup.rules.suspends ? CommandFreezer() : nil
    follower = BudgetFollower(setup.sources)
    watch = Protected(CommandFileWatch(setup.files))
    environment.obey(
      SupervisorEnvironment.Orders(
        deadlineCame: { [weak self] cause in self?.deadlineCame(cause) },
        expiryAnnounced: hooks.expiryAnnounced, diagnose: hooks.diagnose))
  }

  /// Runs the command, stint after stint if that was asked for, and returns when nothing is left to
  /// be done.
  ///
  /// - Returns: How this process should end.
  package func run() -> SupervisorExit {
    // Orphans come to this process, so that none is out of reach at the deadline.
    stint_adopt_orphans(1)
    driver.add(self)
    driver.launch(.foreground)
    driver.becomeActive()
    loop.watch(signals.descriptor) { self.takeSignals() }
    // What came while this process started is heard before anything begins.
    takeSignals()
    if state.withLock({ $0.exit == nil }) {
      handle { $0.begun(now: $1) }
      scheduleTick()
      loop.run()
    }
    loop.unwatch(signals.descriptor)
    freezer?.remove()
    return state.withLock { $0.exit } ?? .status(SupervisorExit.cannotSupervise)
  }

  /// Takes note of whether the command asks its system for time itself: then it is told of its end
  /// there, and needs no signal for it.
  package func hearCommand() {
    guard let channel = setup.channel else { return }
    let speaks = channel.isSpeaking
    handle { speaks ? $0.adopted(now: $1) : $0.conversationEnded(now: $1) }
  }

  /// Ends the command as a signal to this process would (W11).
  package func askToEnd(by number: Int32) {
    signalCame(number, reachedCommand: false)
  }

  /// Lets no further stint begin, and ends a command that is suspended.
  package func stopAfterStint() {
    handle { $0.stopRequested(now: $1) }
  }

  /// Gives the machine an event and performs what it causes; inside another event's actions, after
  /// those.
  func handle(
    _ event: (inout SupervisorMachine, Instant) -> [SupervisorMachine.Action]
  ) {
    state.handle({ event(&$0.machine, BootClock.now) }, perform: perform)
  }

  private func deadlineCame(_ cause: TerminationCause) {
    guard setup.enforcedLate > .zero else { return enforceDeadline(cause) }
    loop.schedule(at: BootClock.now.advanced(by: setup.enforcedLate)) { [weak self] in
      self?.enforceDeadline(cause)
    }
  }

  private func enforceDeadline(_ cause: TerminationCause) {
    setup.channel?.terminating(cause)
    let tripEnd = state.withLock { state in
      state.mustLeaveNothing = true
      return state.tripEnd
    }
    handle { $0.deadlineCame(tripEnd: tripEnd, now: $1) }
  }

  /// The command's process; nil while there is none.
  package var processID: Int32? { state.withLock { $0.process?.processID } }

  /// How the command stands now, but for its work time.
  func report() -> StatusReport {
    let now = BootClock.now
    let remaining = driver.remainingTime.trimmed(by: setup.untoldTail)
    return state.withLock { state in
      var progress = state.lastLook?.progress ?? WorkProgress(fraction: 0, phase: "")
      if progress.phase.isEmpty { progress.phase = "running" }
      return StatusReport(
        state: StatusReport.State(state.machine.phase), progress: progress, remaining: remaining,
        checkpointAge: state.lastCheckpoint.map { $0.duration(to: now) },
        stint: state.stints + setup.earlierStints, elapsed: setup.launchedAt.duration(to: now))
    }
  }
}

extension StatusReport.State {
  fileprivate init(_ phase: SupervisorMachine.Phase) {
    self =
      switch phase {
      case .idle, .running: .running
      case .expiring, .emptying, .killed: .saving
      case .suspended, .resting: .waiting
      case .ended: .finished
      }
  }
}
