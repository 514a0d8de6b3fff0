#if Images
import Glibc
import Stint
import StintCommands
import StintCore
import StintImages

/// `stint run image`: from the validated command line to a worker that runs.
struct ImageRun {
  let work: ImageWork
  let launch: Launch
  var options: RunOptions

  init(work: ImageWork, launch: Launch, options: RunOptions) {
    self.work = work
    self.launch = launch
    self.options = options
    self.options.output = work.output
  }

  /// Checks everything that can be checked before the work, then runs until the process ends.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func run() throws -> Never {
    let destination = try OutputDestination(options.output)
    let pipeline = try FilterPipeline(parsing: work.filters)
    try VipsLibrary.start(threads: options.threadCount)
    let file = try SourceFile(work.input)
    try check(destination, against: file)
    let source = try ImageSource(file, work.selection)
    let plan = try ImagePlan(
      source: source, pipeline: pipeline, request: work.request, threads: options.threadCount)
    let fingerprint = try options.isDryRun ? .none(of: file) : fingerprint(of: file)
    if !options.isDryRun { try checkEarlier(source, fingerprint, destination) }
    if !options.display.quiet {
      for notice in plan.notices { writeToStandardError("stint: \(Sentence.of(notice))\n") }
    }
    let stays = options.time.untilDone || options.time.isUnlimited
    func computation(_ deliver: @escaping ImageComputation.Sink) -> ImageComputation {
      ImageComputation(
        plan, fingerprint: fingerprint, staysBetweenStints: stays, deliver: deliver)
    }
    let estimate = ImageEstimate(computation { _, _ in })
    if !options.isDryRun { try Self.refuseHopeless(estimate, options) }
    try launch.runner(options).run(estimate: estimate, showsEnds: false) { output in
      computation { try output.deliver($0, $1) }
    }
  }

  /// Reads the source for its fingerprint, but not past the end of the budget.
  ///
  /// With `--until-done` the first trip begins after it; else what was read is remembered for the next run.
  private func fingerprint(of file: SourceFile) throws -> SourceFingerprint {
    let cache = FingerprintCache(jobsDirectory: options.jobsDirectory)
    let end = options.time.untilDone ? nil : readingEnds()
    let outcome = try file.fingerprint(
      cache: cache, now: WallTime.now().nanosecondsSince1970, threads: options.threadCount,
      shouldStop: { end.map { BootClock.now >= $0 } ?? false || SignalWatch.pending() != nil })
    switch outcome {
    case .complete(let fingerprint):
      return fingerprint
    case .stopped(let fraction):
      leaveUnread(fraction)
    }
  }

  /// When the reading must end, so that it can still be remembered; nil without a budget.
  private func readingEnds() -> Instant? {
    guard let (grant, _) = options.time.grant() else { return nil }
    let lead = options.time.systemPolicy.lead
    return launch.start.launchedAt.advanced(by: max(.zero, grant - lead))
  }

  private func leaveUnread(_ fraction: Double) -> Never {
    let percent = Duration.nanoseconds(Int64(fraction * 1e11)).secondsText(decimals: 1)
    if !options.display.quiet {
      writeToStandardError(
        "stint: Time is up while \(work.input) was read for its checksum; \(percent) % of it is "
          + "remembered. Run the same command again to go on.\n")
    }
    if let number = SignalWatch.pending(), number == SIGINT { SignalWatch.die(of: SIGINT) }
    exit(options.unfinishedExitCode)
  }

  /// The cost model may be so far wrong about a machine before it has measured it.
  private static let modelError = 3.0

  /// Refuses work with a step that cannot be cut and is far longer than any stint (W2), before stints are spent on what leads to it.
  static func refuseHopeless(_ estimate: ImageEstimate, _ options: RunOptions) throws {
    guard let (grant, _) = options.time.grant() else { return }
    let hardest = Duration(clampingSeconds: estimate.hardestCost * 1e-9)
    guard hardest.inSeconds > modelError * grant.inSeconds else { return }
    throw StintError(
      .noProgress,
      "A step of this work that cannot be cut takes about \(hardest.compactText), which no budget of "
        + "\(grant.compactText) can hold; the least budget that would do is about "
        + "\(DryRun.leastBudget(estimate).compactText), or write PNG or TIFF, which are written in bands."
    )
  }

  /// Refuses to go on with another source than the one that the work was begun with.
  private func checkEarlier(
    _ source: ImageSource, _ fingerprint: SourceFingerprint, _ destination: OutputDestination
  ) throws {
    let path = source.file.path
    if let begun = work.fingerprint, begun != fingerprint {
      let stale = SourceChange.Stale(key: "the job", fingerprint: begun)
      throw SourceChange.refusal(stale, source: path, fingerprint: fingerprint)
    }
    let catalog = try JobCatalog(jobsDirectory: options.jobsDirectory)
    let stale = try SourceChange.stale(
      in: catalog, source: path, fingerprint: fingerprint, output: destination.path)
    for job in stale {
      guard options.fresh else {
        throw SourceChange.refusal(job, source: path, fingerprint: fingerprint)
      }
      try catalog.remove(job.key)
    }
  }

  private func check(_ destination: OutputDestination, against file: SourceFile) throws {
    if destination.path == file.path {
      throw StintError(
        .usage, "OUT is the input \(file.path) itself; name another file, so that the input stays.")
    }
    if destination.isTerminal, !options.isDryRun {
      throw StintError(
        .usage, "The bytes of an image are nothing for a terminal; name a file, or a pipe.")
    }
  }
}
#endif
