#if Images
import StintRuntime
import StintCore
import StintTesting
import Testing

@testable import StintImages

@Suite("Images that are made in one evaluation")
struct WholeImageTests {
  private static func whole(
    _ fixture: ImageFixture, stopFlag: StopFlag = StopFlag()
  ) throws -> [UInt8]? {
    let file = MemoryFile()
    return try fixture.computation().makeWhole(into: file, stopFlag: stopFlag) ? file.bytes : nil
  }

  private static func chunked(_ fixture: ImageFixture) throws -> [UInt8] {
    let workspace = MemoryWorkspace()
    try fixture.computation().finishBySmallest(in: workspace)
    return workspace.file().bytes
  }

  @Test(
    "W8 the file is the one that chunks make; what they alone can make is left to them",
    arguments: ImageExample.allCases)
  func sameAsChunks(example: ImageExample) throws {
    let fixture = try example.fixture()
    let isServed = [.turned, .smaller, .plain, .streamedWhole, .webP, .avif].contains(example)
    let whole = try Self.whole(fixture)
    #expect((whole != nil) == isServed)
    guard let whole else { return }
    #expect(try whole == Self.chunked(fixture))
  }

  @Test(
    "W8 with everything that a photograph carries besides, turned or not, in each format",
    arguments: [1, 6], ["jpeg", "webp", "gif", "avif", "ppm"])
  func metadata(orientation: Int, output: String) throws {
    let fixture = try ImageFixture(
      TestImage.shape(90, 70, bands: 3), saver: "jpegsave",
      edits: [
        .blob("icc-profile-data", MetadataTests.profile(of: "RGB ")),
        .blob("xmp-data", Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)),
        .text("exif-ifd0-Model", "A camera"), .integer("orientation", orientation),
        .number("Xres", 11), .text("comment", "of the source"),
      ], filters: ["gaussian-blur:2", "resize:50%"], output: output)
    #expect(fixture.plan.source.isTurned == (orientation == 6))
    #expect(try Self.whole(fixture) == Self.chunked(fixture))
  }

  @Test("a damaged source and a raised flag leave it to the chunks, which say what is wrong")
  func leftToChunks() throws {
    func fixture(isDamaged: Bool) throws -> ImageFixture {
      try ImageFixture(
        TestImage.shape(400, 300, bands: 3), saver: "jpegsave", filters: ["gaussian-blur:2"],
        output: "jpeg", isDamaged: isDamaged)
    }
    #expect(try Self.whole(fixture(isDamaged: false), stopFlag: .raised) == nil)
    let damaged = try fixture(isDamaged: true)
    #expect(try Self.whole(damaged) == nil)
    #expect {
      _ = try Self.chunked(damaged)
    } throws: { ($0 as? StintError)?.code == .damaged }
  }
}
#endif
