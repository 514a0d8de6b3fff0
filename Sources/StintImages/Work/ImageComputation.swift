#if Images
package import StintRuntime
package import StintCore

/// Filters an image in chunks of rows and leaves the image file in the partial file `result`.
///
/// The whole work is one lazy graph of libvips over a source with random access. A chunk computes
/// some rows of its result, so there are no seams between chunks. Phases follow each other: a
/// source without random access is decoded into a file of plain pixels; filters that want
/// statistics of their whole input collect them; then bands of the result go into the image file,
/// or into a file of plain pixels from which a format that knows no pieces is written at once.
/// Where time is not limited, such a source is filtered while it is decoded. Cost units are those
/// of ``ImageCost``.
package struct ImageComputation: ChunkedComputation {
  package typealias State = ImageState

  package static let kind = "image"
  package static let stateVersion: UInt32 = 2

  /// The partial file with the image.
  package static let resultName = "result"
  /// The partial file with the plain pixels of the result, for formats that are written at once.
  static let pixelsName = "pixels"

  /// What is computed.
  package let plan: ImagePlan
  package let parameters: JobParameters

  let graph: ImageGraph
  let wholeCost: Double
  /// Whether the process outlives its stints, so that a decoder goes on where it stood.
  let staysBetweenStints: Bool
  /// Whether the source is filtered while it is decoded, as long as the process lives.
  let streams: Bool
  private let tell: (@Sendable (Notice) -> Void)?
  private let deliver: Sink

  /// Takes the workspace and the name of the partial file with the image.
  package typealias Sink = @Sendable (any Workspace, String) throws -> Void

  /// Creates the computation.
  ///
  /// - Parameters:
  ///   - plan: What is computed.
  ///   - fingerprint: The source's; a part of the job's parameters.
  ///   - staysBetweenStints: Whether the process outlives its stints.
  ///   - streams: Whether a source without random access is filtered while it is decoded, where the
  ///     pipeline allows that. It saves the plain pixels on the disk; a process that goes on after
  ///     this one has to decode the source from its beginning.
  ///   - tell: Hears of damage that is passed over, on the compute thread.
  ///   - deliver: Called last by ``finish(_:in:)`` with the partial file's name.
  package init(
    _ plan: ImagePlan, fingerprint: SourceFingerprint, staysBetweenStints: Bool = false,
    streams: Bool = false, tell: (@Sendable (Notice) -> Void)? = nil,
    deliver: @escaping Sink
  ) {
    self.plan = plan
    self.staysBetweenStints = staysBetweenStints
    self.streams = streams && plan.canStream
    self.tell = tell
    self.deliver = deliver
    parameters = ImageParameters.of(plan, fingerprint)
    graph = ImageGraph(source: plan.source, pipeline: plan.pipeline)
    wholeCost = Self.remainingCost(
      ImageState(phase: Self.firstPhase(plan, streams: self.streams)), plan)
  }

  package func start(in workspace: any Workspace) throws -> ImageState {
    if streams { return ImageState(phase: .streaming(try nothingDelivered(in: workspace))) }
    if plan.decodesFirst { return ImageState(phase: .decoding(rows: 0)) }
    return try begun(after: ImageState(phase: .decoding(rows: 0)), in: workspace)
  }

  package func run(
    from state: ImageState, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<ImageState>? {
    try VipsLibrary.start(threads: context.threads)
    var chunk = Chunk(state: settled(state), cost: 0)
    while let smallest = smallestCost(chunk.state),
      chunk.cost == 0 || chunk.cost + smallest <= cost
    {
      // What is complete is kept even if the flag cuts the rest.
      if context.stopFlag.isRaised { break }
      guard let step = try advanced(chunk.state, atMost: cost - chunk.cost, in: context) else {
        break
      }
      graph.ran(phaseName(chunk.state))
      // A stream that the flag or damage has ended gives no more rows.
      chunk.state = settled(step.state)
      chunk.cost += step.cost
      if let tell, let notice = plan.source.takeDamageNotice() { tell(notice) }
    }
    return chunk.cost > 0 ? chunk : nil
  }

  package func finish(_ state: ImageState, in workspace: any Workspace) throws {
    guard case .complete = state.phase else {
      throw StintError(
        .checkFailed, "The work on \(plan.source.file.path) is not complete; run it again.")
    }
    try deliver(workspace, Self.resultName)
  }
}
#endif
