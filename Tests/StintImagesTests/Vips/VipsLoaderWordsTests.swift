#if Images
import StintCore
import Testing

@testable import StintImages

@Suite("The words of one decoder among those of others")
struct VipsLoaderWordsTests {
  @Test("what decoders of other formats said is left out")
  func own() throws {
    let folder = try ImageFolder()
    let path = try folder.save(TestImage.image(8, 8, bands: 3, seed: 1), "a.png")
    let loader = try withExtendedLifetime(folder) {
      try VipsLoader(of: path, contents: nil, shownAs: "a.png")
    }
    let begin = "libvips could not compute rows 0 to 7: "
    for (words, own) in [
      ("spngload: not enough data.", "spngload: not enough data."),
      ("VipsJpeg: Premature end; spngload: bad.", "spngload: bad."),
      ("spngload: bad; VipsJpeg: Premature end.", "spngload: bad."),
      ("VipsJpeg: Premature end.", VipsError.unknown + "."),
    ] {
      #expect(loader.ownWords(begin + words) == begin + own)
    }
  }
}
#endif
