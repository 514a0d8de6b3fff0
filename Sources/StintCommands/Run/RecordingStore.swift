import Stint
import StintCore

/// Lets the events of a job's journal be seen on their way.
final class RecordingStore: WorkStore {
  private let job: Job
  private let events: EventLog?

  init(_ job: Job, events: EventLog?) {
    self.job = job
    self.events = events
  }

  var workspace: any Workspace { job.workspace }
  var stintsWithoutProgress: Int { job.stintsWithoutProgress }

  func restore<State>(
    _ decode: (UnsafeRawBufferPointer) throws -> State
  ) throws -> RestoredWork<State>? {
    try job.restore(decode)
  }

  func commit(
    _ payload: CheckpointPayload, workTime: Duration, progress: WorkProgress
  ) throws -> CommittedCheckpoint {
    let began = BootClock.now
    do {
      let committed = try job.commit(payload, workTime: workTime, progress: progress)
      events?.write(
        .checkpoint(
          sequence: committed.sequence, sizeBytes: committed.sizeBytes,
          took: began.duration(to: BootClock.now), workTime: workTime, fraction: progress.fraction))
      return committed
    } catch {
      let error = StintError(wrapping: error, while: "writing a checkpoint")
      events?.write(.checkpointFailed(message: error.message, errno: error.errno))
      throw error
    }
  }

  func record(_ event: JournalEvent, durably: Bool) {
    job.record(event, durably: durably)
    events?.write(event)
  }
}
