#if Images
import StintImages

/// Work of every kind on images so small, and of such odd sizes, that bands and strips end within
/// them.
enum ImageExample: String, CaseIterable, Sendable {
  case blurred, tiled, measured, turned, smaller, plain, least, narrow, reduced
  case streamed, streamedWhole, streamedStrips, streamedTiles
  case webP, avif

  func fixture() throws -> ImageFixture {
    switch self {
    case .streamed:
      try ImageFixture(
        TestImage.shape(331, 1317, bands: 3),
        filters: ["gaussian-blur:2", "sharpen:sigma=1.5,amount=0.8"], output: "tiff", tile: 64,
        streams: true)
    case .streamedWhole:
      try ImageFixture(
        TestImage.shape(150, 300, bands: 3), saver: "jpegsave", filters: ["resize:50%"],
        output: "webp", compression: "lossless", streams: true)
    case .streamedStrips:
      try ImageFixture(
        TestImage.shape(120, 500, bands: 1), saver: "tiffsave", filters: ["median:3", "invert"],
        streams: true)
    case .streamedTiles:
      try ImageFixture(
        TestImage.shape(300, 401, bands: 3), saver: "tiffsave", options: ["tile": .flag(true)],
        filters: ["clahe:size=17,slope=3"], output: "tiff", tile: 64, streams: true)
    case .blurred:
      try ImageFixture(
        TestImage.shape(331, 1317, bands: 3), filters: ["gaussian-blur:2", "invert"])
    case .tiled:
      try ImageFixture(
        TestImage.shape(300, 201, bands: 3), saver: "tiffsave", options: ["tile": .flag(true)],
        filters: ["equalise", "sobel"], output: "tiff", tile: 64)
    case .measured:
      try ImageFixture(
        TestImage.shape(129, 257, bands: 4, format: .uint16), filters: ["median:3", "equalise"],
        output: "tiff", compression: "deflate")
    case .turned:
      try ImageFixture(
        TestImage.shape(200, 150, bands: 1), saver: "jpegsave", filters: ["rotate:90"],
        output: "webp", compression: "lossless")
    case .smaller:
      try ImageFixture(
        TestImage.shape(150, 90, bands: 3), filters: ["resize:50%"], output: "webp",
        compression: "lossless")
    case .plain:
      try ImageFixture(TestImage.shape(33, 40, bands: 3), filters: ["invert"], output: "ppm")
    case .least:
      try ImageFixture(TestImage.shape(1, 1, bands: 3))
    case .reduced:
      try ImageFixture(
        TestImage.shape(600, 900, bands: 3), saver: "jpegsave",
        edits: [.integer("orientation", 6)], filters: ["thumbnail:200", "sharpen"])
    case .webP:
      try ImageFixture(
        TestImage.shape(130, 90, bands: 3), saver: "webpsave", filters: ["gaussian-blur:2"],
        output: "webp", compression: "lossless")
    case .avif:
      try ImageFixture(
        TestImage.shape(90, 70, bands: 3), saver: "heifsave",
        options: ["compression": .word("av1")], filters: ["median:3"], output: "avif",
        compression: "lossless")
    case .narrow:
      try ImageFixture(
        TestImage.shape(7, 300, bands: 2), saver: "tiffsave", filters: ["flip:vertical"])
    }
  }
}
#endif
