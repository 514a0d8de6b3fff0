#if Images
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("EXIF data in the TIFF files that are written")
struct ExifInTIFFTests {
  /// A block as a camera writes it: a directory with the two of EXIF and GPS below it, and notes
  /// that only their maker can read.
  struct Block {
    let isBigEndian: Bool
    var bytes: [UInt8] = []
    private(set) var noteOffset = 0
    static let note = Array("notes with an offset: ".utf8)

    init(isBigEndian: Bool, gpsDirectory: Int? = nil) {
      self.isBigEndian = isBigEndian
      bytes = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
      // Directories one behind the other, then the values that do not fit into an entry.
      let (first, exif, gps) = (8, 8 + 6 + 12 * 5, 8 + 6 + 12 * 5 + 6 + 12 * 2)
      let values = gps + 6 + 12
      let maker = Array("A maker\0".utf8)
      noteOffset = values + maker.count + 8
      let note = Self.note + number(noteOffset, 4)
      #expect(bytes.count == first)
      directory([
        entry(271, 2, maker.count, number(values, 4)),
        entry(272, 2, 3, Array("X1\0\0".utf8)),
        entry(274, 3, 1, number(1, 2) + [0, 0]),
        entry(34665, 4, 1, number(exif, 4)),
        entry(34853, 4, 1, number(gpsDirectory ?? gps, 4)),
      ])
      directory([
        entry(33434, 5, 1, number(values + maker.count, 4)),
        entry(37500, 7, note.count, number(noteOffset, 4)),
      ])
      directory([entry(1, 2, 2, Array("N\0\0\0".utf8))])
      bytes += maker + number(1, 4) + number(125, 4) + note
    }

    func number(_ number: Int, _ count: Int) -> [UInt8] {
      let digits = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      return isBigEndian ? digits.reversed() : digits
    }

    private func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(kind, 2) + number(count, 4) + value
    }

