import Glibc
import StintCore
import StintRuntime

// What a run says on the way, and how it ends.

extension RunSession {
  /// A job shorter than this leaves no directory.
  private static let leastKept = Duration.seconds(1)
  /// How long the end waits for a reader of the events that sleeps.
  private static let eventsMayTake = Duration.milliseconds(250)
  /// A process whose work is saved leaves so long before its supervisor kills it.
  private static let leavingMayTake = Duration.milliseconds(50)

  /// On the reports' thread.
  func reported(_ report: StatusReport) {
    if report.elapsed >= Self.leastKept, !job.isMaterialized {
      do {
        try job.materialize()
      } catch {
        // The next checkpoint fails with the same error and decides.
        say(StintError(wrapping: error, while: "making the job's directory").typed)
      }
    }
    obeyStopFile()
    obeyPauseFile()
    events?.write(report)
    show(report)
    if let loss = job.loss { ended(.failed(loss)) }
  }

  /// Lets the worker stop after its next checkpoint, at once if it rests, when a stop file is
  /// there.
  @discardableResult
  func obeyStopFile() -> Bool {
    guard job.isSet(.stop) else { return false }
    handle { $0.stopRequested() }
    return true
  }

  /// What the worker says of itself now; nil before the state is loaded.
  func statusReport() -> StatusReport? {
    worker?.statusReport()
  }

  func show(_ report: StatusReport) {
    // Between two trips the application is active for a moment; the next report has the new budget.
    if report.remaining == .unlimited, case .trip = life.machine.time { return }
    teller.tell(report)
    display.show(report, at: BootClock.now)
  }

  /// Says a sentence, unless it was the last one too.
  func say(_ sentence: String) {
    let isNew = state.withLock { state in
      defer { state.lastNotice = sentence }
      return state.lastNotice != sentence
    }
    if isNew { display.say("stint: \(Sentence.of(sentence))") }
  }

  /// The worker has ended for good; on the reports' thread.
  func ended(_ outcome: WorkerOutcome) {
    state.withLock { $0.outcome = outcome }
    handle { $0.workEnded() }
  }

  func conclude(_ outcome: WorkerOutcome) {
    switch outcome {
    case .finished:
      finished()
    case .stopped(.signal(SIGINT)):
      tell(unfinishedSentence("Interrupted"))
      leave("interrupted", status: 128 + SIGINT, dyingOf: SIGINT)
    case .stopped(let reason):
      if let error = cutStream("Stopped because \(reason)") { return failed(error) }
      tell(unfinishedSentence("Stopped because \(reason)"))
      leave("stopped", status: options.unfinishedExitCode)
    case .failed(let error) where error.errno == EPIPE:
      // The reader of the result has gone, as `head` does; nobody wants to hear of it.
      readerHasGone()
      leave("readerGone", status: 128 + SIGPIPE, dyingOf: SIGPIPE)
    case .failed(let error):
      failed(error)
    }
  }

  /// A complete result, of which the reader took what it wanted: nothing is left to do.
  ///
  /// The checkpoints stay: a reader may also have gone because a connection broke, and then the
  /// same command line writes the result again.
  private func readerHasGone() {
    guard let report = statusReport(), report.progress.fraction >= 1, job.isMaterialized else {
      return
    }
    job.record(
      .finished(sizeBytes: 0, checksum: "", workTime: job.summary.workTime), durably: true)
  }

  private func failed(_ error: StintError) {
    display.end()
    writeToStandardError("stint: \(Sentence.of(error))\n")
    leave("failed", status: ExitStatus.of(error), error: error)
  }

  /// Why the same command must not be run again, if that is so.
  private func cutStream(_ why: String) -> StintError? {
    output.isCut ? ResultOutput.cut(why, isIsolated: options.isIsolated) : nil
  }

  /// The budget is used up and nothing holds the application.
  func timeIsUp() {
    limitLastWords(until: BootClock.now.advanced(by: options.time.stopGrace(sources)))
    if let error = neverLoaded() ?? cutStream("Time is up") { return failed(error) }
    tell(unfinishedSentence("Time is up"))
    leave("unfinished", status: options.unfinishedExitCode)
  }

  /// Whether this is one run in a row too many whose time was up before the checkpoint was loaded
  /// (W13).
  ///
  /// A shell's loop would run it for ever.
  private func neverLoaded() -> StintError? {
    guard job.isMaterialized, statusReport() == nil else { return nil }
    // Another process had the job.
    guard job.workHistory.waited == .zero else { return nil }
    // The journal counts this run when its process is gone.
    let fruitless = job.summary.stintsWithoutProgress + 1
    guard fruitless >= WorkPolicy().stintsWithoutProgress else { return nil }
    var granted = Duration.zero
    if case .trip(let start, let end?) = life.machine.time {
      granted = start.duration(to: end.instant)
    }
    let least = max(granted, launchedAt.duration(to: BootClock.now)) * 2
    return StintError(
      .noProgress,
      "\(fruitless) runs in a row saved nothing new, and in the last one time was up while the job was being loaded; "
        + "give it a budget of at least about \(least.compactText).")
  }

  /// Lets the kernel end the process some time after its trip, whichever of its threads waits for a
  /// disk then.
  func limitProcess(until end: Deadline?) {
    guard hasLastMoment else { return }
    LastMoment.set(
      afterTripUntil: end?.instant, lastWords: options.time.stopGrace(sources))
  }

