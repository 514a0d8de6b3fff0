import StintCore
import StintRuntime

@testable import FuzzTargets
@testable import StintImages

extension Seeds {
  /// Writes numbers in one of the two orders.
  private struct Writer {
    var isBigEndian = false

    func number(_ number: Int, _ size: Int) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      return isBigEndian ? bytes.reversed() : bytes
    }

    /// An entry of a directory whose value stands in it, a short or a long.
    func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Int, word: Int = 4) -> [UInt8] {
      let size = kind == 3 && count == 1 ? 2 : word
      return number(tag, 2) + number(kind, 2) + number(count, word)
        + number(value, size) + [UInt8](repeating: 0, count: word - size)
    }

    func head(isBig: Bool = false) -> [UInt8] {
      Array((isBigEndian ? "MM" : "II").utf8)
        + (isBig
          ? number(43, 2) + number(8, 2) + number(0, 2) + number(16, 8)
          : number(42, 2) + number(8, 4))
    }

    func directory(_ entries: [[UInt8]], next: Int = 0, isBig: Bool = false) -> [UInt8] {
      number(entries.count, isBig ? 8 : 2) + entries.joined() + number(next, isBig ? 8 : 4)
    }
  }

  /// Files of 6 by 4 pixels in two strips, in each order, with offsets of 32 and of 64 bits, of two
  /// pages, and with a strip of rows that lie side by side.
  static var tiffs: [[UInt8]] {
    let pixels = (0..<24).map { UInt8($0) }
    func file(_ writer: Writer, isBig: Bool = false, pages: Int = 1) -> [UInt8] {
      let word = isBig ? 8 : 4
      var bytes = writer.head(isBig: isBig)
      // Ten fields; then two tables of two numbers, and the pixels.
      let directoryBytes = (isBig ? 16 : 6) + 10 * (isBig ? 20 : 12)
      let pageBytes = directoryBytes + 4 * word + pixels.count
      for page in 0..<pages {
        let (start, tables) = (bytes.count, bytes.count + directoryBytes)
        let data = tables + 4 * word
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Int) -> [UInt8] {
          writer.entry(tag, kind, count, value, word: word)
        }
        let table = isBig ? 16 : 4
        bytes += writer.directory(
          [
            entry(256, 4, 1, 6), entry(257, 4, 1, 4), entry(258, 3, 1, 8), entry(259, 3, 1, 1),
            entry(262, 3, 1, 1), entry(273, table, 2, tables), entry(277, 3, 1, 1),
            entry(278, 4, 1, 2), entry(279, table, 2, tables + 2 * word), entry(284, 3, 1, 1),
          ], next: page + 1 < pages ? start + pageBytes : 0, isBig: isBig)
        bytes += [data, data + 12, 12, 12].flatMap { writer.number($0, word) } + pixels
      }
      return bytes
    }
    // Rows of 300 bytes, one strip, and the least that is decoded at once below that.
    let writer = Writer()
    let large =
      writer.head()
      + writer.directory([
        writer.entry(256, 4, 1, 150), writer.entry(257, 4, 1, 4), writer.entry(258, 3, 1, 8),
        writer.entry(273, 4, 1, 8 + 6 + 7 * 12), writer.entry(277, 3, 1, 1),
        writer.entry(278, 4, 1, 4), writer.entry(279, 4, 1, 600),
      ]) + [UInt8](repeating: 7, count: 600)
    return [
      [0] + file(Writer()), [0] + file(Writer(isBigEndian: true)),
      [0] + file(Writer(), isBig: true), [0] + file(Writer(isBigEndian: true), isBig: true),
      [1] + file(Writer(), pages: 2), [2] + file(Writer(isBigEndian: true), isBig: true, pages: 3),
      [32] + large, [0] + file(Writer()).prefix(60), [0],
    ]
  }

  /// The same files, and some in each coding that is decoded here, of several strips.
  static func strips() throws -> [[UInt8]] {
    let gray = PixelShape(width: 9, height: 7, color: .gray)
    let wide = PixelShape(width: 5, height: 6, color: .rgb, hasAlpha: true, sample: .unsigned16)
    let options: [TIFFOptions] = [
      TIFFOptions(compression: .none), TIFFOptions(compression: .lzw, usesPredictor: false),
      TIFFOptions(compression: .lzw), TIFFOptions(),
    ]
    var seeds = tiffs.map { seed in [seed[0] & 3] + Array(seed.dropFirst()) }
    for shape in [gray, wide] {
      for options in options {
        let encoder = try TIFFEncoder(shape: shape, options: options, stripBytes: 100)
        seeds.append([0] + (try SampleImages.file(encoder)))
      }
    }
    // One strip, of rows that are read one by one.
    let lines = try TIFFEncoder(
      shape: gray, options: TIFFOptions(compression: .none), isBig: true)
    seeds.append([4] + (try SampleImages.file(lines)))
    return seeds
  }

  /// Blocks with the directories of a camera, of its place, and an orientation; with and without
  /// the marker before them.
  static var exifs: [[UInt8]] {
    [false, true].flatMap { isBigEndian -> [[UInt8]] in
      let writer = Writer(isBigEndian: isBigEndian)
      let (exif, gps) = (8 + 6 + 12 * 4, 8 + 6 + 12 * 4 + 18)
      let block =
        writer.head()
        + writer.directory([
          writer.entry(271, 2, 8, gps + 18), writer.entry(274, 3, 1, 6),
          writer.entry(34665, 4, 1, exif), writer.entry(34853, 4, 1, gps),
        ])
        + writer.directory([writer.entry(33434, 5, 1, gps + 18)])
        + writer.directory([writer.entry(1, 2, 2, 0x4E)]) + Array("A maker\0".utf8)
      return [block, Array("Exif\0\0".utf8) + block, Array(block.prefix(40))]
    } + [profile]
  }

  /// The header of a colour profile.
  private static var profile: [UInt8] {
    var profile = [UInt8](repeating: 0, count: 128)
    profile.replaceSubrange(16..<20, with: "RGB ".utf8)
    profile.replaceSubrange(36..<40, with: "acsp".utf8)
    return profile
  }

  /// Ledgers with every kind of line, sealed by themselves and by the target.
  static func imageSets() throws -> [[UInt8]] {
    let item = ImageSetPlan.Item(
      path: "/in/a b.png", stem: "2024/a b", ending: "png",
      request: try OutputRequest(format: "png", path: nil))
    let identity = SourceFile.Identity(
      device: 1, inode: 2, sizeBytes: 3, modified: -4, changed: 5)
    let result = ImageSetResult(
      frames: 3, sizeBytes: 77, checksum: Checksum128(high: 1, low: 2), inode: 9, modified: 10,
      source: Checksum128(high: 3, low: 4))
    var part = ImageSetPlaces([0, 1], of: nil)
    (part.wholeCount, part.numbers) = (5, [1...1, 4...4])
    let lines: [ImageSetLine] = [
      .head(work: "abc"), .input(0, item, identity), .input(1, item, nil),
      .list(ImageSetPlaces([0, 1], of: nil)), .same(0, identity),
      .done(.init(item: 0, frame: 2), result), .dropped(.init(item: 1, frame: 0)),
      .failed(1, StintError(.usage, "It has\talpha.", remedies: [.background], errno: 5)),
    ]
    // The target puts the seal back that is taken off here.
    let sealBytes = #","xxh3":""}"#.utf8.count + 32 + 1
    func bare(_ line: ImageSetLine) -> [UInt8] { Array(line.encoded.dropLast(sealBytes)) }
    let newline = [UInt8(ascii: "\n")]
    return lines.map { [1] + bare($0) }
      + [
        [0] + lines.flatMap(\.encoded), [1] + lines.map(bare).joined(separator: newline),
        [1] + [lines[0], lines[1], lines[2], .list(part)].map(bare).joined(separator: newline),
        [1] + lines[1].encoded.prefix(40),
        [3] + Array(#"{"place":1,"frame":0,"position":"waiting","stints":1"#.utf8),
      ]
  }

  /// Statistics of one and of two bands, an encoder's progress, and fingerprints.
  static var imageStates: [[UInt8]] {
    var counts = [UInt64](repeating: 0, count: 256)
    (counts[0], counts[7], counts[255]) = (3, 300, 1)
    var wide = [UInt64](repeating: 0, count: 65_536)
    wide[1000] = 5
    let statistics = [[counts], [counts, counts], [wide]].map { FilterStatistics(counts: $0) }
    let identity = SourceFile.Identity(
      device: 1, inode: 2, sizeBytes: 200 << 20, modified: 4, changed: 5)
    let entries = [
      FingerprintCache.Entry(
        identity: identity, readAt: 7,
        pieces: [Checksum128(high: 1, low: 2), Checksum128(high: 3, low: 4)])
    ]
    return statistics.map { [0] + $0.encoded }
      + [
        [1] + EncodingProgress(rows: 300, sizeBytes: 70_000, adler: 1).encoded,
        [2] + FingerprintCache.encoded(entries).dropLast(33),
      ]
  }

  /// Lists of lines, and lists with a NUL after each name.
  static var imageLists: [[UInt8]] {
    ["a.png\n/in/b c.tif\n", "a\0b\nc\0", "\n\n", "ä.jpg\r\n./-\n", "one"].map { Array($0.utf8) }
      + [[0x61, 0xFF, 0x0A]]
  }
}
