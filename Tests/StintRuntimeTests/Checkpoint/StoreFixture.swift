import Foundation
import Glibc
import StintCore
import StintTesting
import Synchronization

@testable import StintRuntime

/// What the tests of the store share: a job of a made-up kind, and payloads that say which they
/// are.
enum StoreFixture {
  static let jobsPath = "/jobs"

  /// A process that plays on a machine of its own.
  static func identity(pid: Int32 = 42, host: String = "here", userID: UInt32 = 1000)
    -> StoreIdentity
  {
    let clock = Atomic<Int64>(0)
    let box = ClockBox(clock)
    return StoreIdentity(
      host: host, bootID: "boot-1", pid: pid, processStart: 7, userID: userID,
      wallClock: { 1_800_000_000_000_000_000 + box.advance() },
      bootClock: { Instant(nanoseconds: box.advance()) },
      startOfProcess: { $0 == pid ? 7 : nil })
  }

  final class ClockBox: Sendable {
    private let clock: Atomic<Int64>
    init(_ clock: consuming Atomic<Int64>) { self.clock = clock }
    /// Every look at the clock is a millisecond later.
    func advance() -> Int64 { clock.add(1_000_000, ordering: .relaxed).newValue }
  }

  static func job(
    on fileSystem: any FileSystem, at jobsPath: String = jobsPath, kind: String = "test",
    parameters: JobParameters = ["n": "5"], stateVersion: UInt32 = 1, startsOver: Bool = false,
    identity: StoreIdentity = identity(), report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> Job {
    var options = Job.Options()
    options.jobsDirectory = jobsPath
    options.outputPath = "/out/result"
    options.startsOver = startsOver
    return try Job(
      kind: kind, parameters: parameters, stateVersion: stateVersion, options: options,
      fileSystem: fileSystem, identity: identity, report: report)
  }

  /// A payload in several segments that holds its number all over.
  static func payload(_ number: UInt8, sizeBytes: Int = 200) -> CheckpointPayload {
    var payload = CheckpointPayload()
    payload.append([number])
    payload.append((1..<sizeBytes / 2).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ number })
    payload.append((sizeBytes / 2..<sizeBytes).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ number })
    return payload
  }

  /// The number of a payload, after a check that every byte is as it was.
  static func number(in bytes: UnsafeRawBufferPointer) throws -> UInt8 {
    guard let number = bytes.first else { throw StintError(.damaged, "empty") }
    for index in 1..<bytes.count
    where bytes[index] != UInt8(truncatingIfNeeded: index &* 7) ^ number {
      throw Garbage(index: index)
    }
    return number
  }

  /// Bytes got past the checks that no commit ever wrote.
  struct Garbage: Error {
    var index: Int
  }

  @discardableResult
  static func commit(_ number: UInt8, to job: Job) throws -> CommittedCheckpoint {
    try job.commit(
      payload(number), workTime: .seconds(Int(number)),
      progress: WorkProgress(fraction: Double(number) / 10, phase: "testing"))
  }

  /// Lets a job commit so many checkpoints and do some work, and gives it up; its names are left.
  @discardableResult
  static func past(
    _ job: @autoclosure () throws -> Job, commits: UInt8 = 1,
    _ work: (Job) throws -> Void = { _ in }
  ) throws -> (key: String, path: String) {
    let job = try job()
    if commits == 0 { try job.materialize() }
    for number in 0..<commits { try commit(number + 1, to: job) }
    try work(job)
    return (job.key, job.path)
  }

  /// The catalog of the jobs on a disk in memory.
  static func catalog(of disk: FaultyFileSystem) throws -> JobCatalog {
    try JobCatalog(jobsDirectory: jobsPath, fileSystem: disk, identity: identity())
  }

  /// A job on the real disk, of this process.
  static func realJob(
    on fileSystem: any FileSystem = PosixFileSystem(), at jobsPath: String,
    startsOver: Bool = false
  ) throws -> Job {
    try job(on: fileSystem, at: jobsPath, startsOver: startsOver, identity: .current())
  }

  /// The paths of a job's generations, oldest first.
  static func generations(of job: Job, on fileSystem: FaultyFileSystem) -> [String] {
    let folder = fileSystem.node(job.path + "/checkpoints")
    return (folder?.entries.keys.filter { $0.hasSuffix(".ckpt") } ?? []).sorted()
      .map { job.path + "/checkpoints/" + $0 }
  }
}

/// A directory on the real disk that goes away with its owner.
final class ScratchDirectory {
  let path: String

  init() {
    let template = NSTemporaryDirectory() + "stint-store-XXXXXX"
    var bytes = Array(template.utf8CString)
    precondition(mkdtemp(&bytes) != nil, "no temporary directory")
    path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
