#if Images
import StintCore
import StintRuntime

@testable import StintImages

/// A block of EXIF data: what of it can stand in a TIFF, and what becomes of it in a result.
///
/// The input is the block. As the header of a colour profile it is looked at, too.
enum ExifTarget {
  private static let allowance = Allowance(
    peakBytes: (fixed: 16_384, perByte: 64), totalBytes: (fixed: 65_536, perByte: 256))

  static func examine(_ input: [UInt8]) {
    let (block, edited) = allowance.measured(input.count) {
      let block = ExifBlock(input)
      if block != nil { Plant.accepted(input) }
      return (block, changed(input))
    }
    checkChanged(edited, input)
    checkProfile(input)
    guard let block else { return }
    Plant.rare(block.entries.count < 3)
    checkFile(of: block, input)
  }

  /// What is said of a result that was turned upright, but not where it was taken.
  private static func changed(_ input: [UInt8]) -> [UInt8] {
    guard var editor = ExifData(input) else { return input }
    editor.set(orientation: 1)
    editor.set(width: 1, height: 1)
    editor.removeThumbnails()
    editor.removePlace()
    return editor.bytes
  }

  /// No other program turns upright pixels once more, or finds what was removed.
  private static func checkChanged(_ bytes: [UInt8], _ input: [UInt8]) {
    require(bytes.count == input.count, "a change changed the length")
    require(changed(bytes) == bytes, "what was changed is changed again")
    // Without a header libexif reads nothing.
    let (isLittle, isBig) = (bytes.starts(with: "II*\0".utf8), bytes.starts(with: "MM\0*".utf8))
    guard isLittle || isBig else { return }
    // It does of a directory inside of the header, which nobody writes and nothing can be put into.
    let digits = Array(bytes.dropFirst(4).prefix(4))
    let directory = (isBig ? digits : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
    guard directory >= 8 else { return }
    let seen = image(with: bytes)
    require(seen.integer("orientation") ?? 1 == 1, "libvips turns an upright image")
    require(seen.blob("jpeg-thumbnail-data") ?? [] == [], "libvips finds a thumbnail")
    require(!seen.fieldNames.contains { $0.hasPrefix("exif-ifd3") }, "libvips finds a place")
  }

  private static let marker = Array("Exif\0\0".utf8)

  /// What libvips makes of a JPEG with that block.
  private static func image(with block: [UInt8]) -> VipsImage {
    let payload = marker + block
    let size = payload.count + 2
    let file =
      jpeg[..<2] + [0xFF, 0xE1, UInt8(size >> 8), UInt8(truncatingIfNeeded: size)] + payload
      + jpeg[2...]
    return needed("libvips does not read a JPEG with EXIF data") {
      try VipsImage(
        owning: VipsOperation.pointer("jpegload_buffer", ["buffer": .file(Array(file))]))
    }
  }

  /// A JPEG of one pixel without metadata.
  private static let jpeg = needed("no JPEG") {
    try SampleImages.jpeg(PixelShape(width: 1, height: 1, color: .gray))
  }

  /// A TIFF with the block in it says the same, and has the block at the same place.
  private static func checkFile(of block: ExifBlock, _ input: [UInt8]) {
    let file = MemoryFile()
    needed("a TIFF with EXIF data is refused") {
      let encoder = try TIFFEncoder(
        shape: PixelShape(width: 1, height: 1, color: .gray), metadata: ImageMetadata(exif: input))
      require(encoder.keepsExif, "a block that can be read is left out")
      _ = try encoder.begin(into: file)
    }
    var bytes = file.bytes
    if Plant.spoils { bytes[8] ^= 1 }
    require(bytes[8...].starts(with: input[8...]), "the block is not what was read")
    let tags = Set(block.entries.map(\.tag))
    require(tags.count == block.entries.count, "a tag stands twice")
    guard let table = TIFFTable(of: MemorySource.source(bytes), page: 0, tags: tags) else {
      fatalError("the directory of a TIFF with EXIF data cannot be read")
    }
    for entry in block.entries {
      let sizeBytes = entry.count * entry.kind.sizeBytes
      let digits = block.isBigEndian ? entry.value : entry.value.reversed()
      let place = digits.reduce(0) { $0 << 8 | Int($1) }
      let value =
        sizeBytes <= 4 ? entry.value[..<sizeBytes] : input[place..<place + sizeBytes]
      let written = table[entry.tag]
      require(
        written?.kind == entry.kind.rawValue && written?.count == entry.count
          && written?.bytes == Array(value), "the field \(entry.tag) became another one")
    }
  }

  /// A profile is one for at most one kind of colours, and as it was.
  private static func checkProfile(_ input: [UInt8]) {
    let metadata = ImageMetadata(profile: input)
    let found = PixelShape.Color.allCases.compactMap { metadata.profile(for: $0) }
    require(found.count < 2 && found.allSatisfy { $0 == input }, "a profile of several colours")
  }
}
#endif
