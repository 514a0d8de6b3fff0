import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint log")
struct LogTests {
  let fixture = VerbFixture()

  private func text(_ reading: inout LogReading, _ path: String) throws -> String {
    var bytes: [UInt8] = []
    try reading.read(path) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("Q6 a log whose middle is gone says so where it was, and goes on with what is added")
  func hole() throws {
    let path = fixture.path + "/output"
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    var reading = LogReading()
    #expect(try text(&reading, fixture.path + "/none") == "")
    #expect(write(file, "begin\n", 6) == 6)
    #expect(try text(&reading, path) == "begin\n")
    // Not at the begin of a block, as after a hole that was punched.
    #expect(pwrite(file, "end\n", 4, 1_000_001) == 4)
    #expect(try text(&reading, path).hasSuffix("\nend\n"))
    #expect(try text(&reading, path) == "")
    var whole = LogReading()
    let all = try text(&whole, path)
    #expect(all.hasPrefix("begin\n"))
    #expect(all.hasSuffix(" bytes are gone ...\nend\n"), "\(all.suffix(80))")
    #expect(all.utf8.count < 5_000)
    #expect(ftruncate(file, 0) == 0 && pwrite(file, "new\n", 4, 0) == 4)
    #expect(try text(&whole, path) == "new\n")
  }

  @Test("a job that was not submitted has no log, and a request that is gone none any more")
  func none() throws {
    let key = try fixture.waitingJob(5)
    #expect(throws: StintError.self) {
      try LogCommand(context: fixture.context("log", key)) { _ in }.run()
    }
    #expect(throws: StintError.self) {
      try LogCommand(context: fixture.context("log", "7")) { _ in }.run()
    }
  }
}
