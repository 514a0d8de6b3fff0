import StintCore

@testable import StintRuntime

/// The small JSON files of a job: `job.json`, and the lock file beside it.
///
/// The input is the file. Because nobody guesses a hash, what decodes is also checked with the hash
/// put right.
enum JobRecordTarget {
  // The members are kept as they are read, and once more as a dictionary.
  private static let allowance = Allowance(
    peakBytes: (fixed: 65_536, perByte: 64), totalBytes: (fixed: 131_072, perByte: 256))

  static func examine(_ input: [UInt8]) {
    examineLock(input)
    let read = allowance.accepted(input) { record(in: input, key: "test-b14e422b18a94298") }
    if let read { checkRoundTrip(read) }
    guard var record = try? JobRecord(contents: input) else {
      require(read == nil, "what is no JSON was read")
      return
    }
    Plant.rare(record.outputPath?.isAbsolute == false)
    record.formatVersion = JobRecord.formatVersion
    record.parameterHash = record.key.parameterHash.description
    if CheckpointHeader.isKind(record.kind) {
      require(JobKey.isKey(record.key.description), "\(record.key) is no key")
      checkRoundTrip(record)
    }
  }

  private static func record(in bytes: [UInt8], key: String) -> JobRecord? {
    let fileSystem = SingleFile(bytes)
    return unlessRefused("a bad file", .damaged, .mismatch) {
      try JobRecord.read(in: fileSystem.directory, key: key, fileSystem: fileSystem)
    } ?? nil
  }

  private static func checkRoundTrip(_ record: JobRecord) {
    var again = self.record(in: record.contents, key: record.key.description)
    if Plant.spoils, let path = again?.storedOutput {
      again?.storedOutput = FilePath(path.text + "x")
    }
    // Where it was read is no part of it.
    again?.base = record.base
    require(again == record, "\(record) came back as \(again.map { "\($0)" } ?? "nothing")")
  }

  private static func examineLock(_ input: [UInt8]) {
    let holder = allowance.measured(input.count) { LockHolder(contents: input) }
    guard let holder else { return }
    let identity = StoreIdentity(
      host: "host", bootID: "boot", pid: 1, processStart: 1, userID: 0, wallClock: { 0 },
      bootClock: { Instant(nanoseconds: 0) }, startOfProcess: { _ in nil })
    require(!holder.text(seenBy: identity).isEmpty, "a holder without words")
    require(LockHolder(contents: holder.contents) == holder, "\(holder) did not come back")
  }
}
