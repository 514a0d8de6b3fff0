#if Images
import StintCore
import StintRuntime

// An image that is worked on by itself, band by band.

extension ImageSetComputation {
  typealias Current = ImageSetState.Current

  /// Does the next piece of an image; nil if the stop flag was seen and nothing is complete.
  func advance(
    _ current: Current, atMost cost: Double, in context: ChunkContext
  ) throws -> (current: Current?, cost: Double)? {
    do {
      switch current.phase {
      case .reading(let pieces):
        return try read(current.unit, pieces, in: context)
      case .working(let fingerprint, let state):
        return try work(current.unit, fingerprint, state, atMost: cost, in: context)
      case .checking(let fingerprint, let state, let output):
        return try check(current.unit, fingerprint, state, output, atMost: cost, in: context)
      }
    } catch let error as InputFailure {
      try fail(current.unit.item, error.error, in: context.workspace)
      try clear(context.workspace)
      return (nil, Self.openingCost)
    }
  }

  /// Reads the next piece of an input for its checksum; after the last, the image itself begins.
  private func read(
    _ unit: ImageSetPlan.Unit, _ pieces: [Checksum128], in context: ChunkContext
  ) throws -> (current: Current?, cost: Double)? {
    let file = try InputFailure.catching { try opened(unit) }
    let sizeBytes = file.identity.sizeBytes
    let count = SourceFingerprint.pieceCount(sizeBytes)
    let cost = Self.openingCost + Self.readingCost(min(sizeBytes, SourceFingerprint.pieceBytes))
    var pieces = pieces
    if pieces.count < count {
      let piece = try InputFailure.catching {
        try file.piece(pieces.count, shouldStop: { context.stopFlag.isRaised })
      }
      guard let piece else { return nil }
      pieces.append(piece)
    }
    guard pieces.count == count else {
      return (Current(unit: unit, phase: .reading(pieces)), cost)
    }
    try InputFailure.catching { try file.checkUnchanged() }
    let fingerprint = SourceFingerprint(sizeBytes: sizeBytes, pieces: pieces)
    switch ledger.verdict(unit.item, fingerprint.checksum) {
    case .new: break
    case .same:
      try ledger.keep([(unit.item, file.identity)], in: context.workspace)
      context.progressIsKept()
      try clear(context.workspace)
      return (nil, cost)
    case .changed: try ledger.beginAnew(unit.item, file.identity, in: context.workspace)
    }
    let computation = try InputFailure.catching {
      let computation = try self.computation(unit, file, fingerprint)
      try hooks.admit(ImageEstimate(computation))
      return computation
    }
    open.keep(unit, file, computation)
    tellNotices(computation.plan.notices)
    let state = try computation.start(in: context.workspace)
    return (Current(unit: unit, phase: .working(fingerprint, state)), cost)
  }

  private func work(
    _ unit: ImageSetPlan.Unit, _ fingerprint: SourceFingerprint, _ state: ImageState,
    atMost cost: Double, in context: ChunkContext
  ) throws -> (current: Current?, cost: Double)? {
    let computation = try InputFailure.catching { try self.opened(unit, fingerprint) }
    if case .complete = state.phase {
      return try check(
        unit, fingerprint, state, OutputRecord(parts: []), atMost: cost, in: context)
    }
    let began = hooks.now()
    let chunk = try InputFailure.catchingDamage {
      try computation.run(from: state, atMost: cost, in: context)
    }
    guard let chunk else { return nil }
    ledger.learn(pace: began.duration(to: hooks.now()), of: chunk.cost)
    return (Current(unit: unit, phase: .working(fingerprint, chunk.state)), chunk.cost)
  }

  /// Reads back what was written for an image, and publishes it after the last piece.
  ///
  /// Where something has changed, the image is made anew, and the others are not concerned.
  private func check(
    _ unit: ImageSetPlan.Unit, _ fingerprint: SourceFingerprint, _ state: ImageState,
    _ output: OutputRecord, atMost cost: Double, in context: ChunkContext
  ) throws -> (current: Current?, cost: Double)? {
    let computation = try InputFailure.catching { try self.opened(unit, fingerprint) }
    var next = output
    if let workspace = context.workspace as? any CheckedWorkspace {
      next.parts = try workspace.keepChecksums(of: computation.partialOutput(of: state))
    }
    do {
      try next.readOn(
        atMost: cost / Self.readingCost(1), in: context.workspace, stopFlag: context.stopFlag)
      if next.isChecked { try next.readAgain(in: context.workspace) }
    } catch let error as StintError where error.code == .damaged {
      tellNotices([
        "\(ledger.item(unit.item).path): what was written for its image has changed (\(error.message)); it is made anew."
      ])
      try clear(context.workspace)
      return (Current(unit: unit, phase: .reading([])), Self.openingCost)
    }
    let read = next.checkedBytes - output.checkedBytes
    guard next.isChecked else {
      guard read > 0 else { return nil }
      let phase = ImageSetState.Phase.checking(fingerprint, state, next)
      return (Current(unit: unit, phase: phase), Self.readingCost(read))
    }
    try publish(unit, computation, fingerprint, in: context)
    return (nil, publishingCost(state) + Self.readingCost(read))
  }

