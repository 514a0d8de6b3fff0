#if Images
import StintRuntime
import StintCore

// Images that are made in memory, several at once.

/// The small images of one chunk: which is next, and what has become of the others.
///
/// Each thread takes the next image as soon as it has made one. After a tenth of a second, one of
/// them puts what is complete into the folder while the others go on.
private final class SmallLine: Sendable {
  private struct State {
    var units: ArraySlice<ImageSetPlan.Unit>
    /// What may still be spent, and what was.
    var rest: Double
    var spent = 0.0
    var trials: Int
    var isOver = false
    var made: [ImageSetComputation.Small] = []
    /// Since when what is complete waits; nil while a thread puts it into the folder.
    var waitingSince: Instant?
    var isSettled = false
    var sizeBytes = 0
  }

  /// What is complete waits so long for more, so that one wait for the disk is for several.
  private static let patience = Duration.milliseconds(100)

  private let state: Protected<State>

  /// Begins a chunk.
  ///
  /// - Parameters:
  ///   - units: The images, in order.
  ///   - cost: What may be spent on all threads together.
  ///   - now: When it begins.
  ///   - trials: So many images are made even if the chunk has no room for them.
  init(_ units: [ImageSetPlan.Unit], _ cost: Double, now: Instant, trials: Int) {
    state = Protected(State(units: units[...], rest: cost, trials: trials, waitingSince: now))
  }

  /// The next image; nil if there is none, or if the chunk is over.
  func next() -> ImageSetPlan.Unit? {
    state.withLock { $0.isOver ? nil : $0.units.popFirst() }
  }

  /// Takes what an image costs; false if the chunk has no room for it, and so is over.
  func take(_ cost: Double) -> Bool {
    state.withLock { state in
      guard state.rest >= cost || state.trials > 0 else {
        state.isOver = true
        return false
      }
      state.trials -= 1
      state.rest -= cost
      state.spent += cost
      return true
    }
  }

  /// Ends the chunk; false if it was over before.
  @discardableResult
  func end() -> Bool {
    state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
  }

  /// Remembers what became of an image.
  ///
  /// - Returns: What is to be put into the folder by the caller; nil if that is not its turn.
  func put(_ small: ImageSetComputation.Small, now: Instant) -> [ImageSetComputation.Small]? {
    state.withLock { state in
      state.made.append(small)
      guard let since = state.waitingSince, since.duration(to: now) >= Self.patience else {
        return nil
      }
      state.waitingSince = nil
      return Self.taken(from: &state)
    }
  }

  /// Remembers that what was complete is in the folder.
  func settled(_ isSettled: Bool, sizeBytes: Int, now: Instant) {
    state.withLock { state in
      state.isSettled = state.isSettled || isSettled
      state.sizeBytes += sizeBytes
      state.waitingSince = now
    }
  }

  /// All that is complete, at the end.
  func rest() -> [ImageSetComputation.Small] { state.withLock { Self.taken(from: &$0) } }

  private static func taken(from state: inout State) -> [ImageSetComputation.Small] {
    defer { state.made = [] }
    return state.made
  }

  var sums: (isSettled: Bool, spent: Double, sizeBytes: Int) {
    state.withLock { ($0.isSettled, $0.spent, $0.sizeBytes) }
  }
}

extension ImageSetComputation {
  /// No chunk has more images.
  private static let mostInChunk = 1024

  /// What became of one image of a chunk.
  fileprivate struct Small: Sendable {
    var unit: ImageSetPlan.Unit
    var made: Made
  }

  fileprivate enum Made: Sendable {
    case staged(ImageSetLedger.Made, notices: [Notice])
    /// Its input is another file with the bytes of which it was made.
    case same(SourceFile.Identity)
    /// Its input is not that of which other frames were made.
    case changed(SourceFile.Identity)
    case failed(StintError)
    /// It is to be worked on by itself.
    case large
    /// There was no time for it.
    case deferred
  }

