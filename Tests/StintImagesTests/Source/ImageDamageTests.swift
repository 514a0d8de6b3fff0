#if Images
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("Files whose pixels are damaged")
struct ImageDamageTests {
  /// The kinds of which damage can be seen, and where it is put: other bytes in so many places,
  /// from a share of the file on.
  private static let spoilt: [(kind: String, share: Double, count: Int)] = [
    ("base.jpg", 0.6, 900), ("progressive.jpg", 0.5, 300), ("jpeg.tif", 0.5, 300),
    ("g4.tif", 0.5, 60), ("deflate.tif", 0.5, 9), ("deflate-tiles.tif", 0.4, 9),
    ("jpeg-tiles.tif", 0.5, 900), ("lzw.tif", 0.5, 60), ("plain.png", 0.5, 9),
    ("interlaced.png", 0.5, 9),
  ]

  private static func spoil(_ bytes: [UInt8], _ share: Double, _ count: Int) -> [UInt8] {
    var bytes = bytes
    let start = Int(Double(bytes.count) * share)
    var numbers = SplitMix64(seed: 5)
    for place in start..<min(start + count, bytes.count) {
      bytes[place] = UInt8.random(in: 0...254, using: &numbers)
    }
    return bytes
  }

  @Test("W15 they are refused, alone and in sets, from memory and from the file", arguments: spoilt)
  func refused(kind: String, share: Double, count: Int) throws {
    let folder = try ImageFolder()
    let bytes = try FileKind.named(kind).bytes(in: folder, 400, 300)
    try folder.write(Self.spoil(bytes, share, count), "spoilt")
    for filter in ["invert", "thumbnail:40", "equalise", "rotate:90"] {
      for streams in [false, true] {
        #expect(
          try FileOutcome.single(folder.path("spoilt"), filter, streams: streams)
            == .refused(.damaged), "\(filter) \(streams)")
      }
      for heldBytes in [0, 1 << 20] {
        var fixture = try ImageSetFixture(folder, ["spoilt", kind], filters: [filter])
        fixture.keepsNames = true
        let outcomes = try FileOutcome.set(fixture, heldBytes: heldBytes)
        #expect(outcomes["spoilt"] == .refused(.damaged), "\(filter) \(heldBytes)")
        #expect(
          try outcomes[kind] == .single(folder.path(kind), filter, streams: true), "\(filter)")
      }
    }
  }

  /// Those whose decoders go on behind the damage, and leave no row as it was in memory.
  private static let taken = spoilt.filter {
    ["base.jpg", "progressive.jpg", "jpeg.tif", "plain.png"].contains($0.kind)
  }

  @Test("whoever accepts damage gets what is decoded, with a notice or without", arguments: taken)
  func accepted(kind: String, share: Double, count: Int) throws {
    let folder = try ImageFolder()
    let bytes = try FileKind.named(kind).bytes(in: folder, 400, 300)
    try folder.write(Self.spoil(bytes, share, count), "spoilt")
    for filter in ["invert", "thumbnail:40"] {
      let made = try FileOutcome.single(
        folder.path("spoilt"), filter, streams: true, damaged: .accept)
      guard case .made = made else {
        Issue.record("\(kind) \(filter): \(made)")
        continue
      }
      for (streams, policy) in [(false, DamagePolicy.accept), (true, .warn), (false, .warn)] {
        #expect(
          try FileOutcome.single(
            folder.path("spoilt"), filter, streams: streams, damaged: policy) == made)
      }
      for policy in [DamagePolicy.warn, .accept] {
        var fixture = try ImageSetFixture(folder, ["spoilt"], filters: [filter])
        (fixture.damaged, fixture.keepsNames) = (policy, true)
        let notices = Protected(0)
        _ = try fixture.finish(in: MemoryWorkspace()) { hooks in
          hooks.tell = { event in
            if case .notice = event { notices.withLock { $0 += 1 } }
          }
        }
        #expect(notices.withLock { $0 } == (policy == .warn ? 1 : 0))
        #expect(
          try FileOutcome.pixels(of: fixture.outputs.bytes("spoilt.png")) == made)
      }
    }
  }

  @Test("a set that accepts damage later makes the refused images alone")
  func policyOfSet() throws {
    let folder = try ImageFolder()
    let bytes = try FileKind.named("base.jpg").bytes(in: folder, 400, 300)
    try folder.write(Self.spoil(bytes, 0.6, 300), "spoilt.jpg")
    var fixture = try ImageSetFixture(folder, ["base.jpg", "spoilt.jpg"])
    let workspace = MemoryWorkspace()
    #expect(throws: StintError.self) { try fixture.finish(in: workspace) }
    fixture.damaged = .warn
    #expect(try fixture.finish(in: workspace).made == ["spoilt.jpg"])
    fixture.damaged = .refuse
    // What was made stays.
    #expect(try fixture.finish(in: workspace).made == [])
  }

  @Test(
    "one flipped bit in the only chunk of a PNG is seen, whatever it does to the stream",
    arguments: [0, 6])
  func flips(compression: Int) throws {
    let folder = try ImageFolder()
    let image = try TestImage.image(90, 60, bands: 3, seed: 3)
    try folder.save(image, "a", "pngsave", ["compression": .integer(compression)])
    let bytes = try folder.bytes("a")
    let first = try #require(bytes.firstRange(of: Array("IDAT".utf8))).upperBound
    let last = try #require(bytes.firstRange(of: Array("IEND".utf8))).lowerBound - 8
    for place in stride(from: first + 3, to: last, by: max(1, (last - first) / 40)) {
      var spoilt = bytes
      spoilt[place] ^= 1 << (place % 8)
      try folder.write(spoilt, "b")
      for filter in ["invert", "thumbnail:20"] {
        #expect(
          try FileOutcome.single(folder.path("b"), filter, streams: place % 2 == 0)
            == .refused(.damaged), "\(place) \(filter)")
      }
    }
  }

  @Test("bytes that belong to no pixel are no damage")
  func harmless() throws {
    let folder = try ImageFolder()
    for kind in ["base.jpg", "progressive.jpg"] {
      let bytes = try FileKind.named(kind).bytes(in: folder, 400, 300)
      let whole = try FileOutcome.single(folder.path(kind), "invert", streams: true)
      // Behind the first segment, before each scan, before the end, and after it.
      let places =
        [4 + (Int(bytes[4]) << 8 | Int(bytes[5]))]
        + bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        + [bytes.count - 2, bytes.count]
      for place in places {
        try folder.write(bytes[..<place] + [0, 1, 2, 3, 4] + bytes[place...], "odd")
        for streams in [false, true] {
          let made = try FileOutcome.single(folder.path("odd"), "invert", streams: streams)
          #expect(made == whole, "\(kind) \(place)")
        }
      }
    }
  }

  @Test(
    "no number in a directory overflows what looks at strips and tiles", arguments: [false, true])
  func hugeNumbers(inTiles: Bool) throws {
    func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let huge = UInt64.max
    // Offsets, byte counts, and sides of tiles, in a BigTIFF.
    var fields: [(tag: UInt64, value: UInt64)] = [(256, 9), (259, 8)]
    if inTiles {
      fields += [(322, huge), (323, huge), (324, 16), (325, huge)]
    } else {
      fields += [(273, 16), (279, huge)]
    }
    var file = Array("II".utf8) + bytes(43, 2) + bytes(8, 2) + bytes(0, 2) + bytes(16, 8)
    file += bytes(UInt64(fields.count), 8)
    for field in fields {
      file += bytes(field.tag, 2) + bytes(16, 2) + bytes(1, 8) + bytes(field.value, 8)
    }
    let folder = try ImageFolder()
    let source = try SourceFile(folder.write(file + bytes(0, 8), "a.tif"))
    let pieces = try #require(DamageCheck.Pieces(of: source, page: 0, inTiles: inTiles))
    #expect(pieces.tiles(columns: 0..<9, rows: 0..<9).isEmpty)
    _ = pieces.damage(of: 0)
  }

  @Test("a PPM that is cut while it is read ends its own work, and not the process")
  func cutWhileRead() async throws {
    await #expect(processExitsWith: .success) {
      try VipsLibrary.trust([.ppm])
      let folder = try ImageFolder()
      let side = 1500
      let head = Array("P6\n\(side) \(side)\n255\n".utf8)
      let path = try folder.write(
        head + [UInt8](repeating: 7, count: side * side * 3), "a.ppm")
      let source = try ImageSource(SourceFile(path))
      let decoder = SequentialDecoder(try source.openSequentially())
      let shape = source.storedShape
      let rows = PixelMemory(sizeBytes: shape.sizeBytes)
      try decoder.read(0..<10, into: rows.buffer.baseAddress)
      #expect(truncate(path, 5000) == 0)
      do {
        try decoder.read(10..<shape.height, into: rows.buffer.baseAddress)
        Issue.record("a file of 5000 bytes gave \(shape.height) rows")
      } catch let error as StintError {
        #expect(source.damaged(error).code == .mismatch)
      }
    }
  }
}
#endif
