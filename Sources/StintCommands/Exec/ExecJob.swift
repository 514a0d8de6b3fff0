import StintCore
import StintRuntime

/// The directory and the journal of a command that can be continued.
///
/// A thread of its own writes: a disk that hangs must not delay a kill. The command keeps its own
/// work; the journal tells when it changed its checkpoint file, and how its stints ended.
final class ExecJob: Sendable {
  static let kind = "exec"
  /// A job shorter than this leaves no directory.
  private static let leastKept = Duration.seconds(1)

  private struct State {
    var workTime: Duration
    var savedInStint = Duration.zero
    var fraction = 0.0
    /// The directory could not be made, and that was told.
    var hasFailed = false
  }

  let job: Job
  /// The command's files, and how they were when the job began.
  let files: CommandFiles
  private let rules: SupervisorRules
  private let thread: SerialThread
  private let state: Protected<State>
  private let say: @Sendable (String) -> Void

  /// Finds the job of a command and takes its lock.
  ///
  /// - Throws: ``StintError``: `busy` if another process runs it, `io`, `unavailable`.
  init(
    _ options: ExecOptions, in jobsDirectory: String, sources: BudgetSources, launchedAt: Instant,
    thread: SerialThread, say: @escaping @Sendable (String) -> Void
  ) throws {
    var jobOptions = Job.Options()
    jobOptions.jobsDirectory = jobsDirectory
    jobOptions.startsOver = options.fresh
    jobOptions.terms = options.terms
    jobOptions.command = Environment.ownCommand
    let patience =
      options.time?.patience(sources, launchedAt: launchedAt)
      ?? JobLock.Patience(duration: jobOptions.patience)
    jobOptions.lockPatience = patience.unless { SignalWatch.pending() != nil }
    try JobsPlace.checkCanBeFound(jobsDirectory)
    do {
      job = try Job(
        kind: Self.kind, parameters: options.parameters, stateVersion: 1, options: jobOptions,
        fileSystem: PosixFileSystem(), identity: .current(), report: say)
    } catch let error as StintError where error.code == .busy {
      // There is no command yet to which it could be sent.
      if let number = SignalWatch.pending() { SignalWatch.die(of: number) }
      if patience.isOver() {
        complain("\(Sentence.of(error)) The time is up; run it again.")
        SignalWatch.leave(unfinished: options.rules.unfinishedStatus)
      }
      throw error
    }
    ChainTie.tell(job.key)
    if !job.isMaterialized {
      try JobsPlace.checkCanBeWritten(jobsDirectory)
      try JobsPlace.hold(job, say: say)
    }
    rules = options.rules
    files = try Self.beginning(options.files, of: job)
    self.thread = thread
    self.say = say
    earlierStints = job.summary.stints
    earlierStintsOfWork = job.summary.stintsSinceFinish
    state = Protected(State(workTime: job.summary.workTime))
  }

  private static let beginningName = "beginning"
  /// The first line of that file, so that it is never empty.
  private static let beginningHeader = "stint exec 1\n"

  /// Looks up how the files were when the job began, or takes note of how they are now.
  private static func beginning(
    _ files: CommandFiles, of job: Job
  ) throws(StintError) -> CommandFiles {
    guard files.done != nil || files.progress != nil else { return files }
    var files = files
    do {
      let kept = try job.workspace.partialFile(named: beginningName)
      let size = try kept.sizeBytes
      if size > 0 {
        var bytes = [UInt8](repeating: 0, count: min(size, 4096))
        try bytes.withUnsafeMutableBytes { try kept.read(into: $0, at: 0) }
        let hasFinished = job.summary.finish != nil
        files.beginning = String(decoding: bytes, as: UTF8.self)
        // What the last run wrote says nothing of this one.
        if hasFinished { files.beginAgain() }
        guard hasFinished else { return files }
      } else if job.summary.stints == 0 {
        files.beginJob()
      } else {
        return files
      }
      let text = Array((beginningHeader + files.beginning).utf8)
      try kept.truncate(to: 0)
      try text.withUnsafeBytes { try kept.write($0, at: 0) }
      // Without its directory, the next process would take a new done file for an old one.
      if files.done != nil { try job.materialize() }
      if job.isMaterialized { try job.workspace.synchronize() }
    } catch {
      throw StintError(wrapping: error, while: "taking note of the command's files")
    }
    return files
  }

  /// How many stints in a row came to nothing before this process; the first that follows makes up
  /// for one less if it does not count, because another process had the job for most of its time.
  func fruitlessStints(until end: Instant?) -> Int {
    guard let end else { return job.stintsWithoutProgress }
    let isShort = ShortTime.isShort(
      BootClock.now.duration(to: end), leastBudget: nil, waited: job.workHistory.waited,
      repeats: true)
    return job.stintsWithoutProgress - (isShort ? 1 : 0)
  }

  /// How many stints the job had before this process.
  let earlierStints: Int

  /// How many of them came after its work was finished last.
  let earlierStintsOfWork: Int

  /// The job's own time up to its last checkpoint.
  var workTime: Duration { state.withLock { $0.workTime } }

  func stintBegan(grant: Duration?, end: Deadline?) {
    let workTime = state.withLock { state in
      state.savedInStint = .zero
      return state.workTime
    }
    thread.enqueue { [self] in
      job.record(
        .stintBegan(
          budget: grant, end: end, restoredSequence: job.summary.lastCheckpoint?.sequence,
          workTime: workTime), durably: false)
    }
  }