  /// Makes the next images that are small, as far as the cost allows, and puts them into the
  /// folder.
  ///
  /// - Parameters:
  ///   - cost: What may be spent.
  ///   - context: The stop flag and the workspace.
  /// - Returns: What was spent; zero if no image is settled by this call.
  /// - Throws: What ends the work on all images.
  func makeSmall(atMost cost: Double, in context: ChunkContext) throws -> Double {
    let units = Array(ledger.next(Self.mostInChunk).prefix { !ledger.isLarge($0) })
    let threads = max(1, min(context.threads, units.count))
    let began = hooks.now()
    let line = SmallLine(
      units, (cost - ledger.publishingCost) * Double(threads), now: began,
      trials: ledger.hasLearnt ? 0 : threads)
    try VipsLibrary.start(threads: 1)
    // One more than there are processors for, while one waits for the disk.
    let makers = units.count > threads ? threads + 1 : threads
    _ = try Parallel.map(count: makers, threads: makers) { _ in
      do {
        try self.make(line, share: Double(threads) / Double(makers), in: context)
      } catch {
        line.end()
        throw error
      }
    }
    let rest = line.rest()
    // The chunk was given up; its worker saves already and waits for nothing.
    if context.stopFlag.isRaised { discard(rest) } else { try settle(rest, line, in: context) }
    MemoryPools.giveBack()
    let sums = line.sums
    guard sums.isSettled else { return 0 }
    let spent = sums.spent / Double(threads)
    let publishing = publishingCost(spent, of: began.duration(to: hooks.now()))
    ledger.learn(cost: spent + publishing, publishing: publishing, from: sums.sizeBytes)
    return spent + publishing
  }

  /// What a chunk took besides making images, most of it waiting for the disk, in units of
  /// computing.
  ///
  /// The fit test learns one speed for all chunks. If this counted for nothing, it would take the
  /// filters for as slow as the disk, and refuse an image for its hardest step.
  private func publishingCost(_ spent: Double, of time: Duration) -> Double {
    guard time > .zero else { return Self.publishingBase }
    return min(max(0, time.inSeconds * 1e9 / ledger.pace - spent), 100 * spent)
  }

  /// Makes one image after another; any thread.
  private func make(_ line: SmallLine, share: Double, in context: ChunkContext) throws {
    while !context.stopFlag.isRaised, let unit = line.next() {
      let made = try make(unit, in: line, share: share, context)
      guard !context.stopFlag.isRaised else { return discard([Small(unit: unit, made: made)]) }
      if let complete = line.put(Small(unit: unit, made: made), now: hooks.now()) {
        try settle(complete, line, in: context)
      }
    }
  }

  private func discard(_ small: [Small]) {
    for case .staged(let image, _) in small.map(\.made) { folder.discard(image.staged) }
  }

  private func settle(_ small: [Small], _ line: SmallLine, in context: ChunkContext) throws {
    var finished: [ImageSetLedger.Made] = []
    var same: [(item: Int, identity: SourceFile.Identity)] = []
    var changed: [Int: SourceFile.Identity] = [:]
    for image in small {
      switch image.made {
      case .staged(let made, _): finished.append(made)
      case .same(let identity): same.append((image.unit.item, identity))
      case .changed(let identity): changed[image.unit.item] = identity
      case .failed, .large, .deferred: break
      }
    }
    // Frames of one input that was another file in between are not kept.
    var sources: [Int: Checksum128] = [:]
    for image in finished {
      let item = image.staged.unit.item
      let first = sources.updateValue(image.source, forKey: item) ?? image.source
      if first != image.source { changed[item] = image.identity }
    }
    let wanted = finished.filter { changed[$0.staged.unit.item] == nil }
    for image in finished where changed[image.staged.unit.item] != nil {
      folder.discard(image.staged)
    }
    for (item, identity) in changed { try ledger.beginAnew(item, identity, in: context.workspace) }
    try ledger.keep(same, in: context.workspace)
    try publish(wanted, in: context.workspace)
    if !wanted.isEmpty || !same.isEmpty { context.progressIsKept() }
    var isSettled = !wanted.isEmpty || !same.isEmpty || !changed.isEmpty
    for image in small {
      switch image.made {
      case .staged(_, let notices): tellNotices(notices)
      case .failed(let error):
        // Another frame of it may have failed in the same group.
        guard !ledger.isSettled(image.unit) else { continue }
        try fail(image.unit.item, error, in: context.workspace)
        isSettled = true
      case .large: ledger.markLarge(image.unit)
      case .same, .changed, .deferred: break
      }
    }
    line.settled(
      isSettled, sizeBytes: finished.reduce(0) { $0 + $1.identity.sizeBytes }, now: hooks.now())
  }

