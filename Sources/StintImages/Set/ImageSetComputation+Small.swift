#if Images
import StintRuntime
import StintCore

// Images that are made in memory, several at once.

extension ImageSetComputation {
  /// What takes longer than this on one thread, in nanoseconds, about, is worked on band by band.
  private static let smallCost = 150e6
  /// A group goes to the disk after about so much time.
  private static let groupCost = 100e6
  /// No group has more images.
  private static let mostInGroup = 128

  /// What became of one image of a group.
  private enum Made: Sendable {
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

  /// The time that a group may take.
  private final class Allowance: Sendable {
    private let rest: Protected<(rest: Double, spent: Double)>

    init(_ cost: Double) { rest = Protected((cost, 0)) }

    func take(_ cost: Double) -> Bool {
      rest.withLock { state in
        guard state.rest >= cost else { return false }
        state.rest -= cost
        state.spent += cost
        return true
      }
    }

    var spent: Double { rest.withLock { $0.spent } }
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
    let units = Array(
      ledger.next(Self.mostInGroup).prefix { !ledger.isLarge($0) })
    let threads = max(1, min(context.threads, units.count))
    let waiting = ledger.publishingCost
    let allowance = Allowance(min(cost - waiting, Self.groupCost) * Double(threads))
    let began = hooks.now()
    try VipsLibrary.start(threads: 1)
    let made = try Parallel.map(count: units.count, threads: threads) { index in
      try self.make(units[index], within: allowance, in: context)
    }
    let computed = hooks.now()
    let finished = made.compactMap { made in
      if case .staged(let image, _) = made { image } else { nil }
    }
    // The chunk was given up; its worker saves already and waits for nothing.
    guard !context.stopFlag.isRaised else {
      for image in finished { folder.discard(image.staged) }
      return 0
    }
    let spent = allowance.spent / Double(threads)
    let isSettled = try settle(units, made, finished, in: context)
    MemoryPools.giveBack()
    guard isSettled else { return 0 }
    let publishing = Self.publishingCost(
      spent, computing: began.duration(to: computed), publishing: computed.duration(to: hooks.now())
    )
    ledger.learn(
      cost: spent + publishing, publishing: publishing,
      from: made.reduce(0) { $0 + Self.sizeBytes($1) })
    return spent + publishing
  }

  /// What making results durable costs in units of computing, by the time that both took just now.
  ///
  /// The fit test learns one speed for all chunks. If waiting for the disk counted for nothing, it
  /// would take the filters for as slow as the disk, and refuse an image for its hardest step.
  private static func publishingCost(
    _ spent: Double, computing: Duration, publishing: Duration
  ) -> Double {
    guard computing > .zero else { return publishingBase }
    return spent * min(publishing.inSeconds / computing.inSeconds, 100)
  }

  private static func sizeBytes(_ made: Made) -> Int {
    if case .staged(let image, _) = made { image.identity.sizeBytes } else { 0 }
  }

  private func settle(
    _ units: [ImageSetPlan.Unit], _ made: [Made], _ finished: [ImageSetLedger.Made],
    in context: ChunkContext
  ) throws -> Bool {
    var same: [(item: Int, identity: SourceFile.Identity)] = []
    var changed: [Int: SourceFile.Identity] = [:]
    for (unit, made) in zip(units, made) {
      switch made {
      case .same(let identity): same.append((unit.item, identity))
      case .changed(let identity): changed[unit.item] = identity
      case .staged, .failed, .large, .deferred: break
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
    if !wanted.isEmpty { tell(try ledger.publish(wanted, in: context.workspace)) }
    if !wanted.isEmpty || !same.isEmpty { context.progressIsKept() }
    var isSettled = !wanted.isEmpty || !same.isEmpty || !changed.isEmpty
    for (unit, made) in zip(units, made) {
      switch made {
      case .staged(_, let notices): tellNotices(notices)
      case .failed(let error):
        // Another frame of it may have failed in the same group.
        guard !ledger.isSettled(unit) else { continue }
        try fail(unit.item, error, in: context.workspace)
        isSettled = true
      case .large: ledger.markLarge(unit)
      case .same, .changed, .deferred: break
      }
    }
    return isSettled
  }

  /// Makes one image; any thread.
  private func make(
    _ unit: ImageSetPlan.Unit, within allowance: Allowance, in context: ChunkContext
  ) throws -> Made {
    guard !context.stopFlag.isRaised, allowance.take(Self.openingCost) else { return .deferred }
    do {
      return try InputFailure.catching {
        let file = try source(of: unit)
        guard file.identity.sizeBytes <= limits.fileBytes else { return .large }
        return try make(unit, of: file, within: allowance, in: context)
      }
    } catch let failure as InputFailure {
      return .failed(failure.error)
    }
  }

  private func make(
    _ unit: ImageSetPlan.Unit, of file: SourceFile, within allowance: Allowance,
    in context: ChunkContext
  ) throws -> Made {
    let flag = context.stopFlag
    guard let checksum = try file.piece(0, shouldStop: { flag.isRaised }) else { return .deferred }
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
    guard !shapes.overflow, shapes.partialValue <= limits.pixelBytes,
      computation.wholeCost <= Self.smallCost
    else { return .large }
    guard allowance.take(computation.wholeCost) else { return .deferred }
    let workspace = ScratchWorkspace()
    var state = try computation.start(in: workspace)
    let inner = ChunkContext(stopFlag: flag, workspace: workspace, threads: 1)
    while computation.outlook(of: state).next != nil {
      guard
        let chunk = try computation.run(from: state, atMost: .greatestFiniteMagnitude, in: inner)
      else { return .deferred }
      state = chunk.state
    }
    let staged = try workspace.file(named: ImageComputation.resultName).withBytes { bytes in
      try SetFailure.catching { try folder.stage(bytes, as: unit) }
    }
    let frames = plan.takesFrames ? computation.plan.source.pageCount : 1
    return .staged(
      .init(staged: staged, frames: frames, source: checksum, identity: file.identity),
      notices: computation.plan.notices)
  }
}
#endif
