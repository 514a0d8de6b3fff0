#if Images
/// How much of the result is in the partial files.
enum DeliveredRows: Sendable {
  /// In the image file itself.
  case encoded(EncodingProgress)
  /// In a file of plain pixels, because the format can only be written at once.
  case stored(rows: Int)

  /// How many rows of the result.
  var rows: Int {
    switch self {
    case .encoded(let progress): progress.rows
    case .stored(let rows): rows
    }
  }
}

/// Where the work on an image stands between two chunks: an immutable value that counts what the
/// partial files hold (W14).
package struct ImageState: Sendable {
  /// What the next chunk does.
  enum Phase: Sendable {
    /// The source is being decoded; that many rows of it are in the partial file. A stream that was
    /// lost may have delivered rows.
    case decoding(rows: Int, after: DeliveredRows? = nil)
    /// The statistics of a filter are being collected from its input, of which that many rows are
    /// done.
    case collecting(filter: Int, rows: Int, sum: FilterStatistics?)
    /// Rows of the result are computed from any rows of the source.
    case filtering(DeliveredRows)
    /// Rows of the result are computed while the source is decoded, of which nothing is kept.
    case streaming(DeliveredRows)
    /// All rows are stored, and the image file is written from them.
    case encoding
    /// The image file is complete and so long.
    case complete(sizeBytes: Int)
  }

  /// The statistics of the filters that wanted some and have been given them, in the order of the
  /// pipeline.
  var statistics: [FilterStatistics] = []
  var phase: Phase
}
#endif
