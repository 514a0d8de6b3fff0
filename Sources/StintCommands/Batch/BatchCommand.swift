import Glibc
import StintCore
import StintRuntime

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
    let source = try BatchSource(options, copy: ChainTie.input)
    try JobsPlace.checkCanBeFound(options.jobsDirectory)
    try JobsPlace.checkCanBeWritten(options.jobsDirectory)
    let environment = surroundings.environment
    let jobLog = try options.jobLog.map { path in
      try EventLog(path: path, name: "job log") { complain($0) }
    }
    if options.jobLogFormat == .parallel, let path = options.jobLog, Self.isEmpty(path) {
      jobLog?.write({ BatchRecord.headerOfParallel })
    }
    try checkPlaces()
    let teller = BatchTeller(
      display: options.display, launchedAt: launchedAt, jobLog: jobLog,
      terminal: { .current(environment: environment) },
      form: BatchTeller.Form(options, workingDirectory: try surroundings.folder()))
    let opened = Protected<BatchOpening?>(nil)
    var hooks = InProcessSystem.Hooks()
    hooks.diagnose = { diagnostic in
      // That of a line that is overdue; it is told by its number.
      if case .terminationReported = diagnostic { return }
      teller.say("\(diagnostic)")
    }
    hooks.expiryAnnounced = { reason, deadline, tasks in
      opened.withLock { $0 }?.expiryAnnounced(reason, deadline, tasks)
    }
    try BatchOpening.makeHardStop()
    // At the deadline of the lines it is they who are ended, and this process goes on for what it
    // has kept for itself.
    let system = try InProcessSystem(
      policy: settings.policy(options.time.systemPolicy), termination: .report, hooks: hooks)
    let opening = BatchOpening(options, driver: system.driver, teller: teller)
    opened.withLock { $0 = opening }
    let status = options.unfinishedExitCode
    let life = ProcessLife(
      settings.lifeRules(
        leave: { $0.leave(unfinished: status) },
        stoppedWhileOpening: { opening.stopped(by: $0) }), driver: system.driver,
      sources: settings.sources)
    // The hard stop that was set for reading the options is replaced by that of the trip.
    opening.begin(life, launchedAt: launchedAt)
    signals.start { life.signalCame($0) }
    let lane = SerialThread(name: "stint-batch")
    lane.enqueue {
      do {
        let session = try session(source, settings, life, opening, teller, lane)
        opening.isOver(session)
        life.begin(session, launchedAt: launchedAt)
      } catch {
        opening.refused(StintError(wrapping: error, while: "reading the lines"))
      }
    }
    MainQueue.serve()
  }

  /// Reads the lines and opens the batch's directory; on the lane.
  private func session(
    _ source: BatchSource, _ settings: BatchSettings, _ life: ProcessLife, _ opening: BatchOpening,
    _ teller: BatchTeller, _ lane: any Lane
  ) throws -> BatchSession {
    var surroundings = surroundings
    surroundings.jobsDirectory = options.jobsDirectory
    surroundings.relativeJobsDirectory = options.relativeJobsDirectory
    surroundings.keyVariables = options.terms.environment
    let lines = LineReader(
      surroundings: surroundings, needsOutput: options.display.json,
      lead: options.time.isUnlimited ? nil : settings.lead, kinds: kinds)
    let reading = try source.reading(by: lines, options)
    reading.notices.forEach(teller.tell)
    let whole = source.forms(
      options.terms, workingDirectory: try surroundings.folder().text,
      jobsDirectory: options.jobsDirectory)
    let catalog = try JobCatalog(jobsDirectory: options.jobsDirectory)
    for key in whole.keys {
      try catalog.refuseOtherCut(of: key, kind: Kind.batch.name, into: options.shard)
    }
    let forms = options.shard.map(whole.part) ?? whole
    // One without is a batch that an older version named.
    if let name = forms.chosen(in: options.jobsDirectory, fileSystem: PosixFileSystem()).name {
      try JobTerms.check(name)
    }
    let directory = try BatchDirectory(
      forms: forms, command: Environment.ownCommand,
      jobsPath: options.jobsDirectory, startsOver: options.fresh,
      patience: options.time.patience(settings.sources, launchedAt: launchedAt),
      report: { teller.say($0) })
    var part = options.shard.map { reading.lines.part($0) } ?? reading.lines
    part.takeKeys(of: directory.log.entries)
    ChainTie.tell(directory.key)
    // Lines are run by this program, and by those that stood beside it when the batch began, so
    // that all are of one version.
    let runner = try BatchProcesses(
      program: .own(), helpers: helpers(), defaults: signals.ignoredHere, driver: life.driver,
      standardInput: options.standardInput)
    let driver = Confined(to: lane) { confined in
      BatchDriver(
        lines: part, shard: options.shard, wholeCount: reading.lines.count, settings: settings,
        life: life, ownTask: opening.ownTask, runner: runner, directory: directory, teller: teller,
        wallClock: StoreIdentity.current().wallClock, confined: confined)
    }
    return BatchSession(
      driver, on: lane, life: life, runner: runner, teller: teller,
      ending: BatchSession.Ending(
        launchedAt: launchedAt, display: options.display,
        unfinishedStatus: options.unfinishedExitCode))
  }

  private static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size == 0
  }

  /// Refuses a place for results that cannot be made, and a standard input that cannot be read.
  private func checkPlaces() throws {
    if let folder = options.results {
      guard mkdir(folder, 0o777) == 0 || errno == EEXIST, access(folder, W_OK | X_OK) == 0 else {
        throw StintError(
          .cannotCreate,
          "The folder \(folder) of --results cannot be used: \(String(cString: strerror(errno))).",
          errno: errno)
      }
    }
    guard access(options.standardInput, R_OK) == 0 else {
      throw StintError(
        .io,
        "The file \(options.standardInput) of --stdin-from cannot be read: "
          + "\(String(cString: strerror(errno))).", errno: errno)
    }
  }

  /// The programs that do the work of some lines, as far as they are there.
  private func helpers() -> [(name: String, file: ProgramFile)] {
    kinds.programs.compactMap { helper in
      helper.path(besides: HelperProgram.ownPath()).flatMap { try? ProgramFile($0) }
        .map { (helper.name, $0) }
    }
  }
}
