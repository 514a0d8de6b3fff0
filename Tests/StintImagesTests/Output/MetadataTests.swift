#if Images
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("Metadata in the files that are written")
struct MetadataTests {
  /// What passes for a profile: a header with a colour space, no tags, and bytes that do not get
  /// shorter by compression, because libpng takes a very short chunk for a broken one.
  static func profile(of space: String) -> [UInt8] {
    var generator = SeededGenerator(seed: 1)
    var bytes = [UInt8](repeating: 0, count: 132)
    bytes += (0..<380).map { _ in UInt8.random(in: 0...255, using: &generator) }
    bytes[2] = 2
    bytes.replaceSubrange(8..<12, with: [2, 0x40, 0, 0])
    bytes.replaceSubrange(12..<16, with: Array("mntr".utf8))
    bytes.replaceSubrange(16..<20, with: Array(space.utf8))
    bytes.replaceSubrange(20..<24, with: Array("XYZ ".utf8))
    bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
    // The light of the connection space, D50.
    bytes.replaceSubrange(68..<80, with: [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D])
    return bytes
  }

  static let shape = PixelShape(width: 20, height: 10, color: .rgb)
  static let metadata = ImageMetadata(
    profile: profile(of: "RGB "), resolution: .init(horizontal: 11.811, vertical: 5.5),
    xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8), iptc: Array(0..<30),
    orientation: 6, description: "A test")

  static func encoded(_ encoder: any ResumableEncoder) throws -> [UInt8] {
    let file = MemoryFile()
    let pixels = [UInt8](repeating: 90, count: encoder.shape.rowBytes * encoder.shape.height)
    let end = try pixels.withUnsafeBytes {
      try encoder.append(
        $0, after: encoder.begin(into: file), threads: 2, stopFlag: nil, into: file)
    }
    try encoder.finish(end, into: file)
    return file.bytes
  }

  @Test(
    "a TIFF keeps profile, resolution, XMP, IPTC, orientation and description",
    arguments: [false, true])
  func tiff(isBig: Bool) throws {
    let encoder = try TIFFEncoder(shape: Self.shape, metadata: Self.metadata, isBig: isBig)
    let image = try EncoderCase.read(Self.encoded(encoder), ending: "tif").image
    #expect(image.blob("icc-profile-data") == Self.metadata.profile)
    #expect(image.blob("xmp-data") == Self.metadata.xmp)
    #expect(image.blob("iptc-data").map { Array($0.prefix(30)) } == Self.metadata.iptc)
    #expect(image.integer("orientation") == 6)
    #expect(image.text("image-description") == "A test")
    #expect(abs(image.resolution.x - 11.811) < 0.001 && abs(image.resolution.y - 5.5) < 0.001)
  }

  @Test("a PNG keeps profile, resolution, XMP and texts")
  func png() throws {
    let encoder = try PNGEncoder(shape: Self.shape, metadata: Self.metadata)
    let image = try EncoderCase.read(Self.encoded(encoder), ending: "png").image
    #expect(image.blob("icc-profile-data") == Self.metadata.profile)
    #expect(image.blob("xmp-data") == Self.metadata.xmp)
    #expect(abs(image.resolution.x - 11.811) < 0.001 && abs(image.resolution.y - 5.5) < 0.001)
    #expect(image.fieldNames.contains { $0.hasSuffix("Description") })
  }

  /// An empty directory in a TIFF structure.
  static let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  @Test(
    "what is written at once keeps what is not said to be lost",
    arguments: [OutputFormat.jpeg, .webp, .avif, .heic, .gif])
  func whole(format: OutputFormat) throws {
    var metadata = Self.metadata
    metadata.exif = Self.exif
    let lost = format.lost(of: metadata, shape: Self.shape)
    let encoder = try WholeFileEncoder(format: format, shape: Self.shape, metadata: metadata)
    let pixels = [UInt8](repeating: 90, count: Self.shape.rowBytes * Self.shape.height)
    let image = try EncoderCase.image(pixels, Self.shape)
    let file = MemoryFile()
    #expect(try encoder.encode(image, into: file))
    let read = try EncoderCase.read(file.bytes, ending: format.pathExtensions[0]).image
    let profile = lost.contains("the colour profile") ? nil : metadata.profile
    #expect(read.blob("icc-profile-data") == profile)
    #expect(read.blob("xmp-data") == (lost.contains("the XMP data") ? nil : metadata.xmp))
    #expect((read.blob("exif-data") == nil) == lost.contains("the EXIF data"))
    if format == .jpeg || format == .webp { #expect(read.integer("orientation") == 6) }
  }

  @Test("a profile for other colours is left out, and said to be")
  func foreignProfile() throws {
    let metadata = ImageMetadata(profile: Self.profile(of: "CMYK"))
    let encoder = try PNGEncoder(shape: Self.shape, metadata: metadata)
    let image = try EncoderCase.read(Self.encoded(encoder), ending: "png").image
    #expect(image.blob("icc-profile-data") == nil)
    #expect(
      OutputFormat.png.lost(of: metadata, shape: Self.shape)
        == ["the colour profile, which is not one for RGB"])
    #expect(OutputFormat.png.lost(of: Self.metadata, shape: Self.shape) == ["the IPTC data"])
    #expect(OutputFormat.tiff.lost(of: Self.metadata, shape: Self.shape) == [])
  }
}
#endif
