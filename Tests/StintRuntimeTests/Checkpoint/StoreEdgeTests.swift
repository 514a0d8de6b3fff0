import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("What seldom happens to a store")
struct StoreEdgeTests {
  @Test("C8 a line of the journal that comes in pieces is one, and one without an end is garbage")
  func pieces() {
    let line =
      Array(
        #"{"event":"notice","unixSeconds":1,"bootSeconds":1,"bootId":"b","pid":1,"message":"m"}"#
          .utf8)
      + [0x0A]
    func read(_ pieces: [[UInt8]]) -> (records: Int, garbage: Int) {
      var lines = JournalLines()
      var records = 0
      for piece in pieces { piece.withUnsafeBytes { lines.add($0) { _ in records += 1 } } }
      lines.end { _ in records += 1 }
      return (records, lines.garbageLines)
    }
    let whole = read([line + line])
    #expect(whole == (2, 0))
    for cut in 1..<line.count {
      #expect(read([Array(line[..<cut]), Array(line[cut...]) + line]) == whole, "cut at \(cut)")
    }
    let endless = [UInt8](repeating: 0x78, count: JournalLines.longestBytes)
    let after = read([endless, endless, [0x0A] + line + line])
    #expect(after == (whole.records, whole.garbage + 1))
    #expect(read([endless + endless + [0x0A]]) == (0, 1))
  }

  @Test("C8 names and kinds that could lead elsewhere are refused")
  func names() throws {
    let scratch = ScratchDirectory()
    let files = PosixFileSystem()
    let root = try files.openDirectory(at: scratch.path)
    defer { files.close(root) }
    for name in ["", ".", "..", "a/b", "a\0b"] {
      let error = #expect(throws: StintError.self) {
        files.close(try files.openFile(name, in: root, .create))
      }
      #expect(error?.errno == EINVAL, "\(name)")
    }
    let error = #expect(throws: StintError.self) {
      try StoreFixture.job(on: files, at: scratch.path, kind: "../x")
    }
    #expect(error?.code == .usage)
  }

  @Test("W9 a reader that does not want to be waited for gets every byte")
  func nonBlocking() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let sent = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let received = Protected<[UInt8]>([])
    let reader = SerialThread(name: "reader")
    let isDone = Protected(false)
    reader.enqueue {
      var piece = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(reading, &piece, piece.count)
        guard count > 0 else { break }
        received.withLock { $0 += piece[..<count] }
      }
      isDone.withLock { $0 = true }
    }
    try sent.withUnsafeBytes {
      try OpenFile(descriptor: writing, path: "a pipe").writeStream($0)
    }
    close(writing)
    while !isDone.withLock({ $0 }) { sched_yield() }
    close(reading)
    #expect(received.withLock { $0 } == sent)
  }

  @Test("W9 a pipe is given room, and what is no pipe is left alone")
  func widened() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    let megabyte = [UInt8](repeating: 7, count: 1 << 20)
    #expect(write(ends[1], megabyte, megabyte.count) < megabyte.count)
    OutputFile.widen(OpenFile(descriptor: ends[1], path: "a pipe"))
    // What was in it is still there, and so is the new room behind it.
    #expect(write(ends[1], megabyte, megabyte.count) >= megabyte.count / 2)
    var first: UInt8 = 0
    #expect(read(ends[0], &first, 1) == 1 && first == 7)
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    OutputFile.widen(OpenFile(descriptor: null, path: "/dev/null"))
    OutputFile.widen(OpenFile(descriptor: -1, path: "nothing"))
    #expect(write(null, megabyte, megabyte.count) == megabyte.count)
  }

  @Test("W9 a regular file is no stream, and is not opened as one")
  func notAStream() throws {
    let file = OutputDestination(target: .file(directory: "/out", name: "f"))
    #expect(!file.isStream)
    #expect(OutputDestination(target: .stream(path: "/dev/null")).isStream)
    #expect(throws: StintError.self) { try file.openStream() }
    let output = OutputDestination(target: .descriptor(1))
    #expect(output.isStream)
    #expect(try output.openStream().descriptor == 1)
  }

  @Test("C8 a relative place for the jobs is one below the working directory")
  func relativePlace() throws {
    let absolute = try JobsDirectory.path(explicit: "some/jobs", environment: { _ in nil })
    #expect(absolute == FileManager.default.currentDirectoryPath + "/some/jobs")
  }

  @Test(
    "C8 a line that names an event and lacks what it needs is garbage, and not that event",
    arguments: [
      "restoreAttempted", "publishing", "finished", "restoreProved", "checkpoint",
      "checkpointFailed", "setAside", "expiryAnnounced", "terminationInferred", "workerEnded",
      "notice",
    ])
  func lacking(event: String) {
    let stamp = #""unixSeconds":1,"bootId":"b","bootSeconds":1,"pid":1"#
    #expect(JournalRecord(line: Array("{\"event\":\"\(event)\",\(stamp)}".utf8)) == nil)
    // The stamp itself is right: an event that needs nothing, or that nobody knows, is read with
    // it.
    #expect(JournalRecord(line: Array("{\"event\":\"unheardOf\",\(stamp)}".utf8)) != nil)
  }
}
