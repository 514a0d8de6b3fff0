#if Images
import Foundation
import StintRuntime
import StintCore
import Testing

@testable import StintImages

@Suite("The file that an image is read from")
struct SourceFileTests {
  let folder: ImageFolder

  init() throws {
    folder = try ImageFolder()
  }

  func refusal(_ path: String) -> StintError? {
    #expect(throws: StintError.self) { try SourceFile(path) }
  }

  @Test("only a regular file that holds something is opened, and nothing is waited for")
  func kinds() throws {
    #expect(refusal("")?.code == .usage)
    #expect(refusal(folder.path("nothing"))?.errno == ENOENT)
    #expect(refusal(folder.path)?.message.contains("not a regular file") == true)
    #expect(refusal("/dev/zero")?.code == .usage)
    mkfifo(folder.path("fifo"), 0o600)
    #expect(refusal(folder.path("fifo"))?.code == .usage)
    try folder.write([], "empty")
    #expect(refusal(folder.path("empty"))?.code == .damaged)
  }

  @Test("a link is followed once and named by what it means")
  func links() throws {
    try folder.write([1], "real")
    symlink("real", folder.path("link"))
    let file = try SourceFile(folder.path("link"))
    #expect(file.path.text == folder.path("real"))
    // What the name means later is no matter: the file that was opened is.
    rename(folder.path("real"), folder.path("moved"))
    try folder.write([2, 3], "real")
    #expect(file.identity.sizeBytes == 1)
    rename(folder.path("moved"), folder.path("moved-again"))
    #expect(try Data(contentsOf: URL(filePath: file.descriptorPath)) == Data([1]))
  }

  @Test("a change after the opening is seen")
  func changed() throws {
    try folder.write([1, 2, 3], "a")
    let file = try SourceFile(folder.path("a"))
    try file.checkUnchanged()
    try folder.write([1, 2, 3, 4], "a")
    let error = #expect(throws: StintError.self) { try file.checkUnchanged() }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains(folder.path("a")) == true)
  }
}
#endif
