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
      expectError(errno: EINVAL, comment: "\(name)") {
        files.close(try files.openFile(name, in: root, .create))
      }
    }
    expectError(.usage) { try StoreFixture.job(on: files, at: scratch.path, kind: "../x") }
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

  @Test("W9 a full pipe that does not want to wait is waited for, and every byte gets through")
  func fullPipe() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let before = [UInt8](repeating: 1, count: 4_096)
    var left = 0
    while true {
      let count = write(writing, before, before.count)
      guard count > 0 else { break }
      left += count
    }
    #expect(errno == EAGAIN)
    let sent = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let (writer, end) = (Protected<String?>(nil), Protected<Result<Void, StintError>?>(nil))
    let thread = SerialThread(name: "writer")
    thread.enqueue {
      let resolved = realpath("/proc/thread-self", nil)
      let path = resolved.map { String(cString: $0) } ?? ""
      free(resolved)
      writer.withLock { $0 = path }
      let result = Result { () throws(StintError) in
        try sent.withUnsafeBufferPointer { (buffer) throws(StintError) in
          let file = OpenFile(descriptor: writing, path: "a pipe")
          try file.writeStream(UnsafeRawBufferPointer(buffer))
        }
      }
      close(writing)
      end.withLock { $0 = result }
    }
    // Nothing is read until the thread waits in the kernel: it sleeps, and does not wake up.
    var looks = 0
    while looks < 50, end.withLock({ $0 == nil }) {
      sched_yield()
      guard let path = writer.withLock({ $0 }) else { continue }
      let stat = try String(contentsOfFile: path + "/stat", encoding: .utf8)
      looks = stat.contains(") S ") ? looks + 1 : 0
    }
    #expect(end.withLock { $0 == nil }, "a full pipe takes nothing")
    left += sent.count
    var received = [UInt8](repeating: 0, count: left)
    var count = 0
    while count < left {
      let piece = received.withUnsafeMutableBytes {
        read(reading, $0.baseAddress! + count, $0.count - count)
      }
      try #require(piece > 0, "\(count) of \(left) bytes came")
      count += piece
    }
    #expect(Array(received.suffix(sent.count)) == sent)
    while end.withLock({ $0 == nil }) { sched_yield() }
    close(reading)
    #expect(throws: Never.self) { try end.withLock { $0 }?.get() }
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

  @Test("C8 a relative place for the jobs below a working directory that was removed is an error")
  func relativePlaceGone() async {
    await #expect(processExitsWith: .success) {
      let folder = ScratchDirectory()
      #expect(chdir(folder.path) == 0 && rmdir(folder.path) == 0)
      let error = expectError(.io, errno: ENOENT) {
        try JobsDirectory.path(explicit: "some/jobs", environment: { _ in nil })
      }
      #expect(
        error?.message.hasPrefix("cannot tell the current directory for some/jobs: ") == true)
    }
  }

  @Test("C8 the place of the jobs is decided by the variables of this process, unless others count")
  func variables() {
    let own = ProcessInfo.processInfo.environment
    for name in ["STINT_JOBS", "XDG_STATE_HOME", "HOME", "PATH", "NO_SUCH_VARIABLE"] {
      #expect(JobsDirectory.variable(name) == own[name], "\(name)")
    }
    let expected = try? JobsDirectory.path(explicit: nil) { own[$0] }
    #expect((try? JobsDirectory.path(explicit: nil)) == expected)
  }

  @Test("the checksum says of which version its library is")
  func libraryVersion() throws {
    let version = XXH3Checksum.libraryVersion
    let parts = version.split(separator: ".").compactMap { Int($0) }
    #expect(parts.map(String.init).joined(separator: ".") == version)
    // Its format is the same since 0.8.0.
    try #require(parts.count == 3)
    #expect((parts[0], parts[1]) >= (0, 8))
  }

  @Test("a file system that knows no files without a name says so, and the work goes on with names")
  func noNamelessFiles() throws {
    let scratch = ScratchDirectory()
    let disk = NoLinksFileSystem()
    let root = try disk.openDirectory(at: scratch.path)
    defer { disk.close(root) }
    let file = try disk.openFile("f", in: root, .create)
    defer { disk.close(file) }
    let attempts: [() throws -> Void] = [
      { _ = try disk.openNameless(in: root) }, { try disk.giveName("g", in: root, to: file) },
    ]
    for attempt in attempts {
      let error = expectError(.io, errno: EOPNOTSUPP) { try attempt() }
      #expect(error?.message == "\(scratch.path) cannot hold files without a name")
    }
    let job = try StoreFixture.realJob(on: disk, at: scratch.path + "/jobs")
    let digits = try job.workspace.partialFile(named: "digits")
    #expect(job.isMaterialized)
    #expect(access(job.path + "/partial/digits", F_OK) == 0)
    #expect(try digits.sizeBytes == 0)
  }

  @Test("C8 what is no regular file in the place of a partial file is an error at once")
  func noPartialFile() throws {
    let scratch = ScratchDirectory()
    let disk = HookedFileSystem()
    let job = try StoreFixture.realJob(on: disk, at: scratch.path)
    try job.materialize()
    #expect(mkfifo(job.path + "/partial/digits", 0o600) == 0)
    let before = disk.open
    let error = expectError(.io, errno: EINVAL) { try job.workspace.partialFile(named: "digits") }
    #expect(
      error?.message == "\(job.path)/partial/digits is not a regular file; move it away")
    #expect(disk.open == before)
  }

  @Test("a job that is given nobody to tell leaves what cannot be read out all the same")
  func untold() throws {
    let scratch = ScratchDirectory()
    var options = Job.Options()
    options.jobsDirectory = scratch.path
    let journal: String
    do {
      let job = try Job(of: CountingComputation(count: 5), options: options)
      job.record(.notice("first"), durably: false)
      try job.materialize()
      journal = job.path + "/journal.jsonl"
    }
    let lines = try String(contentsOfFile: journal, encoding: .utf8)
    try ("nonsense\n" + lines).write(toFile: journal, atomically: false, encoding: .utf8)
    do {
      let job = try Job(of: CountingComputation(count: 5), options: options)
      #expect(job.summary.garbageLines == 1)
      #expect(job.isMaterialized)
    }
    let same = try Job(
      kind: CountingComputation.kind, parameters: CountingComputation(count: 5).parameters,
      stateVersion: CountingComputation.stateVersion, options: options,
      fileSystem: PosixFileSystem(), identity: .current())
    #expect(same.summary.garbageLines == 1)
    #expect(same.path + "/journal.jsonl" == journal)
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
