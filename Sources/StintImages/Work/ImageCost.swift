#if Images
import StintCore

/// What the steps of the work cost, in nanoseconds of one thread, about.
///
/// The fit test learns how long a unit takes here; what counts is that the phases stand in about
/// the right proportion.
package struct ImageCost: Hashable, Sendable {
  /// A row of the source decoded, written as plain pixels.
  var decodingRow: Double
  /// Decoding before the first row comes out; for decoders that hold the whole image.
  var decodingStart: Double
  /// A row of the input of each filter that wants statistics, by the filter's place.
  var collectingRow: [Int: Double]
  /// A row of the result: all filters, and what becomes of the row.
  var bandRow: Double
  /// A row of the result that is computed while the source is decoded.
  var streamedRow: Double
  /// So many further rows are computed for each band, because filters look beyond its edges.
  var overlapRows: Int
  /// The whole file written at once; zero where bands are encoded.
  var encoding: Double

  /// Adds the costs up.
  ///
  /// - Throws: ``StintError`` with the code `usage` if a filter cannot be applied.
  init(
    source: ImageSource, pipeline: FilterPipeline, output: ImageOutput, reach: Int, threads: Int
  ) throws {
    let (stored, upright) = (source.storedShape, source.uprightShape)
    let shapes = try pipeline.shapes(of: upright)
    let threads = Double(max(1, threads))
    let decoding =
      Double(source.fullShape.sizeBytes) / Double(stored.height)
      * Self.decodedByte(source.loader.format, isReduced: source.thumbnail != nil)
    let plain = Double(stored.rowBytes) * Self.plainByte
    let ahead = source.strips == nil ? decoding : decoding / threads
    decodingRow = source.hasRandomAccess ? 0 : (source.decodesIntoMemory ? plain : ahead + plain)
    decodingStart =
      source.decodesIntoMemory && !source.hasRandomAccess ? decoding * Double(stored.height) : 0
    // Reading the pixels, for each pass over them.
    let reading =
      source.hasRandomAccess
      ? decoding * Double(stored.height) / threads : plain * Double(stored.height)
    collectingRow = [:]
    for step in pipeline.statisticsSteps {
      let computing = try pipeline.cost(of: upright, steps: 0..<step) / threads
      let measuring = Double(shapes[step].sizeBytes) * Self.measuredByte
      collectingRow[step] = (reading + computing + measuring) / Double(shapes[step].height)
    }
    let result = shapes[shapes.count - 1]
    let filtering = try pipeline.cost(of: upright) / threads
    var band = (reading + filtering) / Double(result.height)
    switch output.encoder {
    case .resumable(let encoder):
      band += encoder.nanosecondsPerPixel * Double(result.width) / threads
      encoding = 0
    case .whole(let encoder):
      band += Double(result.rowBytes) * Self.plainByte
      encoding = Self.overhead + encoder.nanosecondsPerPixel * Double(result.width * result.height)
    }
    bandRow = band + 1
    streamedRow = bandRow + decodingRow * Double(stored.height) / Double(result.height)
    overlapRows = min(2 * reach, result.height)
  }

  /// The cost of decoding that many rows, with a decoder that has come to them.
  func decoding(_ rows: Int) -> Double {
    Self.overhead + decodingRow * Double(rows)
  }

  /// The cost of measuring that many rows of the input of a filter.
  func collecting(_ filter: Int, _ rows: Int) -> Double {
    Self.overhead + (collectingRow[filter] ?? 0) * Double(rows + collectingOverlap(filter))
  }

  /// The most rows of the input of a filter that are measured for no more.
  func collectingRows(_ filter: Int, within cost: Double) -> Int {
    let row = max(collectingRow[filter] ?? 0, 1)
    return max(0, Int(clamping: (cost - Self.overhead) / row) - collectingOverlap(filter))
  }

  /// The rows that filters before one look beyond those that are measured; there are none before
  /// the first.
  private func collectingOverlap(_ filter: Int) -> Int { filter == 0 ? 0 : overlapRows }

  /// The cost of a band of that many rows.
  func band(_ rows: Int) -> Double {
    Self.overhead + bandRow * Double(rows + overlapRows)
  }

  /// The most rows of a band that costs no more.
  func bandRows(within cost: Double) -> Int {
    max(0, Int(clamping: (cost - Self.overhead) / bandRow) - overlapRows)
  }

  /// What starting and ending an evaluation costs.
  static let overhead = 200_000.0

  /// The cost of that many rows of the result while the source is decoded; nothing is computed
  /// twice.
  func streamed(_ rows: Int) -> Double {
    Self.overhead + streamedRow * Double(rows)
  }

  /// The most rows of the result that are streamed for no more.
  func streamedRows(within cost: Double) -> Int {
    max(0, Int(clamping: (cost - Self.overhead) / streamedRow))
  }

  /// Writing a byte to a file and reading it again.
  static let plainByte = 0.6

  /// Counting a byte of pixels.
  static let measuredByte = 1.0

  /// Decoding a byte of pixels, and reducing it at once to a small image.
  static func decodedByte(_ format: String, isReduced: Bool) -> Double {
    guard isReduced else { return decodedByte(format) }
    // A decoder of JPEG computes an eighth of the sides at the least.
    return format == "JPEG" ? 0.4 * decodedByte(format) : decodedByte(format) + 2
  }

  private static func decodedByte(_ format: String) -> Double {
    switch format {
    case "JPEG": 3
    case "PNG", "WebP", "GIF": 5
    case "HEIF", "JPEG 2000", "JPEG XL": 20
    case "TIFF": 2
    case _: 4
    }
  }
}

extension Int {
  /// The whole part of a number, and the nearest limit for one that is beyond them.
  init(clamping value: Double) {
    if value.isNaN {
      self = 0
    } else {
      self = value >= 9e18 ? .max : value <= -9e18 ? .min : Int(value)
    }
  }
}
#endif
