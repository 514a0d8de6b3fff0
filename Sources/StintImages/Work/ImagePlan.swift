#if Images
package import StintCore

/// Everything that is decided before the first pixel: source, filters, output, and how the work is cut.
package struct ImagePlan: Sendable {
  /// The image that the filters begin with.
  package let source: ImageSource
  /// The filters, in order.
  package let pipeline: FilterPipeline
  /// What is written.
  package let output: ImageOutput
  /// The image before each filter, and at the end the result.
  package let shapes: [ImageShape]
  /// What the steps cost.
  let cost: ImageCost
  /// The rows of a usual band: whole units of the encoder, as many as are computed well at once.
  let bandRows: Int
  /// The rows that are decoded at once.
  let decodingRows: Int

  /// Decides how an image is worked on.
  ///
  /// - Parameters:
  ///   - source: The image that the filters begin with.
  ///   - pipeline: The filters.
  ///   - request: What is to be written.
  ///   - threads: How many threads chunks will be given, for the estimates of cost only.
  /// - Throws: ``StintError`` with the code `usage` if a filter or the format cannot take such pixels.
  package init(
    source: ImageSource, pipeline: FilterPipeline, request: ImageOutput.Request, threads: Int
  ) throws {
    self.source = source
    self.pipeline = pipeline
    shapes = try pipeline.shapes(from: source.uprightShape)
    guard let result = shapes.last else { preconditionFailure("the source has a shape") }
    output = try ImageOutput(request, shape: result, metadata: ImageMetadata(of: source))
    bandRows = Self.bandRows(result, unit: output.rowsPerUnit, overlap: pipeline.overlapRows)
    decodingRows = max(1, min(source.storedShape.height, Self.stripBytes / source.storedShape.rowBytes))
    cost = ImageCost(
      source: source, pipeline: pipeline, shapes: shapes, output: output, threads: threads)
  }

  /// The image that is written.
  package var resultShape: ImageShape { shapes[shapes.count - 1] }

  /// Whether the source is decoded into a file of plain pixels before the filters.
  var decodesFirst: Bool { !source.hasRandomAccess }

  /// The places of the filters that want statistics of their whole input.
  var collectors: [Int] { pipeline.filters.indices.filter { pipeline.filters[$0].needsStatistics } }

  /// The bytes of plain pixels that are worked on at once.
  private static let stripBytes = 4 << 20
  private static let bandBytes = 16 << 20

  private static func bandRows(_ shape: ImageShape, unit: Int, overlap: Int) -> Int {
    // libvips computes tiles of 128 rows; a band much lower than the neighbourhood computes more than it keeps.
    let wanted = max(min(bandBytes / shape.rowBytes, 2048), min(4 * overlap, 4 * bandBytes / shape.rowBytes))
    let grain = unit % 128 == 0 || unit > 128 ? unit : unit * (128 / unit)
    let rows = wanted >= grain ? wanted / grain * grain : max(unit, wanted / unit * unit)
    return min(rows, shape.height)
  }
}
#endif
