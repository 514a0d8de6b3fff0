#if Images
import CZlib
import StintCore
import StintRuntime

@testable import StintImages

/// The reader of single strips, beside libvips' reading of the whole file.
///
/// The first byte of the input chooses the page and how large strips may be; the rest is the file.
/// Only small images in the simplest codings are decoded: what libtiff does with its own is not
/// ours to look for.
enum StripsTarget {
  private static let mostSide = 64
  private static let mostPixelBytes = 1 << 16
  private static let codings = [1, 5, 8, 32_773]
  // libvips takes some hundred thousand bytes for each thread that it starts.
  private static let allowance = Allowance(
    peakBytes: (fixed: 4 << 20, perByte: 1024), totalBytes: (fixed: 12 << 20, perByte: 4096))

  static func examine(_ input: [UInt8]) {
    guard let first = input.first, input.count > 1 else { return }
    let file = MemorySource.source(Array(input.dropFirst()))
    let page = Int(first & 3)
    guard isSmall(file, page), let whole = opened(file, page),
      whole.shape.sizeBytes <= mostPixelBytes
    else { return }
    let most = first & 4 == 0 ? StripReader.usualStripBytes : 16
    let decoded = allowance.accepted(input) {
      StripReader(
        file, page: page, shape: whole.shape, .refuse, DecoderMessages(.refuse),
        mostStripBytes: most
      ).flatMap { rows(by: $0, whole.shape) }
    }
    guard var decoded, let expected = try? whole.pixels() else { return }
    // Bits that nothing reads, and no seed has.
    Plant.rare(first > 7)
    if Plant.spoils { decoded[0] ^= 1 }
    require(
      decoded == expected || mayHoldGarbage(file, page, whole.shape),
      "the strips of \(whole.shape.phrase) have other pixels")
  }

  private static func isSmall(_ file: SourceFile, _ page: Int) -> Bool {
    guard let table = TIFFTable(of: file, page: page, tags: TIFFStrips.tags),
      let width = table.number(256), let height = table.number(257)
    else { return false }
    return width <= mostSide && height <= mostSide && codings.contains(table.number(259) ?? 1)
  }

  /// Whether a strip of Deflate is damaged or holds more than its rows.
  ///
  /// libtiff 4.5 has strips decoded by libdeflate. libdeflate stops at a copy that would cross the
  /// end of the strip, even if zlib refuses that copy as damage; libtiff reports nothing and gives
  /// for the rest what its memory held before.
  private static func mayHoldGarbage(_ file: SourceFile, _ page: Int, _ shape: ImageShape) -> Bool {
    guard let table = TIFFTable(of: file, page: page, tags: TIFFStrips.tags),
      table.number(259) == 8, let offsets = table.numbers(273), let counts = table.numbers(279)
    else { return false }
    // Bits in a sample, samples in a pixel.
    let factors = [258, 277].map { min(table.number($0) ?? 1, Int(UInt16.max)) }
    let rowBits = factors.reduce(shape.width, *)
    let stored = min(table.number(278) ?? shape.height, shape.height)
    return zip(0..., zip(offsets, counts)).contains { strip, place in
      guard let packed = file.bytes(at: place.0, count: place.1) else { return false }
      let rows = min(stored, max(0, shape.height - strip * stored))
      let size = rows * ((rowBits + 7) / 8)
      var plain = [UInt8](repeating: 0, count: size + 1)
      var written = uLongf(plain.count)
      let status = uncompress(&plain, &written, packed, uLong(packed.count))
      return status != Z_OK || written > size
    }
  }

  /// The page as libvips sees it, to be read from top to bottom.
  private static func opened(_ file: SourceFile, _ page: Int) -> VipsImage? {
    do throws(StintError) {
      try VipsLibrary.start(threads: 1)
      return try VipsImage(
        owning: VipsOperation.pointer(
          "tiffload",
          [
            "filename": .text(file.descriptorPath), "access": .word("sequential"),
            "fail-on": .word("error"), "page": .integer(page),
          ], code: .damaged))
    } catch {
      return nil
    }
  }

  /// All rows in three parts, the last first; nil if libvips refuses one.
  private static func rows(by reader: StripReader, _ shape: ImageShape) -> [UInt8]? {
    let cuts = [0, shape.height / 3, shape.height * 2 / 3, shape.height]
    var pixels: [UInt8] = []
    for (from, to) in zip(cuts, cuts.dropFirst()).reversed() where from < to {
      var part = [UInt8](repeating: 0, count: (to - from) * shape.rowBytes)
      let isDone = part.withUnsafeMutableBytes { buffer in
        unlessRefused("a bad strip", .damaged, .io) {
          try reader.decode(from..<to, into: buffer, threads: 1, stopFlag: StopFlag())
        }
      }
      guard isDone == true else { return nil }
      pixels = part + pixels
    }
    return pixels
  }
}
#endif
