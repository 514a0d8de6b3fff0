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
}
#endif
