import Dispatch
import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

/// What only several processes, threads or kernel limits can show.
@Suite("Store and processes")
struct StoreProcessTests {
  private let scratch = ScratchDirectory()

  private static func job(at path: String) throws -> Job {
    try StoreFixture.realJob(at: path)
  }

  @Test("C6 another process is refused and told who holds the job")
  func otherProcess() async throws {
    let job = try Self.job(at: scratch.path)
    try job.materialize()
    let path = scratch.path
    let holder = getpid()
    await #expect(processExitsWith: .success) { [path = path as String, holder = holder as Int32] in
      expectError(.busy, saying: "process \(holder) on") { try StoreProcessTests.job(at: path) }
    }
    try StoreFixture.commit(1, to: job)
  }

  @Test("C6 a holder that was killed does not block, and its checkpoint is there")
  func killedHolder() async throws {
    let path = scratch.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let job = try StoreProcessTests.job(at: path)
      try StoreFixture.commit(7, to: job)
      kill(getpid(), SIGKILL)
    }
    let job = try Self.job(at: path)
    #expect(try job.restore(StoreFixture.number(in:))?.state == 7)
    try StoreFixture.commit(8, to: job)
  }

  @Test("C6 R13 a holder that is dying is waited for, and not for ever")
  func dyingHolder() throws {
    let holder = Protected(Optional(try Self.job(at: scratch.path)))
    try holder.withLock { $0 }?.materialize()
    let looks = Protected(0)
    // A clock that passes a quarter of a second between two looks at the process.
    var identity = StoreIdentity.current()
    let now = Protected(Instant(nanoseconds: 0))
    identity.bootClock = { now.withLock { $0 } }
    identity.isDying = { pid in
      #expect(pid == getpid())
      now.withLock { $0 = $0.advanced(by: .milliseconds(250)) }
      looks.withLock { $0 += 1 }
      return true
    }
    let told = Protected<[String]>([])
    expectError(.busy) {
      try StoreFixture.job(
        on: PosixFileSystem(), at: scratch.path, identity: identity,
        report: { sentence in told.withLock { $0.append(sentence) } })
    }
    #expect(looks.withLock { $0 } == 8)
    let sentence = "process \(getpid()), which worked on the job, was killed and is still ending"
    #expect(told.withLock { $0 } == [sentence])

    identity.isDying = { _ in
      let look = looks.withLock { (looks) -> Int in
        looks += 1
        return looks
      }
      if look == 11 { holder.withLock { $0 = nil } }
      return true
    }
    let next = try StoreFixture.job(on: PosixFileSystem(), at: scratch.path, identity: identity)
    try next.materialize()
    #expect(looks.withLock { $0 } == 11)

    // Of another machine's process, or another boot's, nobody knows.
    for foreign in [\StoreIdentity.host, \.bootID] {
      var elsewhere = identity
      elsewhere[keyPath: foreign] = "another"
      expectError(.busy) {
        try StoreFixture.job(on: PosixFileSystem(), at: scratch.path, identity: elsewhere)
      }
    }
    #expect(looks.withLock { $0 } == 11)
    withExtendedLifetime(next) {}
  }

  @Test("C6 a lock file that somebody takes away is made anew, and nobody else gets in")
  func lockTakenAway() throws {
    let job = try Self.job(at: scratch.path)
    try StoreFixture.commit(1, to: job)
    for number: UInt8 in 2...4 {
      unlink(job.path + "/lock")
      if number == 3 { try job.tellProgress([]) } else { try StoreFixture.commit(number, to: job) }
      expectError(.busy, saying: "process \(getpid()) on") { try Self.job(at: scratch.path) }
    }
    #expect(job.loss == nil)
  }

  @Test(
    "C6 who lost the lock file to another process commits, publishes, writes and removes nothing more",
    arguments: ["holds it", "has ended", "has ended, and its lock file is gone too"])
  func lockLost(other: String) throws {
    let job = try Self.job(at: scratch.path)
    let file = try job.workspace.partialFile(named: "result")
    try [1].withUnsafeBytes { try file.write($0, at: 0) }
    try StoreFixture.commit(1, to: job)
    unlink(job.path + "/lock")
    var second: Job? = try Self.job(at: scratch.path)
    second?.record(
      .stintBegan(budget: nil, end: nil, restoredSequence: 1, workTime: .seconds(1)), durably: false
    )
    if other == "holds it" { try StoreFixture.commit(2, to: try #require(second)) }
    if other != "holds it" { second = nil }
    if other.hasSuffix("gone too") { unlink(job.path + "/lock") }
    let journal = job.path + "/journal.jsonl"
    let before = try Data(contentsOf: URL(fileURLWithPath: journal))
    let names = try FileManager.default.contentsOfDirectory(atPath: job.path + "/checkpoints")
    let output = OutputFile(
      OutputDestination(target: .file(directory: FilePath(scratch.path), name: "f")),
      replacesOthers: true)
    let attempts: [() throws -> Void] = [
      { try StoreFixture.commit(9, to: job) },
      { try output.publish(partialFileNamed: "result", in: job.workspace) },
      { try job.removeCheckpoints() },
      { try job.tellProgress([]) },
      { try job.workspace.makeAllDurable() },
    ]
    for attempt in attempts {
      expectError(.busy) { try attempt() }
    }
    #expect(job.loss != nil)
    job.record(.notice("too late"), durably: true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: journal)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: job.path + "/checkpoints") == names)
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/f"))
    withExtendedLifetime(second) {}
  }

  @Test("C6 a child that outlives the worker does not keep the lock")
  func childOutlives() throws {
    var child: pid_t = 0
    do {
      let job = try Self.job(at: scratch.path)
      try job.materialize()
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
      defer { for argument in arguments { free(argument) } }
      #expect(posix_spawnp(&child, "sleep", nil, nil, &arguments, environ) == 0)
    }
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    try Self.job(at: scratch.path).materialize()
  }

  @Test("C6 a lock given back in order is free, even for a copy of its descriptor")
  func copiedDescriptor() throws {
    let files = PosixFileSystem()
    let root = try files.openDirectory(at: scratch.path)
    defer { files.close(root) }
    var lock: JobLock? = try JobLock.take(in: root, fileSystem: files, identity: .current())
    let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap(Int32.init)
      .filter { descriptor in
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(descriptor)")
        return target == scratch.path + "/lock"
      }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    #expect(copies.count == 1)
    defer { for copy in copies { close(copy) } }
    #expect(lock != nil)
    lock = nil
    _ = try JobLock.take(in: root, fileSystem: files, identity: .current())
  }

  @Test("R4 C4 a limit on the file's size is an error that keeps the old generation")
  func fileSizeLimit() async throws {
    let path = scratch.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      let job = try StoreProcessTests.job(at: path)
      try StoreFixture.commit(1, to: job)
      var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      expectError(.io, errno: EFBIG) {
        try job.commit(
          StoreFixture.payload(2, sizeBytes: 100_000), workTime: .zero,
          progress: WorkProgress(fraction: 0, phase: "testing"))
      }
      #expect(try job.restore(StoreFixture.number(in:))?.state == 1)
      let names = try FileManager.default.contentsOfDirectory(atPath: job.path + "/checkpoints")
      #expect(names == ["000001.ckpt"])
      try StoreFixture.commit(3, to: job)
    }
    #expect(try Self.job(at: path).restore(StoreFixture.number(in:))?.state == 3)
  }

  @Test("records of many threads, while a checkpoint is committed, are all whole")
  func threads() throws {
    let job = try Self.job(at: scratch.path)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<100 {
        job.record(.notice("thread \(thread), number \(number)"), durably: false)
        if thread == 0 && number % 25 == 0 {
          _ = try? StoreFixture.commit(UInt8(number / 25 + 1), to: job)
        }
      }
    }
    let bytes = [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: job.path + "/journal.jsonl")))
    let (records, garbage) = Journal.parse(bytes)
    #expect(garbage == 0)
    let notices = records.filter { if case .event(.notice) = $0.content { true } else { false } }
    #expect(Set(notices.map(\.content)).count == 400)
    #expect(job.summary.checkpoints == 4)
    #expect(try job.restore(StoreFixture.number(in:))?.state == 4)
  }
}
