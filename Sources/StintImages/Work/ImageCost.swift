#if Images
import StintCore

/// What the steps of the work cost, in nanoseconds of one thread, about.
///
/// The fit test learns how long a unit takes here; what counts is that the phases stand in about
/// the right proportion.
package struct ImageCost: Hashable, Sendable {
  /// Rows that are computed in one evaluation.
  struct Rows: Hashable, Sendable {
    /// What one takes.
    var row: Double
    /// So many further rows are computed with them, because filters look beyond their edges.
    var overlap = 0

    /// The cost of that many rows.
    func callAsFunction(_ count: Int) -> Double {
      ImageCost.overhead + row * Double(count + overlap)
    }

    /// The most rows that cost no more.
    func count(within cost: Double) -> Int {
      max(0, Int(clamping: (cost - ImageCost.overhead) / max(row, 1)) - overlap)
    }
  }

  /// Rows of the source, decoded by a decoder that has come to them, and written as plain pixels.
  var decoding: Rows
  /// Decoding before the first row comes out; for decoders that hold the whole image.
  var decodingStart: Double
  /// Rows of the input of each filter that wants statistics, by the filter's place.
  private var collecting: [Int: Rows]
  /// Rows of the result: all filters, and what becomes of the rows.
  var band: Rows
  /// Rows of the result that are computed while the source is decoded; none is computed twice.
  var streamed: Rows
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
    let decodingRow =
      Double(source.fullShape.sizeBytes) / Double(stored.height)
      * Self.decodedByte(source.loader.format, isReduced: source.thumbnail != nil)
    let plain = Double(stored.rowBytes) * Self.plainByte
    let ahead = source.strips == nil ? decodingRow : decodingRow / threads
    decoding = Rows(
      row: source.hasRandomAccess ? 0 : (source.decodesIntoMemory ? plain : ahead + plain))
    decodingStart =
      source.decodesIntoMemory && !source.hasRandomAccess ? decodingRow * Double(stored.height) : 0
    // Reading the pixels, for each pass over them.
    let reading =
      source.hasRandomAccess
      ? decodingRow * Double(stored.height) / threads : plain * Double(stored.height)
    let result = shapes[shapes.count - 1]
    let overlap = min(2 * reach, result.height)
    collecting = [:]
    for step in pipeline.statisticsSteps {
      let computing = try pipeline.cost(of: upright, steps: 0..<step) / threads
      let measuring = Double(shapes[step].sizeBytes) * Self.measuredByte
      // Filters before one look beyond the rows that are measured; there are none before the first.
      collecting[step] = Rows(
        row: (reading + computing + measuring) / Double(shapes[step].height),
        overlap: step == 0 ? 0 : overlap)
    }
    let filtering = try pipeline.cost(of: upright) / threads
    var row = (reading + filtering) / Double(result.height)
    if let whole = output.whole {
      row += Double(result.rowBytes) * Self.plainByte
      encoding = Self.overhead + whole.nanosecondsPerPixel * Double(result.width * result.height)
    } else {
      row += output.encoder.nanosecondsPerPixel * Double(result.width) / threads
      encoding = 0
    }
    band = Rows(row: row + 1, overlap: overlap)
    let decodingAll = decoding.row * Double(stored.height)
    streamed = Rows(row: band.row + decodingAll / Double(result.height))
  }

  /// The rows of the input of a filter.
  func collecting(_ filter: Int) -> Rows { collecting[filter] ?? Rows(row: 0) }

  /// What starting and ending an evaluation costs.
  static let overhead = 200_000.0

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
