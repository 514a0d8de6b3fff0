public import StintCore

/// One line of the journal: something that happened to a job.
public enum JournalEvent: Hashable, Sendable {
  /// A stint began: a worker took the job up. Budget and end are nil when the time is unlimited.
  case stintBegan(
    budget: Duration?, end: Deadline?, restoredSequence: UInt64?, workTime: Duration)
  /// The end of the trip has moved, or there is none any more (E1).
  case deadlineMoved(to: Deadline?)
  /// The first chunk after a restore is done, or the restore ended in order with an error that is
  /// no damage: the checkpoint does not crash the restart (C7).
  case restoreProved(sequence: UInt64)
  /// Handlers are about to be called. Written durably before they are, so that a run that is then
  /// killed can be explained.
  case expiryAnnounced(reason: ExpiryReason, deadline: Instant, openTasks: [String])
  /// A checkpoint is durable.
  case checkpoint(
    sequence: UInt64, sizeBytes: Int, took: Duration, workTime: Duration, fraction: Double)
  /// A part of the result is durable that no later process makes again, whatever the checkpoints
  /// say; once a stint (W13).
  case progressKept
  /// By the measurements of the stint its longest step fits no budget; the next stint measures
  /// again (W2).
  case stepTooLong(expected: Duration)
  /// A checkpoint could not be written; the one before stands (C4).
  case checkpointFailed(message: String, errno: Int32)
  /// A damaged or passed-over checkpoint was renamed aside (C2, C7).
  case setAside(file: String, why: String)
  /// The process ended the stint in order. Saved is the work time that became durable in this
  /// stint; the least budget is what the next step and its checkpoint take, nil if nothing was
  /// measured; measured is what its last chunks took.
  case stintEnded(
    reason: StintEnd, saved: Duration, lost: Duration, leastBudget: Duration? = nil,
    measured: [WorkHistory.MeasuredChunk] = [])
  /// The result is durable under its final name.
  case finished(sizeBytes: Int, checksum: String, workTime: Duration)
  /// How the process before this one ended, inferred from the journal (L8).
  case terminationInferred(cause: String)
  /// A signal ended the worker's process, as its supervisor saw it (L8, R10).
  case workerEnded(signal: Int32)
  /// A diagnostic or a near miss (W12).
  case notice(String)
}
