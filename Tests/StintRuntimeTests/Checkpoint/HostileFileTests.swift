import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// Files that say what no Stint would write: extreme numbers, sizes that are lies, links, long
/// names.
@Suite("Hostile files")
struct HostileFileTests {
  private let scratch = ScratchDirectory()
  private let disk = HookedFileSystem()

  private var identity: StoreIdentity { StoreFixture.identity(userID: geteuid()) }

  private func job(report: @escaping @Sendable (String) -> Void = { _ in }) throws -> Job {
    try StoreFixture.job(
      on: disk, at: scratch.path + "/jobs", identity: identity, report: report)
  }

  /// A job with a partial file of three bytes.
  private func jobWithResult() throws -> Job {
    let job = try job()
    try [UInt8](repeating: 7, count: 3).withUnsafeBytes {
      try job.workspace.partialFile(named: "result").write($0, at: 0)
    }
    return job
  }

  private var catalog: JobCatalog {
    get throws {
      try JobCatalog(jobsDirectory: scratch.path + "/jobs", fileSystem: disk, identity: identity)
    }
  }

  private func store(at folder: String) throws -> CheckpointStore {
    try CheckpointStore(
      fileSystem: disk, directory: try disk.openDirectory(at: folder),
      expected: CheckpointExpectation(
        kind: "test", parameterHash: Checksum128(high: 0, low: 0), stateVersion: 1),
      identity: StoreFixture.identity())
  }

