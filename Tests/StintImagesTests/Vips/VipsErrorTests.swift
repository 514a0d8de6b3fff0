#if Images
import StintCore
import Testing

@testable import StintImages

@Suite("Libvips' words")
struct VipsErrorTests {
  @Test("of many lines the first different ones are said, and how many more there are")
  func bounded() {
    #expect(VipsError.shortened("a: b\na: b.\n\n c \n") == "a: b;  c")
    let lines = (0..<500).map { "line \($0): damaged\n" }.joined()
    #expect(
      VipsError.shortened(lines)
        == "line 0: damaged; line 1: damaged; line 2: damaged (and 497 more)")
    let long = VipsError.shortened(String(repeating: "ä", count: 5_000))
    #expect(long.utf8.count <= 303 && long.hasSuffix("ä..."))
    #expect(VipsError.shortened("\n \n").contains("cannot be told"))
  }

  @Test("a descriptor is named by its file, or is called one")
  func descriptors() throws {
    let folder = try ImageFolder()
    try folder.write([1], "x")
    let file = try SourceFile(folder.path("x"))
    let gone = "/proc/self/fd/99999"
    let error = VipsError.make(
      "read \(file.descriptorPath)", "\(file.descriptorPath): bad seek to 9; \(gone)0: no")
    #expect(
      error.message
        == "libvips could not read \(file.path): \(file.path): bad seek to 9; the file: no.")
  }
}
#endif
