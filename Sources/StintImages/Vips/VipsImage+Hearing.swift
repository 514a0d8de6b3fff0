#if Images
import CVips
import Glibc
import StintCore
import StintRuntime

extension VipsImage {
  /// The same pixels; what their decoder says is heard as being about one file.
  ///
  /// The decoder is closed together with the node, unless somebody else holds this image.
  ///
  /// - Parameters:
  ///   - messages: What hears it.
  ///   - tiles: Those of a TIFF that are to be looked at when they have been decoded; nil where
  ///     libvips tells everything by itself.
  /// - Returns: A node over this image.
  /// - Throws: `io` with libvips' words.
  func heard(
    by messages: DecoderMessages, tiles: (any DecodedTiles)? = nil
  ) throws(StintError) -> VipsImage {
    try passedOn(through: DecoderHearing(self, messages, tiles))
  }

  /// Everything but the pixels, in a node that does not keep the image.
  func headerAlone() throws(StintError) -> VipsImage {
    guard let node = vips_image_new() else { throw VipsError.take("make a node") }
    let image = VipsImage(owning: node)
    var inputs: [UnsafeMutablePointer<CVips.VipsImage>?] = [pointer, nil]
    guard vips_image_pipeline_array(node, VIPS_DEMAND_STYLE_ANY, &inputs) == 0 else {
      throw VipsError.take("make a node")
    }
    // Before 8.15, libvips frees the blobs of a HEIF image with the image that was decoded (its
    // pull request 3725).
    for name in image.fieldNames {
      if let bytes = image.blob(name) { vips_image_set_blob_copy(node, name, bytes, bytes.count) }
    }
    return image
  }
}

/// The tiles of a file, of which something can be said that libvips does not say.
protocol DecodedTiles: Sendable {
  /// Whether they are JPEG, of which libvips hides the warnings; else their checksums are compared.
  var isJPEG: Bool { get }

  /// The numbers of the tiles that an area lies in.
  func tiles(columns: Range<Int>, rows: Range<Int>) -> [Int]

  /// What is wrong with a tile; nil if nothing is seen.
  func damage(of tile: Int) -> String?
}

/// Hears what the decoder of an image says, on every thread that asks for its pixels.
private final class DecoderHearing: PixelPassage, @unchecked Sendable {
  // Unchecked: the input changes at the end alone, when nobody asks for pixels any more.
  private(set) var input: VipsImage?
  private let messages: DecoderMessages
  private let tiles: (any DecodedTiles)?
  /// The tiles of Deflate that were looked at.
  private let seen = Protected<Set<Int>>([])

  init(_ input: VipsImage, _ messages: DecoderMessages, _ tiles: (any DecodedTiles)?) {
    (self.input, self.messages, self.tiles) = (input, messages, tiles)
  }

  func pass(_ area: VipsRect, _ body: () -> Bool) -> Bool {
    guard messages.hearing(.pixels, body) else { return false }
    if let tiles, messages.damage == nil { look(at: tiles, in: area) }
    guard messages.endsEvaluation else { return true }
    withVaList([]) { vips_verror("stint", DecoderMessages.ending, $0) }
    return false
  }

  private func look(at tiles: any DecodedTiles, in area: VipsRect) {
    let (columns, rows) = (Int(area.left), Int(area.top))
    let inArea = tiles.tiles(
      columns: columns..<columns + Int(area.width), rows: rows..<rows + Int(area.height))
    var wanted: [Int] = []
    if !tiles.isJPEG {
      wanted = seen.withLock { seen in inArea.filter { seen.insert($0).inserted } }
    } else if Self.mayHaveWarned {
      wanted = inArea
      // It stays there until somebody takes it, and would be looked into for each area.
      vips_error_clear()
    }
    for tile in wanted {
      if let text = tiles.damage(of: tile) { messages.addDamage(text) }
    }
  }

  /// Whether a warning of libjpeg is in libvips' error buffer, of whichever file.
  private static var mayHaveWarned: Bool { strstr(vips_error_buffer(), "VipsJpeg") != nil }

  deinit {
    // libvips tells of the warnings of libjpeg when it closes the decoder.
    messages.hearing(.pixels) { input = nil }
  }
}
#endif
