import CStint
import Glibc
import StintCore
import StintRuntime

/// Runs one request of the queue: a process of its own, which holds the request's lock, is the
/// system for the request's work, and writes down how the work ended (Q6).
///
/// Whoever serves the queue only starts it. So a kill of one of the two costs nothing that the
/// other one would have to know.
final class Attendant: Sendable {
  /// How much of what the work prints is kept: its beginning, and its end twice.
  private static let (keptFirst, keptLast): (Int64, Int64) = (64 << 10, 8 << 20)
  /// How often the end of a run is written down, a second apart, when this process is to end.
  private static let lastTries = 10
  /// How long the network or the power may be gone (Q3).
  private static let lossMayTake = Duration.seconds(10)
  private static let tick = Duration.milliseconds(250)

  struct State {
    var supervisor: CommandSupervisor?
    /// Why the work was told to end before its time, if it was.
    var told: RequestStanding.End?
    var end: RequestStanding.End?
    var notStarted: CommandStartFailure?
    /// Since when a requirement is missing.
    var lossSince: Instant?
    var wasSimulated = false
    /// Whether the work is to end at once.
    var wasInsisted = false
    /// Whether the program of an application has nothing more to do, and was told to end for that.
    var isDone = false
  }

  let store: QueueStore
  let lock: RequestLock
  /// For what the program of an application is launched; nil for other work.
  private let program: ApplicationLaunch?
  private let catalog: JobCatalog
  private let launchedAt: Instant
  /// When whoever serves the queue has to be gone; nil for never.
  private let until: Instant?
  /// What the work prints to; nil if it cannot be opened.
  private let output: OpenFile?
  let state = Protected(State())

  private var request: QueuedRequest { lock.request }

  /// Runs a request in a process that was made for it, which ends here.
  static func main(_ id: String, in jobsPath: String, until: Instant?) -> Never {
    do {
      let signals = try SignalDescriptor()
      let attendant = try Attendant(
        id, in: QueueStore(jobsPath: jobsPath), launchedAt: BootClock.now, until: until)
      try attendant?.run(signals: signals)
      _exit(ExitStatus.finished)
    } catch {
      let error = StintError(wrapping: error, while: "running the request \(id)")
      complain(error)
      _exit(ExitStatus.of(error))
    }
  }

