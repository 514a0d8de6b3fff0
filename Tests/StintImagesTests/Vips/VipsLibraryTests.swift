#if Images
import StintImages
import Testing

@Suite("libvips")
struct VipsLibraryTests {
  @Test("the library says its version")
  func version() {
    #expect(VipsLibrary.version.hasPrefix("8."))
  }
}
#endif
