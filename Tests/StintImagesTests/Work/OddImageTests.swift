#if Images
import StintCore
import StintRuntime
import Testing

@testable import StintImages

@Suite("Odd images")
struct OddImageTests {
  private static let images = Result { try OddImages() }

  /// What libvips makes of the whole image at once.
  private static func expected(_ path: String, _ filter: String) throws -> FileOutcome {
    let file = try SourceFile(path)
    let pipeline = try FilterPipeline(parsing: [filter])
    let source = try ImageSource(file, thumbnail: pipeline.thumbnail)
    do {
      _ = try ImagePlan(
        source: source, pipeline: pipeline, request: OutputRequest(format: "tiff", path: nil),
        threads: 1)
    } catch let error as StintError {
      return .refused(error.code)
    }
    let stored =
      source.thumbnail == nil
      ? try VipsImage(.path(path), access: .random)
      : try source.openSequentially().inMemory()
    let base = try source.upright(stored)
    let pixels = try FilterVariants.graph(pipeline, over: base).pixels()
    return .made(XXH3Checksum.digest(pixels))
  }

  @Test("there are as many as were meant")
  func count() throws {
    let images = try Self.images.get()
    #expect(images.whole.count + images.broken.count >= 280)
    for name in images.whole {
      let isRead =
        (try? VipsImage(.path(images.folder.path(name)), access: .random).pixels()) != nil
      #expect(isRead, "\(name)")
    }
    #expect(Set(images.whole + images.broken).count == images.whole.count + images.broken.count)
  }

  @Test(
    "each filter gives what libvips gives, alone and in sets, and nothing for broken files",
    arguments: Array(TruncationTests.filters.enumerated()))
  func everyFilter(number: Int, filter: String) throws {
    let images = try Self.images.get()
    var fixture = try ImageSetFixture(
      images.folder, images.whole + images.broken, filters: [filter])
    (fixture.keepsNames, fixture.format) = (true, "tif")
    let inSet = try FileOutcome.set(fixture, heldBytes: number % 2 == 0 ? 0 : 1 << 20)
    for (place, name) in images.whole.enumerated() {
      let path = images.folder.path(name)
      let expected = try Self.expected(path, filter)
      #expect(inSet[name] == expected, "\(name) in the set")
      // Each image alone with some of the filters, and each filter with some of the images.
      guard (place + number) % 5 == 0 else { continue }
      #expect(
        try FileOutcome.single(path, filter, streams: place % 2 == 0, format: "tif") == expected,
        "\(name) alone")
    }
    for name in images.broken {
      // A crop reads only some of the tiles.
      if filter.hasPrefix("crop"), name.hasSuffix("tiles.tif") { continue }
      // A filter may refuse the kind of image before its pixels are read.
      let isKind = [.refused(.damaged), .refused(.usage)].contains(inSet[name])
      #expect(isKind, "\(name) in the set")
    }
  }
}
#endif
