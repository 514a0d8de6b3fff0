#if Images
import StintCore

/// What is written, and by which encoder.
package struct ImageOutput: Sendable {
  /// The two ways in which image files come to be.
  enum Encoder: Sendable {
    /// Band by band.
    case resumable(any ResumableEncoder)
    /// All at once, from stored pixels.
    case whole(WholeFileEncoder)

    /// What this file does not hold of what its format has a place for.
    var leftOut: [String] {
      switch self {
      case .resumable(let encoder): encoder.leftOut
      case .whole: []
      }
    }
  }

  package let request: OutputRequest
  /// What writes it.
  let encoder: Encoder
  /// What the format cannot hold of the image.
  let notices: [Notice]
  private let shape: ImageShape

  /// Chooses the encoder.
  ///
  /// - Parameters:
  ///   - request: The format and its options.
  ///   - shape: The pixels that are to be written.
  ///   - metadata: What is to be said besides.
  /// - Throws: ``StintError`` with the code `usage` if the format cannot hold such pixels.
  init(_ request: OutputRequest, shape: ImageShape, metadata: ImageMetadata) throws {
    self.request = request
    self.shape = shape
    let pixels = try PixelShape(shape)
    try request.format.check(pixels)
    encoder = try request.encoder(for: pixels, metadata: metadata)
    notices =
      request.format.conversions(of: pixels).map { Notice($0) }
      + (request.format.lost(of: metadata, shape: pixels) + encoder.leftOut).map {
        "\(request.format.name) cannot hold \($0), so it is dropped"
      }
  }

  /// A band has a multiple of that many rows.
  var rowsPerUnit: Int {
    switch encoder {
    case .resumable(let encoder): encoder.rowsPerUnit
    case .whole: min(64, shape.height)
    }
  }

  /// An upper limit of the length of the image file, in bytes.
  var largestFileBytes: Int {
    switch encoder {
    case .resumable(let encoder): encoder.largestFileBytes
    case .whole(let encoder): encoder.largestFileBytes
    }
  }

  /// The bytes of plain pixels that are stored before the file is written at once.
  var storedBytes: Int {
    switch encoder {
    case .resumable: 0
    case .whole: shape.sizeBytes
    }
  }
}
#endif
