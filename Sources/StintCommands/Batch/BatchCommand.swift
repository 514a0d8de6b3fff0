import StintCore
import StintRuntime

extension SerialThread: BatchLane {}

/// `stint batch`: from the validated options to a session that runs.
struct BatchCommand {
  let options: BatchOptions
  let surroundings: Surroundings
  let kinds: KindTable
  let launchedAt: Instant
  let signals: SignalWatch

  /// Checks what can be checked at once, then runs until the process ends.
  ///
  /// - Throws: ``StintError`` for what is refused before the lines are read.
  func run() throws -> Never {
    let settings = try BatchSettings(
      options, processors: Processors.available(), launchedAt: launchedAt)
    if let (grant, _) = options.time.grant(since: launchedAt) {
      LastMoment.set(
        afterTripUntil: launchedAt.advanced(by: grant), lastWords: settings.stopGrace)
    }
    // Of each process: its end, its events, the two that its output is locked by; and while it is
    // started the three that it gets.
    try OpenFiles.check(needed: OpenFiles.needed + 4 * settings.places)
    try AddressSpace.check(threads: AddressSpace.threadsOfBatch)
    let source = try BatchSource(options.file, copy: ChainTie.input)
    try JobsPlace.checkCanBeFound(options.jobsDirectory)
    try JobsPlace.checkCanBeWritten(options.jobsDirectory)
    let environment = surroundings.environment
    let jobLog = try options.jobLog.map { path in
      try EventLog(path: path, name: "job log") {
        writeToStandardError("stint: \(Sentence.of($0))\n")
      }
    }
    let teller = BatchTeller(
      display: options.display, launchedAt: launchedAt, jobLog: jobLog,
      terminal: { .current(environment: environment) })
    let life = BatchLife(
      options: options, settings: settings, launchedAt: launchedAt, teller: teller)
    var hooks = InProcessSystem.Hooks()
    hooks.diagnose = { diagnostic in
      // That of a line that is overdue; it is told by its number.
      if case .terminationReported = diagnostic { return }
      teller.say("\(diagnostic)")
    }
    hooks.expiryAnnounced = { life.expiryAnnounced($0, $1, $2) }
    try BatchLife.makeHardStop()
    // At the deadline of the lines it is they who are ended, and this process goes on for what it
    // has kept for itself.
    let system = try InProcessSystem(
      policy: settings.policy(options.time.systemPolicy), termination: .report, hooks: hooks)
    life.begin(system.driver)
    LastMoment.set(nil)
    signals.start { life.signalCame($0) }
    life.lane.enqueue {
      do {
        life.started(try session(source, settings, system.driver, life, teller))
      } catch {
        life.refused(StintError(wrapping: error, while: "reading the lines"))
      }
    }
    MainQueue.serve()
  }

  /// Reads the lines and opens the batch's directory; on the lane.
  private func session(
    _ source: BatchSource, _ settings: BatchSettings, _ driver: SystemDriver, _ life: BatchLife,
    _ teller: BatchTeller
  ) throws -> BatchSession {
    var surroundings = surroundings
    surroundings.jobsDirectory = options.jobsDirectory
    let lines = LineReader(
      surroundings: surroundings, needsOutput: options.display.json,
      lead: options.time.isUnlimited ? nil : settings.lead, kinds: kinds)
    let reading = try BatchReader(lines: lines).read(try source.read(), from: source.name)
    reading.notices.forEach(teller.tell)
    let key = source.key(name: options.name, workingDirectory: try surroundings.folder().text)
    try JobCatalog(jobsDirectory: options.jobsDirectory)
      .refuseOtherCut(of: key.whole, kind: Kind.batch.name, into: options.shard)
    let directory = try BatchDirectory(
      parameters: options.shard?.parameters(key.parameters, of: key.whole) ?? key.parameters,
      jobsPath: options.jobsDirectory, startsOver: options.fresh,
      patience: options.time.patience(settings.sources, launchedAt: launchedAt),
      report: { teller.say($0) })
    let jobs = options.shard?.part(of: reading.jobs) ?? reading.jobs
    ChainTie.tell(directory.key)
    // Lines are run by this program, and by those that stood beside it when the batch began, so
    // that all are of one version.
    let runner = try BatchProcesses(
      program: .own(), helpers: helpers(), defaults: signals.ignoredHere, driver: driver)
    return BatchSession(
      jobs: jobs, shard: options.shard, wholeCount: reading.jobs.count, settings: settings,
      driver: driver, runner: runner, directory: directory, teller: teller, host: life,
      wallClock: StoreIdentity.current().wallClock)
  }

  /// The programs that do the work of some lines, as far as they are there.
  private func helpers() -> [(name: String, file: ProgramFile)] {
    kinds.programs.compactMap { helper in
      helper.path(besides: HelperProgram.ownPath()).flatMap { try? ProgramFile($0) }
        .map { (helper.name, $0) }
    }
  }
}