  func setLastMoment(_ instant: Instant?) {
    if hasLastMoment { LastMoment.set(instant) }
  }

  /// Ends the process at an instant if it still waits for somebody to read its messages, or for a
  /// disk.
  ///
  /// Everything is saved by then; a process that still saves is left to the hard stop.
  func limitLastWords(until instant: Instant, dyingOf number: Int32? = nil) {
    setLastMoment(instant)
    driver.environment.schedule(at: remote == nil ? instant : lastMoment(before: instant)) {
      guard self.driver.openTasks.isEmpty else { return }
      if let number { SignalWatch.die(of: number) }
      // The account of a result that is there may be missing.
      if self.statusReport()?.state == .finished {
        _exit(self.options.display.json ? ExitStatus.io : ExitStatus.finished)
      }
      if self.output.isCut { _exit(ExitStatus.io) }
      SignalWatch.leave(unfinished: self.options.unfinishedExitCode)
    }
  }

  /// The worker has ended, and so has its task: limits what is left to be done.
  func limitEnd() {
    guard remote == nil else {
      limitProcess(until: driver.tripEnd)
      return limitEndOfFinished()
    }
    guard let end = driver.tripEnd else { return }
    limitLastWords(
      until: max(end.instant, BootClock.now).advanced(by: options.time.stopGrace(sources)))
  }

  /// Ends a supervised process whose result is durable with success, if it still waits for a reader
  /// or a disk just before it would be killed.
  ///
  /// Not where an account was asked for: success would say that it was written.
  private func limitEndOfFinished() {
    guard remote != nil, !options.display.json, let end = driver.tripEnd else { return }
    driver.environment.schedule(at: lastMoment(before: end.instant)) {
      if self.statusReport()?.state == .finished { _exit(ExitStatus.finished) }
    }
  }

  /// When a supervised process leaves at the latest, so that its exit status says that the work is
  /// saved.
  private func lastMoment(before instant: Instant) -> Instant {
    let kill = min(instant, driver.tripEnd?.instant ?? instant)
    let left = driver.environment.now.duration(to: kill)
    return kill.advanced(by: .zero - min(left / 2, Self.leavingMayTake))
  }

  private func finished() {
    do {
      if !options.keep { try job.removeCheckpoints() }
    } catch {
      say(StintError(wrapping: error, while: "removing checkpoints").typed)
    }
    if let report = statusReport(), let path = output.path {
      let size = output.published.map { ", \(ReportText.grouped($0.sizeBytes)) bytes" } ?? ""
      let stints = max(job.summary.stints, 1)
      tell(
        output.many?.sentence(in: path.text, report, stints: stints)
          ?? "Finished: \(path)\(size); \(report.workTime.compactText) of work in "
          + "\(stints) stint\(stints > 1 ? "s" : ""), \(report.elapsed.compactText) in this run.")
    }
    // The next run of a set looks there for what is made already.
    if output.many != nil, job.isMaterialized, let sentence = job.displacement() { say(sentence) }
    leave(output.many?.areOld == true ? "finishedBefore" : "finished", status: ExitStatus.finished)
  }

  private func unfinishedSentence(_ why: String) -> String {
    guard let report = statusReport() else {
      return "\(why) while the job was being loaded; it needs a longer budget."
    }
    guard job.isMaterialized else { return "\(why) after \(report.elapsed.compactText)." }
    // The share that is saved, not the share that was computed.
    let saved = min(report.progress.fraction, job.summary.lastCheckpoint?.fraction ?? 0)
    let percent = Duration.nanoseconds(Int64(saved * 1e11)).secondsText(decimals: 1)
    return "\(why) after \(report.elapsed.compactText); \(percent) % is done and saved. "
      + (job.displacement() ?? "Run the same command again to continue.")
  }

  func tell(_ sentence: String) {
    if options.display.quiet { return display.end() }
    say(sentence)
  }

  /// Writes the account of `--json`, and returns the exit status: that of the run, unless it
  /// finished and its account could not be written.
  private func writeSummary(_ outcome: String, _ status: Int32, _ failure: StintError?) -> Int32 {
    let line = ReportJSON.summary(
      job: job, output: output.path?.text, report: statusReport(), outcome: outcome,
      exitStatus: status, published: output.published, error: failure, many: output.many)
    do {
      try StandardOutput().write(line + "\n")
      return status
    } catch {
      let error = StintError(wrapping: error, while: "writing the account")
      // A reader that has gone wants no account; the result is durable all the same.
      guard error.errno != EPIPE else { return status }
      writeToStandardError("stint: \(Sentence.of(error))\n")
      return status == ExitStatus.finished ? ExitStatus.of(error) : status
    }
  }

  /// Ends the process.
  private func leave(
    _ outcome: String, status: Int32, dyingOf number: Int32? = nil, error: StintError? = nil
  ) {
    teller.end()
    // Obeyed, or overtaken by another end: the next run takes it away too, but until then it would
    // seem to be asked for.
    if !leavesStop || outcome == "stopped" { try? job.clear(.stop) }
    display.end()
    let status = options.display.json ? writeSummary(outcome, status, error) : status
    driver.terminate()
    job.finishRecords()
    job.withdraw()
    events?.flush(within: Self.eventsMayTake)
    if let number { SignalWatch.die(of: number) }
    if status == options.unfinishedExitCode { SignalWatch.leave(unfinished: status) }
    // No destructors: a chunk may still be running.
    _exit(status)
  }
}
