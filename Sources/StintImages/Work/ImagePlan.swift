#if Images
package import StintCore

/// Everything that is decided before the first pixel: source, filters, output, and how the work is
/// cut.
package struct ImagePlan: Sendable {
  /// The image that the filters begin with.
  package let source: ImageSource
  package let pipeline: FilterPipeline
  /// What is written.
  package let output: ImageOutput
  /// The image before each filter, and at the end the result.
  package let shapes: [ImageShape]
  /// The least rows of a band of which little is computed twice.
  let efficientRows: Int
  /// The bytes of plain pixels that are decoded or measured at once.
  private let stripBytes: Int
  let cost: ImageCost
  /// The rows of a usual band: whole units of the encoder, as many as are computed well at once.
  let bandRows: Int

  /// Decides how an image is worked on.
  ///
  /// - Parameters:
  ///   - source: The image that the filters begin with.
  ///   - pipeline: The filters.
  ///   - request: What is to be written.
  ///   - threads: How many threads chunks will be given, for the estimates of cost only.
  ///   - stripBytes: The bytes of plain pixels that are decoded or measured at once; tests use few.
  /// - Throws: ``StintError`` with the code `usage` if a filter or the format cannot take such
  ///   pixels.
  package init(
    source: ImageSource, pipeline: FilterPipeline, request: OutputRequest, threads: Int,
    stripBytes: Int = 4 << 20
  ) throws {
    self.source = source
    self.pipeline = pipeline
    self.stripBytes = stripBytes
    shapes = try pipeline.shapes(of: source.uprightShape)
    guard let result = shapes.last else { preconditionFailure("the source has a shape") }
    output = try ImageOutput(
      request, shape: result,
      metadata: ImageMetadata(
        of: source, result: result, isTurned: pipeline.turnsByQuarter, strip: request.strip))
    let reach = try pipeline.reach(in: source.uprightShape)
    bandRows = Self.bandRows(result, unit: output.rowsPerUnit, reach: reach)
    let parallel = 2 * threads * output.rowsPerUnit
    efficientRows = min(bandRows, max(Self.tileRows, 4 * reach, parallel))
    cost = try ImageCost(
      source: source, pipeline: pipeline, output: output, reach: reach, threads: threads)
  }

  /// What the user should know before the work.
  package var notices: [Notice] { source.notices + output.notices }

  /// The image that is written.
  package var resultShape: ImageShape { shapes[shapes.count - 1] }

  /// Whether the source is decoded into a file of plain pixels before the filters.
  var decodesFirst: Bool { !source.hasRandomAccess }

  /// Whether the source can be filtered while it is decoded: from top to bottom, by filters that
  /// need nothing of it beforehand.
  var canStream: Bool {
    collectors.isEmpty && !source.isTurned
      && pipeline.steps.allSatisfy(\.filter.keepsOrderOfRows)
  }

  /// The places of the filters that want statistics of their whole input.
  var collectors: [Int] { pipeline.statisticsSteps }

  /// The rows that are decoded at once.
  var decodingRows: Int {
    let rows = stripRows(source.storedShape)
    guard let unit = source.strips?.rowsPerStrip else { return rows }
    return min((rows + unit - 1) / unit * unit, source.storedShape.height)
  }

  /// The rows of a filter's input that are measured at once if there is time.
  ///
  /// They are not kept, and each evaluation decodes the tiles at its edges anew, so they are more
  /// than those.
  func collectingRows(_ filter: Int) -> Int { stripRows(shapes[filter], times: 4) }

  /// The least rows of a filter's input that are measured at once: where the filters before it are
  /// slow, all of ``collectingRows(_:)`` could be more than a budget holds.
  func leastCollectingRows(_ filter: Int) -> Int { min(Self.tileRows, collectingRows(filter)) }

  /// The bytes of a usual band.
  private static let bandBytes = 4 << 20
  /// The rows of the tiles that libvips computes; a band of other heights ends within one.
  private static let tileRows = 128

  private func stripRows(_ shape: ImageShape, times count: Int = 1) -> Int {
    let rows = count * stripBytes / shape.rowBytes
    return max(
      1, min(shape.height, rows > Self.tileRows ? rows / Self.tileRows * Self.tileRows : rows))
  }

  /// The rows of a usual band: several times what filters look beyond its edges, as far as memory
  /// allows.
  private static func bandRows(_ shape: ImageShape, unit: Int, reach: Int) -> Int {
    let most = max(1, bandBytes / shape.rowBytes)
    let wanted = min(max(most, min(8 * reach, 4 * most)), 4096)
    let grain = unit >= tileRows ? unit : unit * (tileRows / unit)
    let rows = wanted >= grain ? wanted / grain * grain : max(unit, wanted / unit * unit)
    return min(rows, shape.height)
  }
}
#endif
