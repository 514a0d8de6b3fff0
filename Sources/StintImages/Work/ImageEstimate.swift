#if Images
import StintCore

/// What the work on an image, or on many, will need, before it starts.
package struct ImageEstimate: Hashable, Sendable {
  /// The input or the inputs in words.
  package var source: String
  /// The filters in canonical form.
  package var filters: String
  /// The result, or the formats of the results, in words.
  package var result: String
  /// An upper limit of the length of all results, in bytes; zero if nobody has looked.
  package var outputBytes = 0
  /// The largest checkpoint, in bytes.
  package var checkpointBytes: Int
  /// The peak of memory, in bytes.
  package var memoryBytes: Int
  /// The peak of disk space: decoded pixels, stored pixels, and the image file, partial and final;
  /// of many images, but for the results that are there already.
  package var diskBytes = 0
  /// The cost of the whole work, about a nanosecond a unit.
  package var cost = 0.0
  /// The cost of the hardest step that cannot be split.
  package var hardestCost = 0.0
  /// Whether it is about many images.
  var isOfMany = false

  /// What the program with libvips and its buffers needs for any image.
  private static let baseBytes = 90_000_000
}

extension ImageEstimate {
  package init(_ computation: ImageComputation) {
    let plan = computation.plan
    let (stored, shape) = (plan.source.storedShape, plan.resultShape)
    let band = plan.bandRows * shape.rowBytes
    // libvips holds some rows of each image in the graph for each thread.
    let widest = plan.shapes.map(\.rowBytes).max() ?? 0
    self.init(
      source: "\(plan.source.file.path) (\(plan.source.loader.format), \(stored.phrase))",
      filters: plan.pipeline.canonicalText,
      result: "\(shape.phrase) as \(plan.output.request.canonicalText)",
      outputBytes: plan.output.largestFileBytes,
      checkpointBytes: 4096 + plan.collectors.count * 2_200_000,
      memoryBytes: Self.baseBytes + 3 * band + 256 * widest)
    if plan.source.decodesIntoMemory { memoryBytes += 2 * stored.sizeBytes }
    if plan.source.isTurned { memoryBytes += min(stored.sizeBytes, ImageGraph.turnedBytes) }
    diskBytes =
      (plan.decodesFirst ? stored.sizeBytes : 0) + plan.output.storedBytes + 2 * outputBytes
    cost = computation.wholeCost
    let start = ImageState(phase: ImageComputation.firstPhase(plan, streams: computation.streams))
    hardestCost = computation.hardestCost(start) ?? 0
  }

  /// Refuses what cannot fit.
  ///
  /// - Parameters:
  ///   - memoryAvailable: The bytes of memory that the process may use, or nil if that is not
  ///     known.
  ///   - diskAvailable: The free bytes where the job goes, or nil.
  /// - Throws: ``StintError`` with the code `unavailable`, with the figures.
  package func checkFits(memoryAvailable: Int?, diskAvailable: Int?) throws {
    if let memoryAvailable, memoryBytes > memoryAvailable {
      let figures = "about \(memoryBytes) bytes of memory and \(memoryAvailable) are available"
      throw isOfMany
        ? StintError(
          .unavailable, "The images need \(figures).",
          remedies: ["end other programs", .fewerThreads])
        : StintError(
          .unavailable,
          "The image needs \(figures); convert the input to a tiled TIFF, which is read piece by "
            + "piece.")
    }
    if let diskAvailable, diskBytes > diskAvailable {
      throw StintError(
        .unavailable,
        (isOfMany ? "The images need" : "The work on \(source) needs")
          + " up to \(diskBytes) bytes of disk space and \(diskAvailable) are free.",
        remedies: [.moreRoom])
    }
  }
}
#endif
