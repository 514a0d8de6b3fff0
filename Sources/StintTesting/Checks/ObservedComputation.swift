import Stint
import StintCore

/// A computation that is observed.
///
/// It finds fault with what each chunk, outlook and encoding says.
struct ObservedComputation<Base: ChunkedComputation>: ChunkedComputation {
  typealias State = Base.State

  /// What was seen, over all processes of a life.
  final class Log: Sendable {
    private struct Seen {
      var finalState: [UInt8]?
      var finding: String?
    }

    private let seen = Protected(Seen())

    /// The encoded state that the result was made from; nil before the end.
    var finalState: [UInt8]? { seen.withLock { $0.finalState } }
    /// The first thing that was wrong.
    var finding: String? { seen.withLock { $0.finding } }

    func finished(_ state: [UInt8]) { seen.withLock { $0.finalState = state } }
    func found(_ finding: String) { seen.withLock { $0.finding = $0.finding ?? finding } }
  }

  static var kind: String { Base.kind }
  static var stateVersion: UInt32 { Base.stateVersion }

  let base: Base
  let log: Log

  var parameters: JobParameters { base.parameters }

  func start(in workspace: any Workspace) throws -> State { try base.start(in: workspace) }

  func outlook(of state: State) -> Outlook { base.outlook(of: state) }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) throws -> Chunk<State>?
  {
    let before = base.outlook(of: state)
    guard let chunk = try base.run(from: state, atMost: cost, in: context) else { return nil }
    do {
      let asked = max(cost, before.next?.smallest ?? cost)
      try chunk.check(atMost: asked, from: before, to: base.outlook(of: chunk.state))
    } catch {
      log.found("W2 W10: \(error.message)")
    }
    return chunk
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) throws {
    try base.encode(state, into: &payload)
    let expected = base.outlook(of: state).checkpointBytes
    // By division: what it promises may be any number.
    if payload.sizeBytes > 4_096, (payload.sizeBytes - 4_096) / 2 >= max(0, expected) {
      log.found(
        "W4: the outlook promises a checkpoint of \(expected) bytes, and it has \(payload.sizeBytes): "
          + "the time for saving would be planned too short.")
    }
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    try base.decode(payload, in: workspace)
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    try base.finish(state, in: workspace)
    log.finished(try encoded(state))
  }

  func encoded(_ state: State) throws -> [UInt8] {
    var payload = CheckpointPayload()
    try base.encode(state, into: &payload)
    return payload.bytes
  }

  // MARK: Without a worker

  /// Runs the chunk of a job whose cost is as near to a given one as the outlook allows.
  ///
  /// - Parameters:
  ///   - state: Where it starts.
  ///   - cost: The cost.
  ///   - job: Where the partial files are.
  ///   - stopFlag: The chunk's flag, which may be up already.
  /// - Returns: The chunk; nil if the state is the last one, or the chunk gave up.
  /// - Throws: What the computation throws.
  func step(
    from state: State, atMost cost: Double, in job: Job, stopFlag: StopFlag = StopFlag()
  ) throws -> Chunk<State>? {
    guard let range = outlook(of: state).next else { return nil }
    let context = ChunkContext(stopFlag: stopFlag, workspace: job.workspace)
    return try run(
      from: state, atMost: min(max(cost, range.smallest), range.largest), in: context)
  }

  /// Makes a checkpoint of a state in a job.
  func commit(_ state: State, to job: Job) throws {
    var payload = CheckpointPayload()
    try encode(state, into: &payload)
    _ = try job.commit(
      payload, workTime: .seconds(1), progress: outlook(of: state).progress)
  }
}
