@testable import StintRuntime

/// A store in memory: what was committed last, and every event.
final class MemoryStore: WorkStore {
  private struct Memory {
    var payload: [UInt8]?
    var workTime = Duration.zero
    var sequence: UInt64 = 0
    var events: [JournalEvent] = []
    var failures: [StintError] = []
    var restoreFailure: StintError?
  }

  private let memory = Protected(Memory())
  let workspace: any Workspace = NoWorkspace()
  let stintsWithoutProgress: Int

  init(stintsWithoutProgress: Int = 0) {
    self.stintsWithoutProgress = stintsWithoutProgress
  }

  var events: [JournalEvent] { memory.withLock { $0.events } }
  var sequence: UInt64 { memory.withLock { $0.sequence } }

  /// The next commits fail with these errors.
  func fail(with errors: [StintError]) {
    memory.withLock { $0.failures = errors }
  }

  /// Every restore fails with this error.
  func failRestores(with error: StintError) {
    memory.withLock { $0.restoreFailure = error }
  }

  func restore<State>(
    _ decode: (UnsafeRawBufferPointer) throws -> State
  ) throws -> RestoredWork<State>? {
    if let failure = memory.withLock({ $0.restoreFailure }) { throw failure }
    let (payload, sequence, workTime) = memory.withLock { ($0.payload, $0.sequence, $0.workTime) }
    guard let payload else { return nil }
    return RestoredWork(
      state: try payload.withUnsafeBytes(decode), sequence: sequence, workTime: workTime)
  }

  func commit(
    _ payload: CheckpointPayload, workTime: Duration, progress: WorkProgress
  ) throws -> CommittedCheckpoint {
    var bytes: [UInt8] = []
    payload.forEachSegment { bytes += $0 }
    return try memory.withLock { memory throws(StintError) in
      if !memory.failures.isEmpty { throw memory.failures.removeFirst() }
      memory.payload = bytes
      memory.workTime = workTime
      memory.sequence += 1
      return CommittedCheckpoint(sequence: memory.sequence, sizeBytes: bytes.count)
    }
  }

  func record(_ event: JournalEvent, durably: Bool) {
    memory.withLock { $0.events.append(event) }
  }
}

/// No partial output is expected.
private final class NoWorkspace: Workspace {
  func partialFile(named name: String) throws -> any PartialFile {
    throw StintError(.io, "There is no workspace.")
  }
  func synchronize() {}
  func removePartialFile(named name: String) {}
}
