import StintCore

/// What can be told of a job from outside, without its lock.
package struct JobSummary: Sendable {
  /// The name of the job and of its directory.
  package var key: String
  /// The path of its directory.
  package var path: String
  /// What the job is; nil if `job.json` cannot be read.
  package var record: JobRecord?
  /// What is wrong with it, as a sentence.
  package var problem: StintError?
  /// Whether there is a directory and nothing in it.
  ///
  /// Whoever made it was ended before it had written what the job is, or is about to write that.
  /// Nothing is lost with it, and a run of the job goes on from there.
  package var isHalfMade = false
  /// Whether a process works on it now.
  package var isRunning = false
  /// That process, as far as the lock file can be read.
  package var holder: LockHolder?
  /// What its journal says.
  package var journal = JournalSummary()
  /// Its generations, newest first.
  package var generations: [UInt64] = []
  /// Files in `checkpoints/` that were set aside.
  package var setAside: [String] = []
  /// The bytes in `checkpoints/` and `partial/`.
  package var sizeBytes = 0
  /// A checkpoint of which the journal tells, and that is gone, though an older one is there.
  package var lostCheckpoint: UInt64?
  /// The markers that are set.
  package var markers: Set<JobMarker> = []

  /// Whether the result was durable under its final name when the job was last run.
  package var isFinished: Bool { journal.finish != nil }

  /// Shows the job as it stands: at the newest checkpoint that is there, if the journal tells of a
  /// newer one (W10).
  mutating func noteLostCheckpoint(_ found: Generations) {
    guard let told = journal.lastCheckpoint?.sequence, let newest = found.newestFirst.first
    else { return }
    if found.misses(told) { lostCheckpoint = told }
    journal.isSetBack(to: newest)
  }
}

/// What a look at one generation found.
package struct GenerationReport: Hashable, Sendable {
  /// The generation.
  package var sequence: UInt64
  /// The length of its file in bytes.
  package var sizeBytes = 0
  /// The header, if it is whole.
  package var header: CheckpointHeader?
  /// What is wrong with it, as the end of a sentence that begins with the file's name; nil if it is
  /// whole.
  package var fault: String?
  /// Why it could not be read, which says nothing of what it is.
  package var error: StintError?

  /// The job's own time up to it, if the header is whole.
  package var workTime: Duration? {
    header.map { .nanoseconds(Int64(clamping: $0.workTimeNanoseconds)) }
  }

  /// Whether it was read and nothing is wrong with it.
  package var isWhole: Bool { fault == nil && error == nil }
}
