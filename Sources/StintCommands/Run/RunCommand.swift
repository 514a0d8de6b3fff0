import Glibc
import StintCore
package import StintRuntime

/// `stint run`: from the validated options to a worker that runs.
package struct RunCommand {
  let options: RunOptions
  let start: RunStart

  /// Checks everything that can be checked before the work, then runs until the process ends.
  ///
  /// The computation that is made delivers its result to the output, where a long number may be
  /// shown by its ends.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  package func run<Computation: ChunkedComputation>(
    estimate: some RunEstimate, showsEnds: Bool, make: (ResultOutput) throws -> Computation
  ) throws -> Never {
    start.limitOpening(options)
    try OpenFiles.check()
    let threads = AddressSpace.threadsOfRun + options.threadCount
    try AddressSpace.check(threads: threads)
    let destination =
      try options.outputFolder.map { try OutputDestination(folder: $0) }
      ?? OutputDestination(options.output)
    if options.isDryRun {
      try StandardOutput().write(
        DryRun.render(estimate, time: options.time, json: options.display.json))
      exit(ExitStatus.finished)
    }
    if options.display.json, destination.target == .descriptor(STDOUT_FILENO) {
      throw StintError(
        .usage, "--json needs --output FILE, because standard output carries the result.")
    }
    try checkEvents(against: destination)
    let file = OutputFile(destination, replacesOthers: options.force)
    let environment = start.environment
    let display = ProgressDisplay(
      quiet: options.display.quiet, silence: .seconds(1), every: ChainTie.plainDistance,
      terminal: { .current(environment: environment) })
    let output = ResultOutput(
      file: file, showsEnds: showsEnds,
      terminal: .current(descriptor: STDOUT_FILENO, environment: environment), display: display)
    let computation = try make(output)
    let sources = try sources()
    if options.isIsolated, start.invitation == nil {
      try IsolatedRun(
        options: options, start: start, sources: sources, memoryBytes: estimate.memoryBytes
      ) {
        try openJob(
          of: computation, output: destination.path, sources, display: display, goesOn: true)
      }.run()
    }
    let goesOn = IsolatedRun.goesOn(start.environment)
    let startsOver = options.fresh && !goesOn
    let job = try openJob(
      of: computation, output: destination.path, sources, display: display, goesOn: goesOn)
    let existing = try file.existing(recorded: job.summary.publishing)
    if case .result = existing, job.isFinished, !startsOver {
      try finishedAlready(job, path: destination.path?.text ?? "")
    }
    try file.check(existing)
    try estimate.checkFits(
      memoryAvailable: Memory.available(threadsToCome: threads),
      diskAvailable: try Disk.available(near: job.path))
    try destination.checkSpace(forBytes: estimate.outputBytes, fileSystem: PosixFileSystem())
    try JobsPlace.hold(job)
    do {
      try compute(computation, job: job, sources, output: output, display: display)
    } catch {
      job.withdraw()
      throw error
    }
  }

  /// Who says when the time ends: nobody here, if another process grants it.
  private func sources() throws -> BudgetSources {
    try start.invitation != nil && (options.isIsolated || !options.time.hasOwnEnd)
      ? BudgetSources([]) : options.time.sources()
  }

  private func openJob(
    of computation: some ChunkedComputation, output: FilePath?, _ sources: BudgetSources,
    display: ProgressDisplay, goesOn: Bool
  ) throws -> Job {
    var jobOptions = Job.Options()
    jobOptions.jobsDirectory = options.jobsDirectory
    jobOptions.outputPath = output?.text
    jobOptions.startsOver = options.fresh && !goesOn
    jobOptions.takesOlderStop = goesOn
    jobOptions.terms = options.jobTerms
    let patience = options.time.patience(
      sources, launchedAt: start.launchedAt, offered: start.offeredDeadline)
    jobOptions.lockPatience = patience.unless { SignalWatch.pendingOrWarned() != nil }
    try JobsPlace.checkCanBeFound(options.jobsDirectory)
    let job: Job
    do {
      job = try Job(of: computation, options: jobOptions) { display.complain($0) }
    } catch let error as StintError where error.code == .busy {
      if patience.isOver() {
        display.complain("\(Sentence.of(error)) The time is up; run it again.")
      } else if SignalWatch.pendingOrWarned() == nil {
        throw error
      }
      SignalWatch.leave(unfinished: options.unfinishedExitCode)
    }
    if !job.isMaterialized { try JobsPlace.checkCanBeWritten(options.jobsDirectory) }
    ChainTie.tell(job.key)
    return job
  }

  /// Refuses to write events into the result.
  private func checkEvents(against destination: OutputDestination) throws {
    guard let path = options.display.events, case .file = destination.target,
      let events = try? OutputDestination(path), events.path == destination.path
    else { return }
    throw StintError(
      .usage, "--events and --output both name \(path); give each a file of its own.")
  }

  private func compute<Computation: ChunkedComputation>(
    _ computation: Computation, job: Job, _ sources: BudgetSources, output: ResultOutput,
    display: ProgressDisplay
  ) throws -> Never {
    let events = try options.display.events.map { path in
      try EventLog(path: path) { display.complain($0) }
    }
    if let events { job.observeRecords { events.write($0) } }
    sayWhatPipeMeans(output, display)
    if let cause = LastTermination.explain(job) { display.complain(cause) }
    var hooks = InProcessSystem.Hooks()
    hooks.diagnose = { display.complain("\($0)") }
    hooks.expiryAnnounced = { reason, deadline, openTasks in
      try? job.materialize()
      let event = JournalEvent.expiryAnnounced(
        reason: reason, deadline: deadline, openTasks: openTasks)
      job.record(event, durably: true)
    }
    let (driver, remote) = try makeSystem(hooks, display)
    let session = RunSession(
      options: options, launchedAt: start.launchedAt, job: job,
      life: ProcessLife(
        options.lifeRules(driver.policy, sources), driver: driver, remote: remote, sources: sources),
      leavesStop: IsolatedRun.isWorker(start.environment), display: display, events: events,
      output: output)
    let worker = Worker(
      computation, store: job, host: SystemWorkerHost(driver), options: session.workerOptions)
    output.tellParts(to: events)
    start.signals.start { session.life.signalCame($0) }
    session.begin(worker)
    MainQueue.serve()
  }

  /// Only one process can write on where it was cut, and an isolated run is one for each stint.
  private func sayWhatPipeMeans(_ output: ResultOutput, _ display: ProgressDisplay) {
    let time = options.time
    guard output.isPipe, !time.isUnlimited, !time.untilDone || options.isIsolated,
      !options.display.quiet, !IsolatedRun.goesOn(start.environment)
    else { return }
    display.complain(
      "The result goes to a pipe: if the time is up while it is written, the rest is not "
        + "written later. Use --until-done\(options.isIsolated ? " without --isolated" : ""), or "
        + "--output FILE.")
  }

  /// Who grants the time: a supervisor that offers it, unless this run was given an end of its own;
  /// else this process.
  private func makeSystem(
    _ hooks: InProcessSystem.Hooks, _ display: ProgressDisplay
  ) throws -> (SystemDriver, RemoteSystem?) {
    if !options.time.hasOwnEnd || options.isIsolated, let invitation = start.invitation {
      do {
        let remote = try RemoteSystem(accepting: invitation, termination: .terminate, hooks: hooks)
        // It leaves when it is suspended.
        remote.driver.suspensionFollowUp = .park
        return (remote.driver, remote)
      } catch {
        // Its signals end this run in time all the same.
        display.complain(error)
      }
    }
    start.invitation?.decline()
    let system = try InProcessSystem(
      policy: options.time.systemPolicy, termination: .terminate, hooks: hooks)
    return (system.driver, nil)
  }

  private func finishedAlready(_ job: Job, path: String) throws -> Never {
    let finish = job.summary.finish
    let size = finish.map { ReportText.grouped($0.sizeBytes) + " bytes" } ?? ""
    if options.display.json {
      try StandardOutput().write(
        ReportJSON.summary(
          job: job, output: path, report: nil, outcome: "finishedBefore",
          exitStatus: ExitStatus.finished,
          published: finish.map { .init(sizeBytes: $0.sizeBytes, checksum: $0.checksum) }) + "\n")
    }
    if !options.display.quiet {
      complain("Finished before: \(path), \(size). --fresh computes it again.")
    }
    exit(ExitStatus.finished)
  }
}