  private func put(_ text: String, in path: String) throws {
    let parts = path.split(separator: "/").map(String.init)
    let folder = try disk.openDirectory(at: "/" + parts.dropLast().joined(separator: "/"))
    defer { disk.close(folder) }
    let file = try disk.openFile(try #require(parts.last), in: folder, .append)
    defer { disk.close(file) }
    _ = try Array(text.utf8).withUnsafeBytes { try disk.append(file, $0) }
  }

  @Test("C8 a label of any number is a text", arguments: [Int64.min, .min + 1, -1, 0, .max])
  func labels(nanoseconds: Int64) {
    #expect(wallClockText(nanoseconds).hasSuffix("Z"))
    #expect(wallClockText(-1) == "1969-12-31T23:59:59.999Z")
  }

  @Test("C8 a lock file that says since when in no year can be shown")
  func lockHolder() throws {
    let text = #"{"host":"h","bootId":"b","pid":-2147483648,"startTicks":0,"unixSeconds":-1e300}"#
    let holder = try #require(LockHolder(contents: Array(text.utf8)))
    #expect(holder.text(seenBy: StoreFixture.identity()).hasPrefix("process -2147483648 on h"))
  }

  @Test("C8 a generation with the highest number of all is an error, not a crash, and stays")
  func highestName() throws {
    let first = try job()
    try StoreFixture.commit(1, to: first)
    try put("x", in: first.path + "/checkpoints/18446744073709551615.ckpt")
    let store = try store(at: first.path + "/checkpoints")
    expectError(.damaged) { try store.commit(StoreFixture.payload(2), workTime: .zero) }
    #expect(try store.generations().newestFirst == [.max, 1])
  }

  @Test("C8 once the file with the highest number was moved away, the numbers go on")
  func highestNameGone() throws {
    let folder = scratch.path + "/checkpoints"
    mkdir(folder, 0o700)
    #expect(
      try store(at: folder).commit(StoreFixture.payload(1), workTime: .zero).sequence == 1)
    try put("x", in: folder + "/18446744073709551615.ckpt")
    #expect(throws: StintError.self) {
      try store(at: folder).commit(StoreFixture.payload(2), workTime: .zero)
    }
    unlink(folder + "/18446744073709551615.ckpt")
    #expect(
      try store(at: folder).commit(StoreFixture.payload(2), workTime: .zero).sequence == 2)
  }

  @Test("C8 a journal that tells of the highest generation of all stops no checkpoint")
  func highestInJournal() throws {
    let path = try StoreFixture.past(try job()).path
    try put(
      #"{"event":"restoreAttempted","unixSeconds":1,"bootId":"b","bootSeconds":1,"pid":1,"#
        + #""sequence":18446744073709551615}"# + "\n", in: path + "/journal.jsonl")
    let job = try job()
    #expect(try job.restore(StoreFixture.number(in:))?.state == 1)
    try StoreFixture.commit(2, to: job)
    #expect(try job.restore(StoreFixture.number(in:))?.state == 2)
  }

  @Test("C8 a journal is read in pieces, whatever its length is said to be")
  func hugeJournal() throws {
    let path = try StoreFixture.past(try job(), commits: 3).path
    let opened = HookedFileSystem()
    opened.claimLength(1 << 25)
    let root = try opened.openDirectory(at: path)
    defer { opened.close(root) }
    let summary = try Journal.summary(in: root, fileSystem: opened)
    #expect(summary.checkpoints == 3)
    #expect(opened.largestReadBytes <= 1 << 20)
  }

  @Test("C8 of a journal that is too long for anything only the end is read, and that is said")
  func endlessJournal() throws {
    let path = try StoreFixture.past(try job(), commits: 3).path
    let journal = path + "/journal.jsonl"
    let lines = try String(contentsOfFile: journal, encoding: .utf8)
    truncate(journal, 1 << 40)
    try put("the end of a line\n" + lines, in: journal)
    let told = Protected<[String]>([])
    let next = try job { sentence in told.withLock { $0.append(sentence) } }
    #expect(next.summary.checkpoints == 3)
    #expect(next.summary.garbageLines == 0)
    #expect(told.withLock { $0 }.count == 1)
    #expect(told.withLock { $0.first }?.contains("too long to be read as a whole") == true)
    #expect(try next.restore(StoreFixture.number(in:))?.state == 3)
    let (bytes, unread) = try catalog.journalBytes(of: next.key)
    #expect(Journal.parse(bytes).records.count > 3)
    var status = stat()
    #expect(stat(journal, &status) == 0)
    #expect(unread + bytes.count == Int(status.st_size))
  }

  @Test(
    "C8 what is no file in the place of the journal is an error at once",
    arguments: ["fifo", "folder"])
  func noJournal(kind: String) throws {
    let (key, path) = try StoreFixture.past(try job())
    unlink(path + "/journal.jsonl")
    if kind == "fifo" {
      mkfifo(path + "/journal.jsonl", 0o600)
    } else {
      mkdir(path + "/journal.jsonl", 0o700)
    }
    expectError(.io) { try job() }
    let summary = try catalog.summary(of: key)
    #expect(summary.problem?.message.contains("journal.jsonl") == true)
    #expect(summary.record != nil)
  }

  @Test("C8 sizes whose sum no number holds are shown as the largest one")
  func hugeSizes() throws {
    let key = try StoreFixture.past(try job(), commits: 3).key
    disk.claimLength(.max)
    #expect(try catalog.freeableBytes(of: key) == .max)
    #expect(try catalog.summary(of: key).sizeBytes == .max)
  }

  @Test("C4 a line that fails right after a torn one leaves the next line readable")
  func tornTwice() throws {
    let disk = FaultyFileSystem()
    let root = try disk.openDirectory(at: "/")
    let journal = try Journal(fileSystem: disk, directory: root, report: { _ in })
    func append(_ text: String) {
      journal.append(
        JournalRecord(
          stamp: JournalRecord.Stamp(StoreFixture.identity()), content: .event(.notice(text))),
        durably: false)
    }
    append("first")
    disk.faults[disk.calls.count + 1] = .short
    append("torn")
    disk.faults[disk.calls.count + 1] = .fail(ENOSPC)
    append("lost")
    append("last")
    let (records, garbage) = Journal.parse(try #require(disk.node("/journal.jsonl")).data)
    #expect(records.map(\.content) == ["first", "last"].map { .event(.notice($0)) })
    #expect(garbage == 1)
  }

  @Test(
    "W9 a result is published under every name that the file system takes",
    arguments: ["a", "数", "é", "🧮"])
  func longNames(letter: String) throws {
    let name = String(repeating: letter, count: 255 / letter.utf8.count)
    let job = try jobWithResult()
    let output = OutputFile(
      try OutputDestination(scratch.path + "/" + name), replacesOthers: false, fileSystem: disk)
    try output.publish(partialFileNamed: "result", in: job.workspace)
    #expect(access(scratch.path + "/" + name, F_OK) == 0)
  }

  @Test("C8 a result that replaces a link does not take its permissions, which are everybody's")
  func linkUnderFinalName() throws {
    let final = scratch.path + "/result"
    let job = try jobWithResult()
    let output = OutputFile(
      try OutputDestination(final), replacesOthers: true, fileSystem: disk)
    #expect(symlink("/etc/hostname", final) == 0)
    try output.publish(partialFileNamed: "result", in: job.workspace)
    var status = stat()
    #expect(lstat(final, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFREG)
    #expect(status.st_mode & 0o002 == 0)
  }

  @Test("W9 a descriptor that is not open or cannot be written is refused before the work")
  func badDescriptor() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(try OutputDestination("/dev/fd/\(ends[1])").target == .descriptor(ends[1]))
    for bad in ["/dev/fd/\(ends[0])", "/proc/self/fd/987654", "/dev/fd/-1"] {
      expectError(.cannotCreate, comment: "\(bad)") { try OutputDestination(bad) }
    }
  }

  @Test("W9 a result that goes out as a stream makes no directory for a job that is over at once")
  func streamedAtOnce() throws {
    let job = try jobWithResult()
    let output = OutputFile(
      try OutputDestination("/dev/null"), replacesOthers: false, fileSystem: disk)
    #expect(try output.publish(partialFileNamed: "result", in: job.workspace).sizeBytes == 3)
    #expect(!job.isMaterialized)
    #expect(throws: StintError.self) {
      try output.publish(partialFileNamed: "other", in: job.workspace)
    }
  }

  @Test("W9 a signal does not end the wait for the reader of a FIFO")
  func interruptedFIFO() async throws {
    let path = scratch.path + "/fifo"
    #expect(mkfifo(path, 0o600) == 0)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    var before = sigaction()
    #expect(sigaction(SIGURG, &action, &before) == 0)
    let destination = try OutputDestination(path)
    let writer = Protected<(path: String, thread: pthread_t)?>(nil)
    let opened = AsyncStream.makeStream(of: StintError?.self)
    let thread = SerialThread(name: "writer")
    thread.enqueue {
      var none = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, nil)
      let resolved = realpath("/proc/thread-self", nil)
      let path = resolved.map { String(cString: $0) } ?? ""
      free(resolved)
      writer.withLock { $0 = (path, pthread_self()) }
      do throws(StintError) {
        close(try destination.openStream().descriptor)
        opened.continuation.yield(nil)
      } catch {
        opened.continuation.yield(error)
      }
    }
    // Once the thread waits in the kernel for the other end, it is interrupted there.
    var signals = 0
    while signals < 3 {
      sched_yield()
      guard let (path, thread) = writer.withLock({ $0 }) else { continue }
      guard try Self.text(path + "/stat").contains(") S ") else { continue }
      pthread_kill(thread, SIGURG)
      signals += 1
    }
    // Held until the writer has it: it may be on its way into the kernel once more.
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    for await error in opened.stream {
      #expect(error == nil)
      break
    }
    close(reader)
    #expect(sigaction(SIGURG, &before, nil) == 0)
  }

  @Test("C6 clean takes a job's folders away before its lock")
  func removalOrder() throws {
    let key = try StoreFixture.past(try job()).key
    try catalog.remove(key)
    let lock = try #require(disk.calls.lastIndex(of: "remove lock"))
    let folders = try #require(disk.calls.lastIndex(of: "removeDirectory checkpoints"))
    #expect(folders < lock)
    #expect(try catalog.keys() == [])
  }

  /// What a file of /proc says.
  private static func text(_ path: String) throws -> String {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
