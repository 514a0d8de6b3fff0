#if Images
import Glibc
package import StintCommands
import StintCore
package import StintImages
import StintRuntime

/// `stint run image`: from the validated command line to a worker that runs.
struct ImageRun {
  let work: ImageWork
  let launch: Launch
  let options: RunOptions

  /// Checks everything that can be checked before the work, then runs until the process ends.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func run() throws -> Never {
    launch.start.limitOpening(options)
    let destination = try OutputDestination(options.output)
    let pipeline = try FilterPipeline(parsing: work.filters)
    try VipsLibrary.start(threads: options.threadCount)
    try VipsLibrary.trust(work.trusted.union([work.request.format.trust].compactMap(\.self)))
    let file = try SourceFile(work.input)
    try check(destination, against: file)
    let source = try ImageSource(file, work.selection, thumbnail: pipeline.thumbnail)
    let plan = try ImagePlan(
      source: source, pipeline: pipeline, request: work.request, threads: options.threadCount)
    let stays = options.time.untilDone || options.time.isUnlimited
    func computation(
      _ fingerprint: SourceFingerprint, tell: (@Sendable (Notice) -> Void)? = nil,
      _ deliver: @escaping ImageComputation.Sink
    ) -> ImageComputation {
      ImageComputation(
        plan, fingerprint: fingerprint, staysBetweenStints: stays,
        streams: options.time.isUnlimited && launch.start.invitation == nil, tell: tell,
        deliver: deliver)
    }
    // What can never fit is refused before a long source is read.
    let estimate = ImageEstimate(computation(.none(of: file)) { _, _ in })
    if !options.isDryRun { try Self.refuseHopeless(estimate, options) }
    let (fingerprint, tripBegan) =
      try options.isDryRun
      ? (.none(of: file), launch.start.launchedAt)
      : SourceReading(path: work.input, options: options, launch: launch).run(file)
    if !options.isDryRun { try checkEarlier(source, fingerprint, destination) }
    if !options.display.quiet {
      for notice in plan.notices { complain(notice.typed) }
    }
    try launch.runner(options, tripBegan: tripBegan)
      .run(estimate: estimate, showsEnds: false) { output in
        let isQuiet = options.display.quiet
        return computation(
          fingerprint, tell: { if !isQuiet { output.say($0.typed) } }
        ) { try output.deliver($0, $1) }
      }
  }

  /// By this factor the cost model may be wrong about a machine before it has measured it.
  private static let modelError = 3.0

  /// Refuses work with a step that cannot be cut and is far longer than any stint (W2), before
  /// stints are spent on what leads to it.
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

  /// Refuses to continue with a source other than the one with which the work began.
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
        .usage,
        "OUT is the input \(file.path) itself; name another file, so that the input is kept.")
    }
    if destination.isTerminal, !options.isDryRun {
      throw StintError(
        .usage, "An image is not written to a terminal; name a file, or use a pipe.")
    }
  }
}

extension ImageEstimate: RunEstimate {
  package var subject: [RunEstimateLine] {
    [
      .init(key: "source", label: "source", text: source),
      .init(key: "filters", label: "filters", text: filters.isEmpty ? "none" : filters),
      .init(key: "image", label: "image", text: result),
    ]
  }
}
#endif
