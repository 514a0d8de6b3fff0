#if Images
import StintCore
import StintRuntime
import Testing

@testable import StintImages

@Suite("Small files that are held in memory")
struct HeldSourceTests {
  private let folder: ImageFolder

  init() throws {
    folder = try ImageFolder()
  }

  private func held() throws -> SourceFile {
    let file = try SourceFile(folder.path("a"))
    let checksum = try file.holdingPiece(atMost: 1 << 20) { false }
    #expect(try checksum == SourceFile(folder.path("a")).piece(0) { false })
    return file
  }

  @Test(
    "every format has the header and the pixels that it has in the file",
    arguments: [
      ("pngsave", "Png"), ("jpegsave", "Jpeg"), ("tiffsave", "Tiff"), ("webpsave", "Webp"),
      ("gifsave", "Nsgif"), ("heifsave", "Heif"),
    ])
  func formats(saver: String, name: String) throws {
    let image = try TestImage.image(70, 50, bands: 3, seed: 4)
    try folder.save(image.editing([.integer("orientation", 6)]), "a", saver)
    let (there, here) = (
      try ImageSource(SourceFile(folder.path("a"))), try ImageSource(held())
    )
    // Two would map their files. Of JPEG it is to be known how far it is read, and of PNG whether
    // a read has failed.
    let isStreamed = ["Webp", "Nsgif", "Jpeg", "Png"].contains(name)
    #expect(there.loader.name == "VipsForeignLoad\(name)\(isStreamed ? "Source" : "File")")
    #expect(
      here.loader.name == "VipsForeignLoad\(name)\(name == "Jpeg" ? "Source" : "Buffer")")
    #expect(here.loader.format == there.loader.format)
    #expect(here.loader.access == there.loader.access)
    #expect(here.storedShape == there.storedShape && here.orientation == there.orientation)
    #expect(try here.openSequentially().pixels() == there.openSequentially().pixels())
    // The second reading opens it again.
    #expect(try here.openSequentially().pixels() == there.openSequentially().pixels())
  }

  @Test("a page is the same page, also of a small image that is made while it is decoded")
  func pages() throws {
    let pages = try TestImage.image(40, 90, bands: 3, seed: 5)
    try folder.save(pages.editing([.integer("page-height", 30)]), "a", "tiffsave")
    let thumbnail = try FilterPipeline(parsing: ["thumbnail:20"]).thumbnail
    for page in 0..<3 {
      for reduction in [nil, thumbnail] {
        let (there, here) = (
          try ImageSource(SourceFile(folder.path("a")), .init(page: page), thumbnail: reduction),
          try ImageSource(held(), .init(page: page), thumbnail: reduction)
        )
        #expect(here.pageCount == 3)
        #expect(here.loader.name.hasSuffix("Buffer") && here.storedShape == there.storedShape)
        #expect(try here.openSequentially().pixels() == there.openSequentially().pixels())
      }
    }
  }

  @Test("the bytes live as long as an image that reads them, and no longer")
  func lifetime() throws {
    try folder.save(TestImage.image(300, 400, bands: 3, seed: 6), "a", "jpegsave")
    let file = try SourceFile(folder.path("a"))
    let expected = try ImageSource(file).openSequentially().pixels()
    withExtendedLifetime(file) {}
    weak var watched: PixelMemory?
    var image: VipsImage?
    try {
      let file = try held()
      watched = file.contents
      image = try ImageSource(file).openSequentially()
    }()
    #expect(watched != nil)
    #expect(try image?.pixels() == expected)
    image = nil
    #expect(watched == nil)
  }

  @Test("a large file is not held, and one that is cut meanwhile is not either")
  func notHeld() throws {
    let path = try folder.write([UInt8](repeating: 1, count: 1 << 20 + 1), "a")
    #expect(try held().contents == nil)
    _ = try folder.write([UInt8](repeating: 1, count: 1 << 20), "a")
    #expect(try held().contents != nil)
    let file = try SourceFile(path)
    _ = try folder.write([UInt8](repeating: 1, count: 100), "a")
    _ = try file.holdingPiece(atMost: 1 << 20) { false }
    #expect(file.contents == nil)
    let error = #expect(throws: StintError.self) { try file.checkUnchanged() }
    #expect(error?.code == .mismatch)
  }
}
#endif