  /// Takes a request that is due; nil if somebody else has it, or it is not to begin any more.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  init?(_ id: String, in store: QueueStore, launchedAt: Instant, until: Instant?) throws {
    guard let lock = try store.take(id), lock.request.standing.state == .waiting,
      !lock.isSet(.stop), !lock.isSet(.pause), !lock.isSet(.cancel)
    else { return nil }
    self.lock = lock
    self.store = store
    program = try ApplicationLaunch(of: lock.request, in: store)
    if lock.request.terms.work == .application, program == nil {
      // Somebody else has started the program, or it has taken its request back.
      for marker in [QueueStore.Marker.launch, .fetch] { lock.clear(marker) }
      return nil
    }
    self.launchedAt = launchedAt
    self.until = until
    catalog = try JobCatalog(jobsDirectory: store.jobsPath)
    output = try? lock.openOutput()
  }

  /// Runs the work and writes down how it ended.
  ///
  /// - Throws: ``StintError`` with the code `io` if that cannot be written down.
  func run(signals: SignalDescriptor) throws {
    let before = durablePoints
    let forced = lock.isSet(.launch)
    try lock.update { $0.standing.workBegan(now: .now) }
    if forced { lock.clear(.launch) }
    // Those of an earlier run are not meant for this one.
    clearSimulation()
    if program != nil { lock.clear(.fetch) }
    let end = try perform(signals)
    let terms = request.terms
    let hasGrown = durablePoints > before
    let isStopped = lock.isSet(.stop)
    try writeDown {
      $0.standing.workEnded(end, terms, madeProgress: hasGrown, now: .now)
      if isStopped { $0.standing.stopAsked(now: .now) }
    }
    clearSimulation()
    try lock.obeyCancel()
    lock.giveBack()
  }

  /// Takes away what was to be simulated in a run; a program obeys, and clears, it itself.
  private func clearSimulation() {
    if program != nil { return }
    for marker in [QueueStore.Marker.expire, .lose] { lock.clear(marker) }
  }

  /// Writes down how the work ended, however long the disk is full: without that the work would be
  /// done again.
  private func writeDown(_ change: (inout QueuedRequest) -> Void) throws(StintError) {
    var tries = 0
    while true {
      do throws(StintError) {
        return try lock.update(change)
      } catch {
        // Somebody has removed the request.
        if error.errno == ENOENT { throw error }
        tries += 1
        if tries == 1 {
          complain(
            "The end of request \(request.id) cannot be written down, and is tried again: "
              + error.message)
        }
        // Somebody wants this process to end, and has waited long enough.
        if SignalWatch.pending() != nil, tries > Self.lastTries { throw error }
        poll(nil, 0, 1_000)
      }
    }
  }

  private func perform(_ signals: SignalDescriptor) throws -> RequestStanding.End {
    let launch = request.terms.launch
    guard let output else {
      complain("The output of request \(request.id) cannot be opened in \(lock.path).")
      return .hindered(status: ExitStatus.io)
    }
    guard chdir(launch.directory) == 0 else {
      say("The folder \(launch.directory) cannot be entered: \(String(cString: strerror(errno))).")
      return .hindered(status: ExitStatus.io)
    }
    if let mask = launch.umask { umask(mode_t(mask)) }
    let supervisor = try CommandSupervisor(
      setup: setup(printingTo: output), signals: signals, hooks: hooks())
    state.withLock { $0.supervisor = supervisor }
    _ = supervisor.run()
    boundOutput()
    let (end, told, failure) = state.withLock { ($0.end, $0.told, $0.notStarted) }
    if let failure {
      say("\(launch.words[0]) cannot be started: \(String(cString: strerror(failure.errno))).")
      return .failed(status: failure.exitStatus, isCertain: true)
    }
    if case .chain = request.terms.work { return told == .stopped ? .stopped : .slice }
    if let program { return endOfApplication(end ?? told ?? .interrupted, program) }
    // Asked to end before its process was there.
    return end ?? told ?? .interrupted
  }

  private func setup(printingTo output: OpenFile) -> CommandSupervisor.Setup {
    let terms = request.terms
    var command = CommandSpecification(terms.launch.words)
    command.kept = [lock.descriptor]
    // This process ignores them, and a command is to die of them.
    command.defaults = [SIGPIPE, SIGXFSZ]
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    command.standard = [null, output.descriptor, output.descriptor]
    var variables = [
      QueueSlice.requestVariable: request.id,
      QueueSlice.runVariable: String(request.standing.runs),
      "STINT_JOBS": catalog.jobsPath, "PWD": terms.launch.directory,
    ]
    if terms.work == .command { variables[ChainTie.variable] = lock.path }
    var sources: [any BudgetSource] = []
    if let time = program?.time ?? terms.time { sources.append(FixedBudget(time)) }
    if let until { sources.append(UntilBudget(until)) }
    let all = BudgetSources(sources)
    var policy = program == nil ? SystemPolicy.commandLine : .ofApplication
    if let grant = all.grant(ofTripSince: launchedAt) {
      policy = policy.withBudget(grant, lead: terms.lead)
    }
    // The work is told an end that leaves the rest for what follows it.
    let tail = sources.isEmpty ? Duration.zero : policy.lead / 5
    if let end = all.end(ofTripSince: launchedAt)?.instant {
      variables[QueueSlice.endVariable] = QueueSlice.text(ofEnd: end.advanced(by: .zero - tail))
    }
    // A link's work warns itself by the end that it is told; what overstays that is told again.
    if case .chain = terms.work, !sources.isEmpty { policy = policy.withLead(tail) }
    command.variables = variables
    let rules = SupervisorRules(
      style: .budget, stopLead: policy.lead, stopGrace: TimeOptions.Defaults.stopGrace)
    var setup = CommandSupervisor.Setup(
      command: command, rules: rules, policy: policy, launchedAt: launchedAt)
    setup.sources = all
    setup.untoldTail = tail
    setup.tick = Self.tick
    setup.isWatched = true
    setup.stopsWithCommand = false
    // A chain's link has its own ways.
    if terms.work == .command { setup.channel = SocketChannel() }
    if let program { setup.channel = channel(of: program) }
    return setup
  }

  private func hooks() -> CommandSupervisor.Hooks {
    var hooks = CommandSupervisor.Hooks()
    hooks.say = { [unowned self] message in
      if case .notStarted(let failure) = message {
        state.withLock { $0.notStarted = failure }
      }
    }
    hooks.expiryAnnounced = { [unowned self] reason, _, _ in
      guard case .signal = reason else { return }
      // A signal to this process, unless a marker asked for it.
      state.withLock { $0.told = $0.told ?? .interrupted }
    }
    hooks.stintEnded = { [unowned self] outcome, _ in
      guard let outcome else { return }
      state.withLock { $0.end = Self.end(outcome, told: $0.told) }
    }
    hooks.ticked = { [unowned self] _ in
      boundOutput()
      lookAtMarkers()
      lookAtConditions()
    }
    return hooks
  }

  /// What a stint of the command means for the request.
  static func end(
    _ outcome: SupervisorMachine.StintOutcome, told: RequestStanding.End?,
    isTold: Bool = SignalWatch.pending() != nil
  ) -> RequestStanding.End {
    switch outcome {
    case .finished: .finished
    case .asksAgain: told == .stopped ? .stopped : .unfinished
    case .leftUnfinished, .stoppedInTime, .killed: told ?? .cut
    case .interrupted(let number): told ?? (isTold ? .interrupted : .crashed(signal: number))
    // A command may take the signal that told it to end for a failure.
    case .failed where told != nil: told ?? .interrupted
    case .failed(let status) where [ExitStatus.unavailable, ExitStatus.io].contains(status):
      .hindered(status: status)
    case .failed(128 + SIGKILL): .crashed(signal: SIGKILL)
    case .failed(let status):
      .failed(status: status, isCertain: [64, 65, 70, 73].contains(status))
    // Where the whole machine goes down, this process is told in the same moment.
    case .crashed(let number, _): told ?? (isTold ? .interrupted : .crashed(signal: number))
    case .notRun: told ?? .interrupted
    }
  }

  /// How much the job of the work has durably, as a number that grows.
  private var durablePoints: UInt64 {
    let file = "\(lock.path)/\(ChainJob.work)"
    guard request.terms.work == .command,
      let bytes = try? JobFileContents.bytes(of: file, atMost: 1 << 16)
    else { return 0 }
    let key = String(decoding: bytes, as: UTF8.self)
    guard JobKey.isKey(key) else { return 0 }
    return catalog.summary(of: key).journal.lastCheckpoint?.sequence ?? 0
  }

  /// Writes a sentence among what the work prints.
  private func say(_ sentence: String) {
    guard let output else { return }
    let line = Array("stint: \(sentence)\n".utf8)
    _ = line.withUnsafeBytes { write(output.descriptor, $0.baseAddress, $0.count) }
  }

  private func boundOutput() {
    guard let output else { return }
    _ = stint_bound_file(output.descriptor, Self.keptFirst, Self.keptLast)
  }

  // MARK: What others want

  /// Looks at each tick: to be told by the kernel would cost each run ten milliseconds at its end,
  /// in which a watch is taken down.
  private func lookAtMarkers() {
    if lock.isSet(.stop) {
      ask(.stopped)
      return lock.text(of: .stop) == QueueStore.now ? insist() : ()
    }
    if lock.isSet(.pause) { return ask(.interrupted) }
    // A program obeys the others itself.
    guard program == nil, !state.withLock({ $0.wasSimulated }) else { return }
    if lock.isSet(.expire) {
      lock.clear(.expire)
      state.withLock { $0.wasSimulated = true }
      expire(because: .timeElapsed)
    } else if lock.isSet(.lose) {
      lock.clear(.lose)
      state.withLock { $0.wasSimulated = true }
      lose(request.terms.needs.requirements.first ?? .network)
    }
  }

  /// Asks the work to save and end, once.
  private func ask(_ end: RequestStanding.End) {
    let supervisor = state.withLock { state -> CommandSupervisor? in
      guard state.told == nil else { return nil }
      state.told = end
      return state.supervisor
    }
    supervisor?.askToEnd(by: SIGTERM)
  }

  /// Lets the work no more time to save.
  private func insist() {
    let supervisor = state.withLock { state -> CommandSupervisor? in
      guard !exchange(&state.wasInsisted, with: true) else { return nil }
      return state.supervisor
    }
    guard let supervisor else { return }
    // A signal that comes sooner would belong to the first.
    let later = BootClock.now.advanced(by: SupervisorRules.leastBetweenSignals * 2)
    supervisor.loop.schedule(at: later) { supervisor.askToEnd(by: SIGTERM) }
  }

  private func lose(_ requirement: TaskRequirement) {
    state.withLock { $0.told = $0.told ?? .interrupted }
    expire(because: .requirementLost(requirement))
  }

  private func expire(because reason: ExpiryReason) {
    guard let supervisor = state.withLock({ $0.supervisor }) else { return }
    if supervisor.driver.lifeState == .background { return supervisor.driver.revoke(reason) }
    // Its time has no end that could be moved.
    supervisor.askToEnd(by: SIGTERM)
  }

  /// A loss of network or power that lasts ends the run (Q3).
  private func lookAtConditions() {
    let requirements = request.terms.needs.requirements
    guard !requirements.isEmpty else { return }
    let conditions = MachineConditions.read()
    guard let lost = requirements.first(where: { !conditions.meet($0) }) else {
      return state.withLock { $0.lossSince = nil }
    }
    let now = BootClock.now
    let since = state.withLock { state in
      state.lossSince = state.lossSince ?? now
      return state.lossSince ?? now
    }
    if since.duration(to: now) >= Self.lossMayTake { lose(lost) }
  }
}

extension WallInstant {
  /// The wall clock.
  static var now: WallInstant { WallInstant(nanoseconds: stint_wall_ns()) }
}
