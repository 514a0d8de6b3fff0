import Foundation
import Glibc
import StintCore
import StintRuntime

@testable import StintCommands

/// A directory of jobs on the real disk, and command lines that look at it.
final class VerbFixture {
  let path: String

  init() {
    var bytes = Array((NSTemporaryDirectory() + "stint-verbs-XXXXXX").utf8CString)
    precondition(mkdtemp(&bytes) != nil, "no temporary directory")
    let made = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = URL(fileURLWithPath: made).resolvingSymlinksInPath().path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var jobsPath: String { path + "/jobs" }

  /// A job whose lock is held as long as the value lives.
  func job(_ n: Int, output: String? = nil, identity: StoreIdentity = .current()) throws -> Job {
    var options = Job.Options()
    options.jobsDirectory = jobsPath
    options.outputPath = output
    return try Job(
      kind: "fibonacci", parameters: ["n": String(n), "format": "decimal"], stateVersion: 1,
      options: options, fileSystem: PosixFileSystem(), identity: identity)
  }

  /// This process, with three seconds between two looks at the clock: stints that save seconds run
  /// for some.
  static func slowly() -> StoreIdentity {
    var identity = StoreIdentity.current()
    let looks = Protected(0)
    let began = BootClock.now.advanced(by: .seconds(-10_000))
    identity.bootClock = {
      let count = looks.withLock { looks in
        looks += 1
        return looks
      }
      return began.advanced(by: .seconds(3 * count))
    }
    return identity
  }

  /// A job that nobody holds, with one checkpoint.
  @discardableResult
  func waitingJob(
    _ n: Int, output: String? = nil, identity: StoreIdentity = .current()
  ) throws -> String {
    let job = try job(n, output: output, identity: identity)
    begin(job)
    try commit(job, fraction: 0.25)
    job.record(.stintEnded(reason: .didNotFit, saved: .seconds(2), lost: .zero), durably: false)
    return job.key
  }

  /// A job whose result stands under its name.
  @discardableResult
  func finishedJob(_ n: Int, text: String = "12345\n") throws -> String {
    let output = path + "/result-\(n)"
    try text.write(toFile: output, atomically: false, encoding: .utf8)
    let job = try job(n, output: output)
    try job.materialize()
    begin(job)
    job.record(
      .finished(
        sizeBytes: text.utf8.count, checksum: XXH3Checksum.digest(Array(text.utf8)).description,
        workTime: .seconds(4)), durably: true)
    job.record(.stintEnded(reason: .finished, saved: .seconds(4), lost: .zero), durably: false)
    return job.key
  }

  func begin(_ job: Job) {
    job.record(
      .stintBegan(
        budget: .seconds(9), end: nil, restoredSequence: nil, workTime: job.summary.workTime),
      durably: false)
  }

  func commit(_ job: Job, fraction: Double) throws {
    var payload = CheckpointPayload()
    payload.append((0..<200).map { UInt8($0) })
    _ = try job.commit(
      payload, workTime: .seconds(2), progress: WorkProgress(fraction: fraction, phase: "testing"))
  }

  func context(_ words: String...) throws -> VerbContext {
    try context(words)
  }

  func context(
    _ words: [String], kinds: KindTable = .stint, engine: (any Engine)? = nil
  ) throws -> VerbContext {
    try VerbContext(
      CommandLine.parsed(
        words.prefix(1) + ["--jobs-dir", jobsPath] + words.dropFirst(), kinds: kinds
      ).options,
      in: Surroundings(
        environment: [:], workingDirectory: path,
        wallTime: WallTime(
          nanosecondsSince1970: StoreIdentity.current().wallClock(),
          calendar: .fixed(secondsFromUTC: 0))), kinds: kinds, engine: engine)
  }

  func list(_ words: String...) throws -> VerbResult {
    try ListCommand(context: context(["list"] + words)).run()
  }

  func status(_ words: String...) throws -> VerbResult {
    try StatusCommand(context: context(["status"] + words)).run()
  }

  func exists(_ key: String) -> Bool {
    FileManager.default.fileExists(atPath: jobsPath + "/" + key)
  }

  func damage(_ file: String, at offset: Int) throws {
    let url = URL(fileURLWithPath: jobsPath + "/" + file)
    var data = try Data(contentsOf: url)
    data[offset] ^= 1
    try data.write(to: url)
  }

  /// The JSON of a text, as another program would read it.
  static func object(_ text: String) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  static func objects(_ text: String) throws -> [[String: Any]] {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
  }
}
