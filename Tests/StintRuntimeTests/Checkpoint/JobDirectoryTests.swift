import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Job directories")
struct JobDirectoryTests {
  private let scratch = ScratchDirectory()

  private func job(
    identity: StoreIdentity = .current(), startsOver: Bool = false
  ) throws -> Job {
    try StoreFixture.job(
      on: PosixFileSystem(), at: scratch.path + "/a/jobs", startsOver: startsOver,
      identity: identity)
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test("C6 a second worker is refused and told who holds the job")
  func secondWorker() throws {
    let first = try job()
    try first.materialize()
    let error = expectError(.busy, saying: "process \(getpid())") { try job() }
    #expect(error?.message.contains(StoreIdentity.current().host) == true)
    #expect(error?.message.contains("no longer runs") == false)
  }

  @Test("C6 of two that start at once without a directory one gets the job")
  func race() throws {
    let first = try job()
    let second = try job()
    try first.materialize()
    expectError(.busy) { try StoreFixture.commit(1, to: second) }
    try StoreFixture.commit(1, to: first)
  }

  @Test("C6 the lock of a process that is gone does not block, whatever its file says")
  func deadHolder() throws {
    do { try job().materialize() }
    try job().materialize()
    #expect(try job().isMaterialized)
  }

  @Test("C6 the holder's number is named as dead only on its own machine and boot")
  func deadNumber() {
    var here = StoreFixture.identity(pid: 42)
    let holder = LockHolder(StoreFixture.identity(pid: 41))
    #expect(holder.text(seenBy: here).contains("no longer runs"))
    here.bootID = "boot-2"
    #expect(!holder.text(seenBy: here).contains("no longer runs"))
    #expect(!LockHolder(here).text(seenBy: here).contains("no longer runs"))
    let elsewhere = LockHolder(StoreFixture.identity(pid: 41, host: "there"))
    #expect(
      elsewhere.text(seenBy: StoreFixture.identity()).contains("process 41 on there, since 20"))
    #expect(!elsewhere.text(seenBy: StoreFixture.identity()).contains("no longer runs"))
  }

