#if Images
import Glibc
import StintCore
import Testing

@testable import StintImages

@Suite("The first bytes of a file that no loader takes")
struct FileBeginningTests {
  @Test("a file that cannot be opened is no image of an odd format")
  func unopened() throws {
    let error = #expect(throws: StintError.self) {
      _ = try VipsLoader(of: "/proc/self/fd/99999", contents: nil, shownAs: "a.jpg")
    }
    #expect(error?.code == .io && error?.errno == ENOENT)
    #expect(error?.message.contains("a.jpg cannot be read: No such file") == true)
  }

  @Test("a TIFF that was cut before its directory is called that")
  func cut() throws {
    let folder = try ImageFolder()
    let path = try folder.write(Array("II*\0".utf8) + [200, 0, 0, 0, 1, 2, 3], "a.tif")
    let error = #expect(throws: StintError.self) {
      _ = try withExtendedLifetime(folder) {
        try VipsLoader(of: path, contents: nil, shownAs: "a.tif")
      }
    }
    #expect(error?.code == .damaged)
    let message = error?.message ?? ""
    #expect(message.contains("TIFF that ends before or in its directory"), "\(message)")
  }
}
#endif