  private func publish(
    _ unit: ImageSetPlan.Unit, _ computation: ImageComputation, _ fingerprint: SourceFingerprint,
    in context: ChunkContext
  ) throws {
    let file = try context.workspace.partialFile(named: ImageComputation.resultName)
    let frames = plan.takesFrames ? computation.plan.source.pageCount : 1
    let staged = try folder.stage(file, as: unit)
    let image = ImageSetLedger.Made(
      staged: staged, frames: frames, source: fingerprint.checksum,
      identity: try opened(unit).identity)
    try publish([image], in: context.workspace)
    context.progressIsKept()
    try clear(context.workspace)
  }

  func tell(_ published: [(unit: ImageSetPlan.Unit, name: FilePath, result: ImageSetResult)]) {
    for (unit, name, result) in published {
      hooks.tell(
        .done(input: ledger.item(unit.item).path.text, output: "\(folder.path)/\(name)", result))
    }
  }

  func fail(_ item: Int, _ error: StintError, in workspace: any Workspace) throws {
    try ledger.fail(item, error, in: workspace)
    hooks.tell(.failed(input: ledger.item(item).path.text, error))
  }

  func tellNotices(_ notices: [Notice]) {
    for notice in notices { hooks.tell(.notice(notice)) }
  }

  // MARK: Opening

  /// The file of an image; its checksum says later whether it is what it was.
  private func opened(_ unit: ImageSetPlan.Unit) throws -> SourceFile {
    if let file = open.file(unit) { return file }
    let file = try source(of: unit)
    open.keep(unit, file)
    return file
  }

  func source(of unit: ImageSetPlan.Unit) throws -> SourceFile {
    try SourceFile(ledger.item(unit.item).path.text)
  }

  /// The work on an image that is under way.
  func opened(
    _ unit: ImageSetPlan.Unit, _ fingerprint: SourceFingerprint
  ) throws -> ImageComputation {
    if let computation = open.computation(unit) { return computation }
    let file = try opened(unit)
    let computation = try self.computation(unit, file, fingerprint)
    open.keep(unit, file, computation)
    return computation
  }

  /// The work on one image: on that many threads, or on all of them if no other image is worked on.
  func computation(
    _ unit: ImageSetPlan.Unit, _ file: SourceFile, _ fingerprint: SourceFingerprint,
    threads count: Int? = nil
  ) throws -> ImageComputation {
    let item = ledger.item(unit.item)
    var selection = plan.selection
    if plan.takesFrames { (selection.page, selection.isOneOfAll) = (unit.frame, true) }
    let source = try ImageSource(file, selection, thumbnail: plan.pipeline.thumbnail)
    try folder.check(plan.name(of: item, frame: unit.frame, of: source.pageCount))
    let imagePlan = try ImagePlan(
      source: source, pipeline: plan.pipeline, request: item.request, threads: count ?? threads,
      stripBytes: limits.stripBytes)
    // The set holds this computation, so the computation must not hold the set.
    let tell: @Sendable (Notice) -> Void = { [hooks] in hooks.tell(.notice($0)) }
    return ImageComputation(
      imagePlan, fingerprint: fingerprint, staysBetweenStints: staysBetweenStints,
      streams: streams || count != nil, tell: count == nil ? tell : nil,
      deliver: { _, _ in })
  }
}

/// An input that cannot be read, or whose image cannot be made: the others continue.
struct InputFailure: Error {
  var error: StintError

  static func catching<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StintError {
      throw InputFailure(error: error)
    } catch let failure as SetFailure {
      throw failure.error
    }
  }

  /// The same, but for failures of the disk on which the work is, which would be those of all
  /// inputs.
  static func catchingDamage<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StintError where [.damaged, .usage, .mismatch].contains(error.code) {
      throw InputFailure(error: error)
    }
  }
}

/// What ends the work on all images: a folder that takes no results.
struct SetFailure: Error {
  var error: StintError

  static func catching<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StintError {
      throw SetFailure(error: error)
    }
  }
}

/// Where the work on many images stands between two chunks: an immutable value (W14).
///
/// What is done is in the ledger; here is only the one image that is worked on band by band.
package struct ImageSetState: Sendable {
  /// How far an image is.
  enum Phase: Sendable {
    /// The input is read for its checksum; those of the pieces so far.
    case reading([Checksum128])
    /// The input is what that says, and the work on it has come so far.
    case working(SourceFingerprint, ImageState)
    /// The image is complete, and what was written for it is being read back.
    case checking(SourceFingerprint, ImageState, OutputRecord)
  }

  /// An image that is worked on by itself.
  struct Current: Sendable {
    var unit: ImageSetPlan.Unit
    var phase: Phase

    /// The image's own state, and how many bytes of what was written have been read back.
    var inner: (state: ImageState, checkedBytes: Int)? {
      switch phase {
      case .reading: nil
      case .working(_, let inner): (inner, 0)
      case .checking(_, let inner, let output): (inner, output.checkedBytes)
      }
    }
  }

  /// The image that is worked on by itself; nil between two images, and while small ones are made.
  var current: Current?
}
#endif
