#if Images
package import StintRuntime
package import StintCore

/// Filters many images; each result is in the folder as soon as it is done.
///
/// Small images are made in memory, one on each thread, and put into the folder in groups, so that
/// a thousand of them do not wait a thousand times for the disk. What is small is judged by the
/// time that the images before took. A larger one is the work of an
/// ``ImageComputation`` of its own, band by band among the job's partial files. Whatever the number
/// of inputs, one large image is open, or a small one for each thread.
package struct ImageSetComputation: DivertibleComputation {
  package typealias State = ImageSetState

  package static let kind = "image-set"
  package static let stateVersion: UInt32 = 3

  /// What a run tells of.
  package enum Event: Sendable {
    /// A result stands in the folder.
    case done(input: String, output: String, ImageSetResult)
    /// Nothing can be made of an input.
    case failed(input: String, StintError)
    /// What the user should know.
    case notice(Notice)
  }

  /// What is computed.
  package let plan: ImageSetPlan
  package let parameters: JobParameters
  /// What became of the inputs.
  package let ledger: ImageSetLedger

  let folder: OutputFolder
  let open = ImageSetOpenFile()
  let standing = ImageSetStanding()
  let hooks: Hooks
  let limits: Limits
  let threads: Int
  let staysBetweenStints: Bool
  let streams: Bool
  let removesOrphans: Bool

  /// What is made in memory, and what by itself, band by band.
  package struct Limits: Hashable, Sendable {
    /// Inputs above this are not looked at as small ones: they are read in pieces.
    package var fileBytes = 64 << 20
    /// Larger files are not held in memory: for what decoding one takes, opening it again is
    /// nothing.
    package var heldBytes = 4 << 20
    /// Images whose pixels, of source and result together, are above this are no small ones.
    package var pixelBytes = 32 << 20
    /// Nor are images that would take longer than this on one thread, by what the ones before took:
    /// a process that is killed loses as much on each thread.
    package var longest = Duration.seconds(2)
    /// The same before anything was measured.
    ///
    /// The guess is for a slow machine; a wrong one costs each thread one image.
    package var longestUnmeasured = Duration.seconds(8)
    /// The bytes of plain pixels that are decoded or measured at once.
    package var stripBytes = 4 << 20

    /// The usual limits.
    package init() {}
  }

  /// What the surroundings of the work do for it.
  package struct Hooks: Sendable {
    /// Makes everything durable that was written to partial files.
    package var makeDurable: @Sendable (any Workspace) throws -> Void
    /// Refuses an image for which there is not enough memory, disk or budget; that input fails, and
    /// the others go on.
    package var admit: @Sendable (ImageEstimate) throws -> Void
    /// What to do about an image that is more than a budget holds: a sentence after a space, or
    /// nothing.
    package var advise: @Sendable (ImageEstimate) -> String
    /// The words for a failure that is part of what the work ends with.
    package var sentence: @Sendable (StintError) -> String
    /// Hears of every result, on the compute thread.
    package var tell: @Sendable (Event) -> Void
    /// Hears of the end, last.
    package var finish: @Sendable (ImageSetAccount) throws -> Void

    /// Tells the time, for the share of a group's time that is waiting for the disk.
    package var now: @Sendable () -> Instant

    /// Hooks that do nothing but make files durable, in no time.
    package init() {
      now = { Instant(nanoseconds: 0) }
      makeDurable = { try $0.makeAllDurable() }
      admit = { _ in }
      advise = { _ in "" }
      sentence = { $0.description }
      tell = { _ in }
      finish = { _ in }
    }
  }

  /// Creates the computation.
  ///
  /// - Parameters:
  ///   - plan: What is computed.
  ///   - folder: Where the results go.
  ///   - replacesOthers: Whether files there that are not this job's may be replaced.
  ///   - threads: How many threads chunks will be given, for the estimates of cost only.
  ///   - staysBetweenStints: Whether the process outlives its stints.
  ///   - streams: Whether images that are worked on by themselves are filtered while they are
  ///     decoded (``ImageComputation``).
  ///   - removesOrphans: Whether results are removed whose inputs the set has no more.
  ///   - lacksLines: Whether the journal knows of results that the ledger does not tell of.
  ///   - hooks: What the surroundings do for the work.
  ///   - limits: What is made in memory; tests use less.
  /// - Throws: ``StintError`` with the code `cannotCreate` if the folder cannot be opened.
  package init(
    _ plan: ImageSetPlan, into folder: String, replacesOthers: Bool = false, threads: Int,
    staysBetweenStints: Bool = false, streams: Bool = false, removesOrphans: Bool = false,
    lacksLines: Bool = false, hooks: Hooks = Hooks(), limits: Limits = Limits()
  ) throws(StintError) {
    self.plan = plan
    self.threads = threads
    self.staysBetweenStints = staysBetweenStints
    self.streams = streams
    self.removesOrphans = removesOrphans
    self.hooks = hooks
    self.limits = limits
    parameters = plan.parameters
    self.folder = try OutputFolder(folder, for: parameters, replacesOthers: replacesOthers)
    ledger = ImageSetLedger(
      plan, folder: self.folder, lacksLines: lacksLines, makeDurable: hooks.makeDurable)
  }

  package func start(in workspace: any Workspace) throws -> ImageSetState {
    try ledger.load(in: workspace)
    tellDamage()
    try standing.load(in: workspace)
    try clear(workspace)
    return ImageSetState()
  }

  package func run(
    from state: ImageSetState, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<ImageSetState>? {
    var chunk = Chunk(state: state, cost: 0)
    while !context.stopFlag.isRaised {
      let rest = cost - chunk.cost
      // Its end may be written down already, by a chunk that was given up after it.
      if let current = chunk.state.current, ledger.isSettled(current.unit) {
        chunk.state.current = nil
        try clear(context.workspace)
      }
      let isFirst = chunk.cost == 0
      if !isFirst, let next = outlook(of: chunk.state).next, next.smallest > rest { break }
      if isFirst, let current = chunk.state.current, let failure = tooLong(chunk.state) {
        try fail(current.unit.item, failure.error, in: context.workspace)
        try standing.forget(in: context.workspace)
        chunk.state.current = nil
        try clear(context.workspace)
        chunk.cost += Self.openingCost
      } else if let current = chunk.state.current {
        guard let step = try advance(current, atMost: max(rest, 0), in: context) else { break }
        chunk.state.current = step.current
        chunk.cost += step.cost
      } else if let unit = ledger.next(1).first {
        if standing.isAlone(unit) { ledger.markLarge(unit) }
        let made = ledger.isLarge(unit) ? 0 : try makeSmall(atMost: rest, in: context)
        chunk.cost += made
        if made > 0 { continue }
        // Nothing fits any more, or this one is to be worked on by itself.
        guard isFirst || ledger.isLarge(unit), !context.stopFlag.isRaised else { break }
        chunk.state.current = .init(unit: unit, phase: .reading([]))
        chunk.cost += Self.openingCost
      } else {
        break
      }
    }
    return chunk.cost > 0 ? chunk : nil
  }

  package func finish(_ state: ImageSetState, in workspace: any Workspace) throws {
    let ended = ledger.account
    guard ended.done + ended.failures.count == ended.count else {
      throw StintError(
        .checkFailed, "Of \(ended.count) inputs only \(ended.done) are done; run it again.")
    }
    // An input that failed may only be out of sight, like all that was beside it: a folder that is
    // not mounted, a pattern that nothing matched. So may one whose line is lost.
    let removes =
      removesOrphans && ended.failures.isEmpty && plan.refused.isEmpty && !ledger.isDamaged
    try ledger.settleOrphans(removes: removes)
    var account = ledger.account
    account.orphansAreRemoved = removes
    try folder.checkPath()
    try hooks.finish(account)
    if let failure = account.failure(in: folder.path, hooks.sentence) { throw failure }
  }

  /// Removes what the image before left among the partial files.
  func clear(_ workspace: any Workspace) throws {
    open.close()
    for name in [
      ImageGraph.decodedName, ImageComputation.pixelsName, ImageComputation.resultName,
    ] {
      try workspace.removePartialFile(named: name)
    }
  }
}

/// The one input that is open; a cache.
final class ImageSetOpenFile: Sendable {
  private struct State {
    var unit: ImageSetPlan.Unit?
    var file: SourceFile?
    var computation: ImageComputation?
  }

  private let state = Protected(State())

  /// The work on an image; nil if it is not at hand.
  func computation(_ unit: ImageSetPlan.Unit) -> ImageComputation? {
    state.withLock { $0.unit == unit ? $0.computation : nil }
  }

  /// The file of an image; nil if it is not at hand.
  func file(_ unit: ImageSetPlan.Unit) -> SourceFile? {
    state.withLock { $0.unit == unit ? $0.file : nil }
  }

  func keep(
    _ unit: ImageSetPlan.Unit, _ file: SourceFile, _ computation: ImageComputation? = nil
  ) {
    state.withLock { $0 = State(unit: unit, file: file, computation: computation) }
  }

  func close() {
    state.withLock { $0 = State() }
  }
}
#endif