  /// Makes one image; any thread.
  private func make(
    _ unit: ImageSetPlan.Unit, in line: SmallLine, share: Double, _ context: ChunkContext
  ) throws -> Made {
    do {
      return try InputFailure.catching {
        let file = try source(of: unit)
        guard file.identity.sizeBytes <= limits.fileBytes else { return .large }
        return try make(unit, of: file, in: line, share: share, context)
      }
    } catch let failure as InputFailure {
      return .failed(failure.error)
    }
  }

  private func make(
    _ unit: ImageSetPlan.Unit, of file: SourceFile, in line: SmallLine, share: Double,
    _ context: ChunkContext
  ) throws -> Made {
    let flag = context.stopFlag
    guard
      let checksum = try file.holdingPiece(
        atMost: limits.heldBytes, shouldStop: { flag.isRaised })
    else { return .deferred }
    try file.checkUnchanged()
    switch ledger.verdict(unit.item, checksum) {
    case .new: break
    case .same: return .same(file.identity)
    case .changed: return .changed(file.identity)
    }
    let fingerprint = SourceFingerprint(sizeBytes: file.identity.sizeBytes, checksum: checksum)
    let computation = try self.computation(unit, file, fingerprint, threads: 1)
    let shapes = computation.plan.source.storedShape.sizeBytes
      .addingReportingOverflow(computation.plan.resultShape.sizeBytes)
    let hasRoom = !shapes.overflow && shapes.partialValue <= limits.pixelBytes
    guard hasRoom || computation.storesNoPixels else { return .large }
    let cost = Self.openingCost + computation.wholeCost
    let isMeasured = ledger.hasPace(for: cost)
    let longest = isMeasured ? limits.longest : limits.longestUnmeasured
    let pace = isMeasured ? ledger.pace : max(1, ledger.pace)
    guard computation.wholeCost * pace <= longest.inSeconds * 1e9 else {
      // One of these images is worked on by itself. The others wait to be judged by its pace.
      return line.end() && ledger.hasPace ? .large : .deferred
    }
    guard line.take(cost) else { return .deferred }
    let began = hooks.now()
    let workspace = MemoryWorkspace()
    let result = workspace.file(ImageComputation.resultName)
    if try !computation.makeWhole(into: result, stopFlag: flag) {
      guard hasRoom || flag.isRaised else { return .large }
      guard try makeInChunks(computation, in: workspace, stopFlag: flag) else { return .deferred }
    }
    let staged = try result.withBytes { bytes in
      try SetFailure.catching { try folder.stage(bytes, as: unit) }
    }
    ledger.learn(pace: began.duration(to: hooks.now()) * share, of: cost)
    let frames = plan.takesFrames ? computation.plan.source.pageCount : 1
    return .staged(
      .init(staged: staged, frames: frames, source: checksum, identity: file.identity),
      notices: computation.plan.notices
        + [computation.plan.source.takeDamageNotice()].compactMap { $0 })
  }

  /// Makes an image file in memory; false if the flag was seen first.
  private func makeInChunks(
    _ computation: ImageComputation, in workspace: MemoryWorkspace, stopFlag: StopFlag
  ) throws -> Bool {
    var state = try computation.start(in: workspace)
    let context = ChunkContext(stopFlag: stopFlag, workspace: workspace, threads: 1)
    while computation.outlook(of: state).next != nil {
      guard
        let chunk = try computation.run(
          from: state, atMost: .greatestFiniteMagnitude, in: context)
      else { return false }
      state = chunk.state
    }
    return true
  }
}
#endif
