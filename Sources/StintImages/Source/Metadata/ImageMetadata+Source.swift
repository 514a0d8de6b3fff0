#if Images
import StintCore

extension ImageMetadata {
  /// What the source says besides its pixels, as it holds for the result.
  ///
  /// Pixels that were turned upright are not to be turned again, and what shows or measures the
  /// pixels of the source is not said of other ones.
  ///
  /// - Parameters:
  ///   - source: The image that the filters begin with.
  ///   - result: What they make of it.
  ///   - isTurned: Whether the filters turn it by a quarter, so that rows become columns.
  ///   - strip: What the user wants to be left out.
  init(
    of source: ImageSource, result: ImageShape, isTurned: Bool = false,
    strip: MetadataStrip = .none
  ) {
    let header = source.header
    let orientation = source.isTurned ? 1 : source.orientation
    let (x, y) = header.resolution
    // libvips gives 1 pixel per millimetre to images that say nothing.
    let isKnown = header.has(field: "resolution-unit") || (x, y) != (1, 1)
    let turned = (source.isTurned && source.orientation >= 5) != isTurned
    self.init(
      profile: header.blob("icc-profile-data"),
      resolution: isKnown && x > 0 && y > 0
        ? Resolution(horizontal: turned ? y : x, vertical: turned ? x : y) : nil,
      orientation: header.has(field: "orientation") ? orientation : nil)
    guard strip != .all else { return }
    exif = header.blob("exif-data").map { data in
      let bare = data.starts(with: Array("Exif\0\0".utf8)) ? Array(data.dropFirst(6)) : data
      guard var editor = ExifData(bare) else { return bare }
      editor.set(orientation: orientation)
      editor.set(width: result.width, height: result.height)
      if turned { editor.swapResolutions() }
      editor.removeThumbnails()
      if strip == .gps { editor.removePlace() }
      return editor.bytes
    }
    xmp = header.blob("xmp-data").flatMap { xmp in
      // What is not well formed says nothing, and might say too much.
      XMPEditor.edited(xmp) { name in
        switch name {
        case "tiff:Orientation": self.orientation.map { .value(String($0)) } ?? .none
        case "tiff:ImageWidth", "exif:PixelXDimension": .value(String(result.width))
        case "tiff:ImageLength", "exif:PixelYDimension": .value(String(result.height))
        // To swap them, their values would have to be read.
        case "tiff:XResolution", "tiff:YResolution", "exif:FocalPlaneXResolution",
          "exif:FocalPlaneYResolution":
          turned ? .removed : .none
        case _ where name.hasSuffix(":Thumbnails"): .removed
        case _ where strip == .gps && Self.isPlace(name.drop { $0 != ":" }.dropFirst()): .removed
        case _: .none
        }
      } ?? (strip == .gps ? nil : xmp)
    }
    iptc = header.blob("iptc-data").map(PhotoshopBlock.withoutThumbnails)
    description = source.description
    texts = source.texts.filter { strip != .gps || !$0.keyword.lowercased().holds("gps") }
  }

  /// Whether a name is one of GPS, such as `GPSLatitude`, or a drone's `GpsLatitude`.
  private static func isPlace(_ name: Substring) -> Bool {
    name.prefix(3).lowercased() == "gps"
  }
}

extension ImageSource {
  /// What libvips has instead of a text that is not UTF-8 (`vips_ref_string_new` of 8.14).
  private static let unread = "<invalid utf-8 string>"

  /// The description in a TIFF.
  fileprivate var description: String? {
    let text = header.text("image-description")
    guard text == Self.unread else { return text }
    return TIFFTable(of: file, page: selection.page, tags: [270])?[270]
      .map { String(latin1: $0.bytes.prefix { $0 != 0 }) }
  }

  /// The texts of a PNG: libvips names them `png-comment-`, a number, a hyphen and the keyword.
  fileprivate var texts: [ImageMetadata.Text] {
    header.fieldNames.compactMap { field in
      guard let match = field.prefixMatch(of: /png-comment-[0-9]+-/) else { return nil }
      let keyword = String(field[match.range.upperBound...])
      // Programs that do not know the chunk of EXIF hide it here, with its thumbnail and more.
      guard !keyword.hasPrefix("Raw profile type"), !keyword.hasPrefix("exif:") else { return nil }
      var text = header.text(field)
      if text == Self.unread { text = PNGChunk.text(named: keyword, in: file) }
      return text.map { ImageMetadata.Text(keyword: keyword, text: $0) }
    }
  }
}

extension PNGChunk {
  /// The text that has a keyword and is not compressed, in Latin-1, before the pixels.
  fileprivate static func text(named keyword: String, in file: SourceFile) -> String? {
    let start = Array("tEXt\(keyword)\0".utf8)
    var place = signature.count
    while let head = file.bytes(at: place, count: 8), !head.ends(with: Kind.imageData) {
      let size = head[..<4].reduce(0) { $0 << 8 | Int($1) }
      if head.ends(with: Kind.text), let chunk = file.bytes(at: place + 4, count: 4 + size),
        chunk.starts(with: start)
      {
        return String(latin1: chunk[start.count...])
      }
      place += frameBytes + size
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate func ends(with kind: PNGChunk.Kind) -> Bool {
    suffix(4).elementsEqual(kind.rawValue.utf8)
  }
}

extension String {
  fileprivate init(latin1 bytes: some Sequence<UInt8>) {
    self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}

/// What Photoshop says in a JPEG: resources, of which one is the IPTC data (Adobe Photoshop File
/// Formats Specification, "Image Resources").
enum PhotoshopBlock {
  private static let signature = Array("8BIM".utf8)
  /// The small images of Photoshop 4 and of later ones.
  private static let thumbnails = [1033, 1036]

  /// The data with zeros for its small images; as it is if it is none of Photoshop's.
  static func withoutThumbnails(_ data: [UInt8]) -> [UInt8] {
    let marker = Array("Photoshop 3.0\0".utf8)
    guard data.starts(with: marker) else { return data }
    var bytes = data
    func number(_ place: Int, bytes count: Int) -> Int {
      data[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }
    var place = marker.count
    while place + 12 <= data.count, data[place...].starts(with: signature) {
      // The name has its length before it; both together are even.
      let size = place + 6 + (Int(data[place + 6]) + 2) / 2 * 2
      guard size + 4 <= data.count else { break }
      let start = size + 4
      let end = min(data.count, start + number(size, bytes: 4))
      if thumbnails.contains(number(place + 4, bytes: 2)) {
        bytes.replaceSubrange(start..<end, with: [UInt8](repeating: 0, count: end - start))
      }
      place = end + (end - start) % 2
    }
    return bytes
  }
}
#endif