  func expiryAnnounced(_ event: JournalEvent) {
    keep()
    thread.enqueue { [job] in job.record(event, durably: true) }
  }

  func checkpoint(sizeBytes: Int, work: Duration) {
    let (workTime, fraction) = state.withLock { state in
      state.workTime += work
      state.savedInStint += work
      return (state.workTime, state.fraction)
    }
    keep()
    thread.enqueue { [self] in
      guard job.isStillOurs() else { return }
      job.record(
        .checkpoint(
          sequence: job.summary.lastSequence + 1, sizeBytes: sizeBytes, took: .zero,
          workTime: workTime, fraction: fraction), durably: false)
    }
  }

  /// Writes down how a stint ended; a nil outcome is a suspension, which loses nothing.
  func stintEnded(_ outcome: SupervisorMachine.StintOutcome?, unsaved: Duration, asked: Bool) {
    let isSaved = Self.isSaved(outcome, by: rules)
    let isFinished = outcome == .finished
    let (savedBefore, workTime) = state.withLock { state in
      let savedBefore = state.savedInStint
      if isSaved {
        state.workTime += unsaved
        state.savedInStint += unsaved
      }
      return (savedBefore, state.workTime)
    }
    let end = Self.ended(
      outcome, savedBefore: savedBefore, unsaved: unsaved, asked: asked, by: rules)
    // An unfinished one is found again, and its stints are counted (W13).
    if outcome != nil, workTime >= Self.leastKept || Self.isUnfinished(outcome) { keep() }
    thread.enqueue { [self] in
      if isFinished {
        job.record(.finished(sizeBytes: 0, checksum: "", workTime: workTime), durably: true)
      } else if isSaved {
        job.record(.progressKept, durably: false)
      }
      job.record(end, durably: true)
    }
  }

  /// How a stint ended, of a job or of a command that is none.
  static func ended(
    _ outcome: SupervisorMachine.StintOutcome?, savedBefore: Duration = .zero, unsaved: Duration,
    asked: Bool, by rules: SupervisorRules
  ) -> JournalEvent {
    let isSaved = isSaved(outcome, by: rules)
    return .stintEnded(
      reason: end(outcome, asked: asked), saved: savedBefore + (isSaved ? unsaved : .zero),
      lost: isSaved ? .zero : unsaved)
  }

  /// Whether what was done since the last checkpoint is kept.
  ///
  /// A command of which no file shows what it has saved is taken at its word: of one that asks to
  /// be run again that is its exit status, and of a resumable one its option.
  private static func isSaved(
    _ outcome: SupervisorMachine.StintOutcome?, by rules: SupervisorRules
  ) -> Bool {
    switch outcome {
    case nil, .finished: true
    case .asksAgain, .leftUnfinished: !rules.showsContent
    case .stoppedInTime, .killed: rules.isResumable && !rules.showsContent
    case .failed, .crashed, .interrupted, .notRun: false
    }
  }

  private static func isUnfinished(_ outcome: SupervisorMachine.StintOutcome?) -> Bool {
    switch outcome {
    case .asksAgain, .leftUnfinished, .stoppedInTime, .killed: true
    case nil, .finished, .failed, .crashed, .interrupted, .notRun: false
    }
  }

  private static func end(_ outcome: SupervisorMachine.StintOutcome?, asked: Bool) -> StintEnd {
    switch outcome {
    case .finished: .finished
    case .interrupted: .stopRequested
    case .failed, .crashed, .notRun: asked ? .stopRequested : .failed
    case nil, .asksAgain, .leftUnfinished, .stoppedInTime, .killed:
      asked ? .stopRequested : .expired
    }
  }

  /// A tick: writes the progress, and looks whether a stop was asked for or another process has
  /// taken the job.
  func ticked(
    _ report: StatusReport, teller: ProgressTeller?, stopAsked: @escaping @Sendable () -> Void,
    lost: @escaping @Sendable (StintError) -> Void
  ) {
    state.withLock { $0.fraction = report.progress.fraction }
    if report.elapsed >= Self.leastKept { keep() }
    thread.enqueue { [self] in
      teller?.tell(report)
      if let loss = job.loss {
        lost(loss)
      } else if job.isSet(.stop) {
        stopAsked()
      }
    }
  }

  /// Looks for a stop between two stints, and then calls back.
  func lookForStop(
    stopAsked: @escaping @Sendable () -> Void, then next: @escaping @Sendable () -> Void
  ) {
    thread.enqueue { [self] in
      if job.isSet(.stop) { stopAsked() }
      next()
    }
  }

  /// Makes the directory if there is none.
  private func keep() {
    thread.enqueue { [self] in
      guard !job.isMaterialized else { return }
      do {
        try job.materialize()
      } catch {
        guard !state.withLock({ exchange(&$0.hasFailed, with: true) }) else { return }
        say(StintError(wrapping: error, while: "making the job's directory").typed)
      }
    }
  }

  /// Takes back what only holds while this process runs; of a command that left nothing worth
  /// keeping, the directory too.
  func end(_ teller: ProgressTeller) {
    thread.enqueue { [self] in
      teller.end()
      try? job.clear(.stop)
      job.finishRecords()
      job.withdraw()
    }
  }
}