  @Test("C6 every descriptor of a job is close-on-exec")
  func closeOnExec() throws {
    let job = try job()
    try StoreFixture.commit(1, to: job)
    _ = try job.workspace.partialFile(named: "digits")
    var ours = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      guard let descriptor = Int32(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)"), target.hasPrefix(scratch.path)
      else { continue }
      ours += 1
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(target)")
    }
    #expect(ours >= 5)
  }

  @Test(
    "C6 a file system without locks is refused with that reason", arguments: [ENOLCK, EOPNOTSUPP])
  func noLocks(code: Int32) throws {
    let disk = FaultyFileSystem()
    try StoreFixture.commit(1, to: try StoreFixture.job(on: disk))
    disk.faults.add(.fail(code), at: .lock)
    expectError(.unavailable, saying: "has no locks") { try StoreFixture.job(on: disk) }
  }

  @Test("C8 files are private: 0700 for directories, 0600 for files, whatever the umask")
  func modes() throws {
    let job = try job()
    _ = try job.workspace.partialFile(named: "digits")
    try StoreFixture.commit(1, to: job)
    for directory in ["", "/checkpoints", "/partial", "/.."] {
      #expect(try mode(job.path + directory) == 0o700)
    }
    for file in ["job.json", "journal.jsonl", "lock", "checkpoints/000001.ckpt", "partial/digits"] {
      #expect(try mode(job.path + "/" + file) == 0o600, "\(file)")
    }
  }

  @Test(
    "C8 a link below the job's directory is never followed",
    arguments: [
      "job.json", "journal.jsonl", "lock", "checkpoints", "partial", "checkpoints/000001.ckpt",
    ])
  func plantedLinks(name: String) throws {
    let manager = FileManager.default
    let path = try StoreFixture.past(try job()).path
    let target = scratch.path + "/target"
    try manager.moveItem(atPath: path + "/" + name, toPath: target)
    try manager.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
    expectError(saying: "symbolic link") {
      try job().restore { _ in Issue.record("a link was followed") }
    }
    #expect(manager.fileExists(atPath: target))
  }

  @Test("C8 links above the job's directory are the user's choice")
  func linksAbove() throws {
    #expect(mkdir(scratch.path + "/real", 0o755) == 0)
    #expect(symlink(scratch.path + "/real", scratch.path + "/a") == 0)
    let key = try StoreFixture.past(try job(), commits: 0) { (job) throws in
      #expect(try StoreFixture.commit(7, to: job).sequence == 1)
    }.key
    // Behind the link, and nowhere else.
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
    #expect(names.sorted() == ["a", "real"])
    let file = scratch.path + "/real/jobs/\(key)/checkpoints/000001.ckpt"
    #expect(FileManager.default.fileExists(atPath: file))
    let restored = try job().restore(StoreFixture.number(in:))
    #expect(restored?.state == 7)
  }

  @Test("C8 a directory of another user, or that others can change, is refused")
  func foreign() throws {
    let path = try StoreFixture.past(try job(), commits: 0).path
    var stranger = StoreIdentity.current()
    stranger.userID += 1
    expectError(saying: "belongs to user") { try job(identity: stranger) }
    chmod(path, 0o770)
    expectError(saying: "chmod 700") { try job() }
  }

  @Test("a job leaves nothing behind before it is needed, and then all that was recorded")
  func lazy() throws {
    let first = try job()
    first.record(
      .stintBegan(budget: .seconds(1), end: nil, restoredSequence: nil, workTime: .zero),
      durably: true)
    #expect(try first.restore { _ in 1 } == nil)
    #expect(!first.isMaterialized)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    try first.materialize()
    let text = try String(contentsOfFile: first.path + "/journal.jsonl", encoding: .utf8)
    #expect(text.hasPrefix("{\"event\":\"stintBegan\""))
    #expect(text.hasSuffix("}\n"))
  }

  @Test(
    "partial output made before the directory has no name, and is found under its name afterwards")
  func earlyPartialFile() throws {
    let job = try job()
    let early = try job.workspace.partialFile(named: "result")
    let bytes: [UInt8] = [1, 2, 3, 4]
    try bytes.withUnsafeBytes { try early.write($0, at: 0) }
    #expect(!FileManager.default.fileExists(atPath: job.path))
    try job.materialize()
    try bytes.withUnsafeBytes { try early.write($0, at: 4) }
    #expect(
      try Array(Data(contentsOf: URL(filePath: job.path + "/partial/result"))) == bytes + bytes)
    #expect(try job.workspace.partialFile(named: "result") === early)
  }

  @Test("W13 stints without progress are counted across processes, and live within one")
  func stintsWithoutProgress() throws {
    for run in 0..<3 {
      let job = try job()
      #expect(job.stintsWithoutProgress == run)
      job.record(
        .stintBegan(budget: .seconds(1), end: nil, restoredSequence: nil, workTime: .zero),
        durably: false)
      job.record(
        .expiryAnnounced(
          reason: .timeElapsed, deadline: Instant(nanoseconds: 1), openTasks: []), durably: false)
      try job.materialize()
    }
    let job = try job()
    #expect(job.stintsWithoutProgress == 3)
    #expect(job.history.lastStint?.ended == nil)
    job.record(
      .stintBegan(budget: .seconds(1), end: nil, restoredSequence: nil, workTime: .zero),
      durably: false)
    #expect(job.stintsWithoutProgress == 3)
    try StoreFixture.commit(1, to: job)
    #expect(job.stintsWithoutProgress == 0)
    job.record(.stintEnded(reason: .didNotFit, saved: .zero, lost: .zero), durably: false)
    job.record(
      .stintBegan(budget: .seconds(1), end: nil, restoredSequence: 1, workTime: .zero),
      durably: false)
    job.record(.stintEnded(reason: .expired, saved: .zero, lost: .zero), durably: false)
    #expect(job.stintsWithoutProgress == 1)
  }

  @Test("L8 what waited for the journal is written at once, a stint's beginning with its end")
  func oneWrite() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    job.record(
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero), durably: false)
    job.record(.stintEnded(reason: .paused, saved: .zero, lost: .zero), durably: false)
    let before = disk.calls.count
    try job.materialize()
    #expect(disk.calls[before...].count { $0.kind == .append } == 1)
    #expect(job.summary.lastStint?.ended == .paused)
  }

  @Test("the stop marker of an earlier time is gone once the lock is taken; pause stays")
  func markers() throws {
    do {
      let job = try job()
      try job.materialize()
      let files = PosixFileSystem()
      let root = try files.openDirectory(at: job.path)
      defer { files.close(root) }
      for marker in JobMarker.allCases {
        try marker.set(in: root, fileSystem: files)
        #expect(job.isSet(marker))
      }
    }
    let job = try job()
    #expect(!job.isSet(.stop))
    #expect(job.isSet(.pause))
    try job.clear(.pause)
    #expect(!job.isSet(.pause))
  }

  @Test("a stop that comes as soon as the lock is taken is never taken for an older one")
  func earlyStop() throws {
    let path = try job().path
    for isOlderThere in [false, true] {
      let catalog = try JobCatalog(jobsDirectory: scratch.path + "/a/jobs")
      do { try job().materialize() }
      let key = try #require(try catalog.keys().first)
      if isOlderThere { try catalog.set(.stop, to: true, for: key) }
      let disk = HookedFileSystem()
      // The lock is written when it is taken.
      disk.setHook { (call, name) throws(StintError) in
        if call == "write", name == "lock" { try catalog.set(.stop, to: true, for: key) }
      }
      let next = try StoreFixture.realJob(on: disk, at: scratch.path + "/a/jobs")
      #expect(next.isSet(.stop), "an older one: \(isOlderThere)")
      #expect(FileManager.default.fileExists(atPath: path + "/stop"))
      try catalog.set(.stop, to: false, for: key)
    }
  }

  @Test("a stop that is meant for another process, which starts at the same time, stays")
  func stopOfAnother() throws {
    do { try job().materialize() }
    let path = scratch.path + "/a/jobs"
    let catalog = try JobCatalog(jobsDirectory: path)
    let key = try #require(try catalog.keys().first)
    let disk = HookedFileSystem()
    let other = Protected<Job?>(nil)
    // Between the look at the holder and the lock another process takes it, and is asked to stop.
    disk.setHook { (call, name) throws(StintError) in
      guard call == "openFile", name == "stop", other.withLock({ $0 == nil }) else { return }
      guard
        let faster = try? StoreFixture.realJob(at: path)
      else { return }
      other.withLock { $0 = faster }
      try catalog.set(.stop, to: true, for: key)
    }
    expectError(.busy) { try StoreFixture.realJob(on: disk, at: path) }
    #expect(other.withLock { $0?.isSet(.stop) } == true)
  }

  @Test(
    "a damaged job.json is refused with what to do, and --fresh does it",
    arguments: [
      "", "{", "null", "[]", "{\"formatVersion\":1}", String(repeating: "x", count: 2 << 20),
    ])
  func damagedRecord(contents: String) throws {
    let path = try StoreFixture.past(try job()).path
    try contents.write(toFile: path + "/job.json", atomically: false, encoding: .utf8)
    let error = expectError(.damaged) { try job() }
    #expect(error?.remedies == [.removeJob])
    #expect(try job(startsOver: true).restore(StoreFixture.number(in:)) == nil)
  }

  @Test("every field of job.json is checked")
  func changedRecord() throws {
    let path = try StoreFixture.past(try job(), commits: 0).path + "/job.json"
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    let changes: [(String, String, StintError.Code)] = [
      ("\"n\" : \"5\"", "\"n\" : \"6\"", .damaged), ("\"test\"", "\"tess\"", .damaged),
      ("/out/result", "/out/other", .damaged), ("Version\" : 1", "Version\" : 3", .mismatch),
      ("\"parameterHash\" : \"", "\"parameterHash\" : \"0", .damaged),
    ]
    for (old, new, code) in changes {
      #expect(whole.contains(old))
      try whole.replacing(old, with: new).write(toFile: path, atomically: false, encoding: .utf8)
      let error = #expect(throws: StintError.self) { try job() }
      #expect(error?.code == code, "\(new)")
    }
  }

  @Test("starting over removes what is ours and nothing else")
  func startsOver() throws {
    let path = try StoreFixture.past(try job()) { job in
      _ = try job.workspace.partialFile(named: "digits")
    }.path
    for name in ["notes.txt", "checkpoints/keep.me"] {
      try "mine".write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
    }
    let job = try job(startsOver: true)
    #expect(try job.restore(StoreFixture.number(in:)) == nil)
    let manager = FileManager.default
    #expect(try manager.contentsOfDirectory(atPath: path + "/checkpoints") == ["keep.me"])
    #expect(try manager.contentsOfDirectory(atPath: path + "/partial") == [])
    #expect(manager.fileExists(atPath: path + "/notes.txt"))
    #expect(try StoreFixture.commit(1, to: job).sequence == 1)
  }
}
