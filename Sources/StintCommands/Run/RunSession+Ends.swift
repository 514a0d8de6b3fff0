import Glibc
import StintCore
import StintRuntime

// How a run ends.

extension RunSession {
  /// How long the end waits for a reader of the events that sleeps.
  private static let eventsMayTake = Duration.milliseconds(250)

  func leave(_ end: RunMachine.End) {
    switch end {
    case .workEnded: if let outcome { return conclude(outcome) }
    case .timeIsUp: break
    }
    timeIsUp()
  }

  private func conclude(_ outcome: WorkerOutcome) {
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
    complain(error)
    leave("failed", status: ExitStatus.of(error), error: error)
  }

  /// Why the same command must not be run again, if that is so.
  private func cutStream(_ why: String) -> StintError? {
    output.isCut ? ResultOutput.cut(why, isIsolated: options.isIsolated) : nil
  }

  /// The budget is used up and nothing holds the application.
  private func timeIsUp() {
    life.limitLastWords()
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
    let least = max(granted, launchedAt.duration(to: driver.environment.now)) * 2
    return StintError(
      .noProgress,
      "\(fruitless) runs in a row saved nothing new, and in the last one time was up while the job was being loaded; "
        + "give it a budget of at least about \(least.compactText).")
  }

  func exitWithoutWords(dyingOf number: Int32?) -> SupervisorExit? {
    guard driver.openTasks.isEmpty else { return nil }
    if let number { return .signal(number) }
    // The account of a result that is there may be missing.
    if statusReport()?.state == .finished {
      return .status(options.display.json ? ExitStatus.io : ExitStatus.finished)
    }
    return .status(output.isCut ? ExitStatus.io : options.unfinishedExitCode)
  }

  /// The worker has ended, and so has its task: limits what is left to be done.
  func limitEnd() {
    guard life.remote == nil else {
      life.limitProcess(until: driver.tripEnd)
      return limitEndOfFinished()
    }
    guard let end = driver.tripEnd else { return }
    life.limitLastWords(
      until: max(end.instant, driver.environment.now).advanced(by: life.rules.stopGrace()))
  }

  /// Ends a supervised process whose result is durable with success, if it still waits for a reader
  /// or a disk just before it would be killed.
  ///
  /// Not where an account was asked for: success would say that it was written.
  private func limitEndOfFinished() {
    guard !options.display.json, let end = driver.tripEnd else { return }
    driver.environment.schedule(at: life.lastMoment(before: end.instant)) {
      guard self.statusReport()?.state == .finished else { return }
      self.life.rules.leave(.status(ExitStatus.finished))
    }
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

  /// Ends the process.
  private func leave(
    _ outcome: String, status: Int32, dyingOf number: Int32? = nil, error: StintError? = nil
  ) {
    teller.end()
    // Obeyed, or overtaken by another end: the next run takes it away too, but until then it would
    // seem to be asked for.
    if !leavesStop || outcome == "stopped" { try? job.clear(.stop) }
    display.end()
    var status = status
    if options.display.json {
      let account = ReportJSON.summary(
        job: job, output: output.path?.text, report: statusReport(), outcome: outcome,
        exitStatus: status, published: output.published, error: error, many: output.many)
      status = StandardOutput().writeAccount(account + "\n", status: status)
    }
    driver.terminate()
    job.finishRecords()
    job.withdraw()
    events?.flush(within: Self.eventsMayTake)
    life.rules.leave(number.map { .signal($0) } ?? .status(status))
  }
}
