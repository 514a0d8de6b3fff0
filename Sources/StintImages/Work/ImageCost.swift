#if Images
import StintCore

/// What the steps of the work cost, in nanoseconds of one thread, about.
///
/// The fit test learns how long a unit takes here; what counts is that the phases stand in about the right proportion.
package struct ImageCost: Hashable, Sendable {
  /// A row of the source decoded, written as plain pixels.
  var decodingRow: Double
  /// Decoding before the first row comes out; for decoders that hold the whole image.
  var decodingStart: Double
  /// A row of the input of each filter that wants statistics, by the filter's place.
  var collectingRow: [Int: Double]
  /// A row of the result: all filters, and what becomes of the row.
  var bandRow: Double
  /// So many further rows are computed for each band, because filters look beyond its edges.
  var overlapRows: Int
  /// The whole file written at once; zero where bands are encoded.
  var encoding: Double

  /// The cost of a band of so many rows.
  func band(_ rows: Int) -> Double {
    Self.overhead + bandRow * Double(rows + overlapRows)
  }

  /// The most rows of a band that costs no more.
  func bandRows(within cost: Double) -> Int {
    max(0, Int(clamping: (cost - Self.overhead) / bandRow) - overlapRows)
  }

  /// What starting and ending an evaluation costs.
  static let overhead = 200_000.0

  /// Writing a byte to a file and reading it again.
  static let plainByte = 0.6

  /// Decoding a byte of pixels.
  static func decodedByte(_ format: String) -> Double {
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
