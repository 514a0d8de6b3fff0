public import StintCore

/// Where a worker keeps its durable state: the job directory, or anything that keeps clauses C1 to
/// C8.
///
/// All functions may be called from any thread; commits are called one at a time.
public protocol WorkStore: AnyObject, Sendable {
  /// Where partial output goes.
  var workspace: any Workspace { get }

  /// How many stints in a row, up to the last one in the journal, ended without a new durable
  /// checkpoint (W13).
  var stintsWithoutProgress: Int { get }

  /// What earlier stints have shown of checkpoints and of ends; nothing unless the store says
  /// otherwise.
  var workHistory: WorkHistory { get }

  /// A number from 0 to 1 that differs between jobs and is always the same for one: jobs that start
  /// together begin their periodic checkpoints at different times.
  ///
  /// 1 unless the store says otherwise, which is right where there is one job.
  var stagger: Double { get }

  /// Finds the newest whole checkpoint and makes a state of it.
  ///
  /// A file that fails its checks, or whose decoding throws the code `damaged`, is renamed aside,
  /// recorded, and the one before is tried (C2). A checkpoint that crashed the restart as often as
  /// the policy allows is passed over (C7).
  ///
  /// - Parameter decode: Makes a state from a verified payload.
  /// - Returns: The state and where it came from, or nil if the job has never had a checkpoint.
  /// - Throws: ``StintError``: `damaged` if there were checkpoints and none is whole; `mismatch`
  ///   (C5); `io`.
  func restore<State>(
    _ decode: (UnsafeRawBufferPointer) throws -> State
  ) throws -> RestoredWork<State>?

  /// Makes a state durable (C1): partial output first, then the checkpoint, then verified by
  /// reading it back, then a line of the journal; a failure is in the journal too.
  ///
  /// - Parameters:
  ///   - payload: The encoded state.
  ///   - workTime: The job's own time up to this state, over all stints.
  ///   - progress: For the journal.
  /// - Returns: The generation that now stands.
  /// - Throws: ``StintError`` with the code `io` and the errno; the generation before is untouched
  ///   (C4).
  func commit(
    _ payload: CheckpointPayload, workTime: Duration, progress: WorkProgress
  ) throws -> CommittedCheckpoint

  /// Whether the result is durable, as an earlier worker wrote down: there is nothing left to do.
  ///
  /// False unless the store says otherwise.
  var isFinished: Bool { get }

  /// Writes down durably that the result is where it belongs: no later worker delivers it (W9).
  ///
  /// A line of the journal unless the store says otherwise.
  ///
  /// - Parameter workTime: The job's own time, over all stints.
  func recordFinish(workTime: Duration)

  /// Appends an event to the journal.
  ///
  /// A failure to write is reported once through the diagnostics and never stops the work.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - durably: Whether to wait until the event is on disk.
  func record(_ event: JournalEvent, durably: Bool)
}

/// A store that one worker at a time has for itself, and gives up when it does not need it.
package protocol HeldStore: WorkStore {
  /// Takes the store for a worker, before it loads and before it goes on after a rest.
  ///
  /// - Throws: ``StintError``: `busy` if another one has it, or has worked on it since this one
  ///   rested; `usage` if it was closed.
  func hold(for worker: AnyObject) throws
  /// A worker rests between two stints or has ended, and nothing of it can write any more.
  ///
  /// - Parameters:
  ///   - worker: The worker that held the store; nothing happens if that is another one.
  ///   - isFinished: Whether the result is durable.
  func letGo(of worker: AnyObject, isFinished: Bool)
}

extension WorkStore {
  /// A job of which nothing is known.
  public var workHistory: WorkHistory { WorkHistory() }

  /// One job alone: its first periodic checkpoint comes after a whole interval.
  public var stagger: Double { 1 }

  /// A job that is always run.
  public var isFinished: Bool { false }

  /// Records the end as an event.
  public func recordFinish(workTime: Duration) {
    record(.finished(sizeBytes: 0, checksum: "", workTime: workTime), durably: true)
  }
}
