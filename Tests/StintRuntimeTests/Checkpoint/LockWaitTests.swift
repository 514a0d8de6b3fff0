import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// What a process learns of another one that has the job, and how long it waits for it.
@Suite("Waiting for a job's lock")
struct LockWaitTests {
  private let scratch = ScratchDirectory()

  /// The job of `StoreFixture`, for a process that waits for others.
  private func job(
    on fileSystem: any FileSystem = PosixFileSystem(), identity: StoreIdentity = .current(),
    patience: JobLock.Patience, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> Job {
    var options = Job.Options()
    options.jobsDirectory = scratch.path
    options.outputPath = "/out/result"
    options.lockPatience = patience
    return try Job(
      kind: "test", parameters: ["n": "5"], stateVersion: 1, options: options,
      fileSystem: fileSystem, identity: identity, report: report)
  }

  /// A job that this process has, as another one would.
  private func held() throws -> Job {
    let job = try StoreFixture.realJob(at: scratch.path)
    try job.materialize()
    return job
  }

  @Test("C6 a wait for a holder that lives is told once, by name, when it has lasted a second")
  func living() throws {
    let holder = try held()
    // A clock that passes more than half a second between two looks.
    var identity = StoreIdentity.current()
    let now = Protected(Instant(nanoseconds: 0))
    identity.bootClock = { now.withLock { $0 } }
    let looks = Protected(0)
    let patience = JobLock.Patience(duration: .seconds(2), waitsForLiving: true) {
      looks.withLock { $0 += 1 }
      now.withLock { $0 = $0.advanced(by: .milliseconds(600)) }
      return false
    }
    let told = Protected<[String]>([])
    expectError(.busy) {
      try job(identity: identity, patience: patience) { sentence in
        told.withLock { $0.append(sentence) }
      }
    }
    #expect(looks.withLock { $0 } == 4)
    let sentences = told.withLock { $0 }
    #expect(sentences.count == 1)
    let host = StoreIdentity.current().host
    #expect(
      sentences.first?.hasPrefix("the job is in use by process \(getpid()) on \(host)") == true)
    #expect(sentences.first?.hasSuffix("; this process waits for it") == true)
    withExtendedLifetime(holder) {}
  }

  @Test("C6 a wait ends for a reason of its own as for a further one")
  func unless() throws {
    let (own, further) = (Protected(false), Protected(false))
    let patience = JobLock.Patience(duration: .seconds(600), waitsForLiving: true) {
      own.withLock { $0 }
    }.unless { further.withLock { $0 } }
    #expect(patience.duration == .seconds(600) && patience.waitsForLiving)
    for (isOwn, isFurther) in [(false, false), (true, false), (false, true), (true, true)] {
      own.withLock { $0 = isOwn }
      further.withLock { $0 = isFurther }
      #expect(patience.isOver() == (isOwn || isFurther))
    }
    own.withLock { $0 = false }
    // Ten minutes are not waited for.
    let holder = try held()
    expectError(.busy) { try job(patience: patience) }
    withExtendedLifetime(holder) {}
  }

  @Test("C6 of two that wait, the slower one goes on waiting and has the job next")
  func slower() throws {
    do { _ = try held() }
    let path = scratch.path
    let disk = HookedFileSystem()
    let (faster, isLate) = (Protected<Job?>(nil), Protected(false))
    // The lock is free when it is looked at, and not any more when it is taken.
    disk.setHook { (call, name) throws(StintError) in
      guard call == "openFile", name == "stop", !isLate.withLock({ $0 }) else { return }
      isLate.withLock { $0 = true }
      let other = try? StoreFixture.realJob(at: path)
      faster.withLock { $0 = other }
    }
    let looks = Protected(0)
    let patience = JobLock.Patience(duration: .seconds(600), waitsForLiving: true) {
      looks.withLock { $0 += 1 }
      // The faster one has done its work.
      faster.withLock { $0 = nil }
      return false
    }
    let job = try job(on: disk, patience: patience)
    #expect(isLate.withLock { $0 })
    #expect(looks.withLock { $0 } == 1)
    expectError(.busy) { try held() }
    try StoreFixture.commit(1, to: job)
  }

  @Test("C6 a holder whose name found no room in the lock file is another process, and refuses all")
  func nameless() throws {
    let disk = FaultyFileSystem()
    disk.faults.add(.diskFull, at: .write, pathSuffix: "/lock", times: .max)
    let job = try StoreFixture.job(on: disk)
    try job.materialize()
    #expect(disk.contents(of: job.path + "/lock") == [])
    let error = expectError(.busy) { try StoreFixture.job(on: disk.anotherProcess()) }
    #expect(
      error?.message
        == "the job \(job.path) is in use by another process; wait for it or stop it")
  }

  @Test("C6 a lock that nobody has, or that is not there yet, has no holder")
  func free() throws {
    let job = try held()
    let catalog = try JobCatalog(jobsDirectory: scratch.path)
    #expect(try catalog.holder(of: job.key)??.pid == getpid())
    unlink(job.path + "/lock")
    #expect(try catalog.holder(of: job.key) == nil)
    #expect(LockHolder(contents: []) == nil)
    #expect(LockHolder(contents: Array(#"{"host":"h","bootId":"b","pid":1}"#.utf8)) == nil)
  }

  @Test("C6 where an engine runs the holder is in the lock file, and comes back as it was")
  func engine() throws {
    var identity = StoreFixture.identity()
    for node in ["node-7", ""] {
      identity.engineJob = EngineJob(engine: "slurm", job: "120_4", node: node)
      let holder = LockHolder(identity)
      #expect(LockHolder(contents: holder.contents) == holder)
      let object = try JSONObject(holder.contents)
      #expect(object["engine"] == .text("slurm"))
      #expect(object["engineJob"] == .text("120_4"))
      #expect(object["engineNode"] == (node.isEmpty ? nil : .text(node)))
    }
    #expect(
      LockHolder(identity).text(seenBy: identity)
        .hasPrefix("process 42 on here (Slurm job 120_4), since "))
    identity.engineJob = nil
    let outside = LockHolder(identity)
    #expect(try JSONObject(outside.contents)["engine"] == nil)
    #expect(LockHolder(contents: outside.contents) == outside)
    // Of another version: what is left out is empty.
    let sparse = try JSONObject(Array(#"{"engine":"pbs"}"#.utf8))
    #expect(try EngineJob(sparse) == EngineJob(engine: "pbs", job: "", node: ""))
    let strange = try JSONObject(Array(#"{"engine":"pbs","engineNode":7}"#.utf8))
    #expect(throws: JSONFault(#""engineNode" is not a text"#)) { try EngineJob(strange) }
  }

  @Test("C6 a job is still this process's until another one has taken it up")
  func stillOurs() throws {
    let disk = FaultyFileSystem()
    let job = try StoreFixture.job(on: disk)
    #expect(job.isStillOurs(), "nobody else can have what is not there yet")
    try StoreFixture.commit(1, to: job)
    #expect(job.isStillOurs())
    // An error of the file server says nothing of who has it.
    disk.faults.add(.fail(EIO), at: .read, pathSuffix: "/lock")
    #expect(job.isStillOurs())
    disk.node(job.path + "/lock")?.lockedBy = nil
    let second = try StoreFixture.job(
      on: disk.anotherProcess(), identity: StoreFixture.identity(pid: 43, host: "there"))
    #expect(!job.isStillOurs())
    #expect(job.loss?.code == .busy)
    #expect(second.isStillOurs())
  }
}