    private mutating func directory(_ entries: [[UInt8]]) {
      bytes += number(entries.count, 2) + entries.joined() + number(0, 4)
    }
  }

  private static func metadata(_ exif: [UInt8]) -> ImageMetadata {
    var metadata = MetadataTests.metadata
    metadata.exif = exif
    return metadata
  }

  private static func pixels(of shape: PixelShape) -> [UInt8] {
    var generator = SeededGenerator(seed: 4)
    return (0..<shape.rowBytes * shape.height).map { _ in .random(in: 0...255, using: &generator) }
  }

  /// The file that is written in pieces, and its pixels as libvips reads them.
  private static func file(
    _ encoder: TIFFEncoder
  ) throws -> (bytes: [UInt8], image: VipsImage) {
    let file = MemoryFile()
    let pixels = pixels(of: encoder.shape)
    var progress = try encoder.begin(into: file)
    while progress.rows < encoder.shape.height {
      // As after a kill: all that the next piece knows is the progress.
      let next = min(progress.rows + encoder.rowsPerUnit, encoder.shape.height)
      let range = progress.rows * encoder.shape.rowBytes..<next * encoder.shape.rowBytes
      progress = try pixels.withUnsafeBytes {
        try encoder.append(
          UnsafeRawBufferPointer(rebasing: $0[range]), after: progress, threads: 1, stopFlag: nil,
          into: file)
      }
    }
    try encoder.finish(progress, into: file)
    let (image, read) = try EncoderCase.read(file.bytes, ending: "tif")
    #expect(read == pixels)
    return (file.bytes, image)
  }

  @Test(
    "the data stand in the file as a reader of EXIF finds them, whatever their order of bytes",
    arguments: [false, true],
    [
      TIFFOptions(layout: .strips, compression: .none), TIFFOptions(),
      TIFFOptions(layout: .tiles(side: 16), compression: .lzw),
    ])
  func kept(isBigEndian: Bool, options: TIFFOptions) throws {
    let block = Block(isBigEndian: isBigEndian)
    let encoder = try TIFFEncoder(
      shape: MetadataTests.shape, options: options, metadata: Self.metadata(block.bytes),
      stripBytes: 240)
    #expect(encoder.keepsExif)
    let (bytes, image) = try Self.file(encoder)
    #expect(image.blob("icc-profile-data") == MetadataTests.metadata.profile)
    #expect(image.integer("orientation") == 6)
    #expect(abs(image.resolution.x - 11.811) < 0.001)
    // What only the maker can find is where it was.
    #expect(Array(bytes[8..<block.bytes.count]) == Array(block.bytes[8...]))
    let note = bytes[block.noteOffset...].prefix(Block.note.count)
    #expect(Array(note) == Block.note)

    // The whole file is a block of EXIF data too: libexif reads it as it would that of a JPEG.
    var other = ImageMetadata()
    other.exif = bytes
    let jpeg = try WholeFileEncoder(format: .jpeg, shape: MetadataTests.shape, metadata: other)
    let file = MemoryFile()
    let drawn = try EncoderCase.image(Self.pixels(of: MetadataTests.shape), MetadataTests.shape)
    #expect(try jpeg.encode(drawn, into: file))
    let read = try EncoderCase.read(file.bytes, ending: "jpg").image
    #expect(read.text("exif-ifd0-Make")?.hasPrefix("A maker") == true)
    #expect(read.text("exif-ifd0-Model")?.hasPrefix("X1") == true)
    #expect(read.text("exif-ifd2-ExposureTime")?.hasPrefix("1/125") == true)
    #expect(read.text("exif-ifd3-GPSLatitudeRef")?.hasPrefix("N") == true)
    #expect(read.fieldNames.contains("exif-ifd2-MakerNote"))
  }

  @Test("data of an odd length leave the directory at an even offset, where readers look for it")
  func oddLength() throws {
    var block = Block(isBigEndian: false).bytes
    if block.count % 2 == 0 { block.append(7) }
    let (bytes, _) = try Self.file(
      TIFFEncoder(shape: MetadataTests.shape, metadata: Self.metadata(block)))
    #expect(Int(bytes[4]) | Int(bytes[5]) << 8 == block.count + 1)
  }

  @Test("what a TIFF cannot hold is left out, and said to be")
  func leftOut() throws {
    let little = Self.metadata(Block(isBigEndian: false).bytes)
    let big = Self.metadata(Block(isBigEndian: true).bytes)
    let wide = PixelShape(width: 20, height: 10, color: .rgb, sample: .unsigned16)
    // Directories of 32-bit offsets in a file of 64-bit ones, and samples in the other order.
    #expect(try !TIFFEncoder(shape: MetadataTests.shape, metadata: little, isBig: true).keepsExif)
    #expect(try !TIFFEncoder(shape: wide, metadata: big).keepsExif)
    #expect(try TIFFEncoder(shape: wide, metadata: little).keepsExif)
    _ = try Self.file(TIFFEncoder(shape: wide, metadata: big))
    _ = try Self.file(TIFFEncoder(shape: wide, metadata: little))
    #expect(try TIFFEncoder(shape: MetadataTests.shape).keepsExif)
    let output = try ImageOutput(
      OutputRequest(format: "tiff", path: nil), shape: wide.imageShape, metadata: big)
    #expect(output.notices == ["TIFF cannot hold EXIF data such as this, so it is dropped"])
  }

  @Test("a field without values is left out: with one, a directory is none to some readers")
  func emptyField() throws {
    var bytes = Block(isBigEndian: false).bytes
    // The number of values of the first entry, the maker.
    bytes.replaceSubrange(14..<18, with: [0, 0, 0, 0])
    let tags = try #require(ExifBlock(bytes)).entries.map(\.tag)
    #expect(!tags.contains(.maker) && tags.contains(.model))
  }

  @Test("C8 data that lead out of themselves are no EXIF data, and no bytes make the reader trap")
  func hostile() throws {
    let whole = Block(isBigEndian: false)
    #expect(ExifBlock(whole.bytes) != nil)
    for offset in [0, 7, whole.bytes.count - 1, 1 << 31] {
      #expect(ExifBlock(Block(isBigEndian: false, gpsDirectory: offset).bytes) == nil)
    }
    for length in whole.bytes.indices { _ = ExifBlock(Array(whole.bytes.prefix(length))) }
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      var bytes = Block(isBigEndian: Bool.random(using: &generator)).bytes
      for _ in 0..<4 {
        let index = Int.random(in: bytes.indices, using: &generator)
        bytes[index] =
          [0, 1, 255, UInt8.random(in: 0...255, using: &generator)]
          .randomElement(using: &generator) ?? 0
      }
      guard let block = ExifBlock(bytes) else { continue }
      for entry in block.entries where entry.count * entry.kind.sizeBytes > 4 {
        let digits = block.isBigEndian ? entry.value : entry.value.reversed()
        let place = digits.reduce(0) { $0 << 8 | Int($1) }
        #expect(place >= 8 && place + entry.count * entry.kind.sizeBytes <= bytes.count)
      }
    }
  }
}
#endif
