import CStint
import Stint
import StintCore
import StintScenarios

/// The synthetic work of a scenario on a real processor: a chunk computes until it has used the
/// processor time that was drawn for it.
struct DrawnComputation: ChunkedComputation {
  struct State: Sendable {
    /// So many chunks are complete.
    var position: Int
    /// The processor time that was drawn for them.
    var done: Nanoseconds
    var word: UInt64
  }

  static let kind = "bench-drawn"
  static let stateVersion: UInt32 = 1
  /// Whether to give up, and the clock, are looked at once in so many steps, some tens of
  /// microseconds.
  private static let stride = 1 << 14

  let work: Work
  let trip: Int
  /// The work of the whole job; far more than is ever done.
  let total: Nanoseconds
  let ballast: Ballast
  /// Told of each complete chunk, on the chunk's thread.
  let completed: @Sendable (_ index: Int, _ began: Instant, _ state: State) -> Void
  private let first = Protected<Int?>(nil)

  init(
    work: Work, trip: Int, total: Nanoseconds, checkpointBytes: Int,
    completed: @escaping @Sendable (Int, Instant, State) -> Void = { _, _, _ in }
  ) {
    self.work = work
    self.trip = trip
    self.total = total
    ballast = Ballast(count: checkpointBytes)
    self.completed = completed
  }

  var parameters: JobParameters { ["nanoseconds": "\(total)"] }

  func start(in workspace: any Workspace) throws -> State {
    State(position: 0, done: 0, word: 1)
  }

  func progress(of state: State) -> WorkProgress {
    WorkProgress(fraction: Double(state.done) / Double(total), phase: "computing")
  }

  /// Makes a state durable at once; the job tells of the checkpoint when it is.
  func commit(_ state: State, to job: Job) throws {
    var payload = CheckpointPayload()
    try encode(state, into: &payload)
    _ = try job.commit(payload, workTime: .nanoseconds(state.done), progress: progress(of: state))
  }

  func outlook(of state: State) -> Outlook {
    let cost = work.workload.nominal(state.position)
    let rest = total - state.done
    return Outlook(
      progress: progress(of: state), next: rest > 0 ? .init(smallest: cost, largest: cost) : nil,
      remainingCost: Double(rest) / 1e9 / max(work.workload.chunk.mean, 1e-9),
      checkpointBytes: ballast.bytes.count + 24)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) throws -> Chunk<State>?
  {
    let next = run(from: state) { context.stopFlag.isRaised }
    return next.map { Chunk(state: $0, cost: cost) }
  }

  /// Runs the next chunk; nil if it was given up.
  func run(from state: State, until isGivenUp: () -> Bool) -> State? {
    let ordinal = first.withLock { first in
      let found = first ?? state.position
      first = found
      return state.position - found
    }
    let time = work.chunk(at: state.position, trip: trip, ordinal: ordinal)
    let began = BootClock.now
    let end = stint_thread_processor_ns() + time
    var next = state
    while stint_thread_processor_ns() < end {
      if isGivenUp() { return nil }
      next.word = SpinKernel.run(Self.stride, from: next.word)
    }
    next.position += 1
    next.done += time
    completed(state.position, began, next)
    return next
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) throws {
    payload.append(state.position)
    payload.append(state.done)
    payload.append(state.word)
    payload.lend(ballast.bytes, owner: ballast)
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 24 + ballast.bytes.count else {
      throw StintError(.damaged, "A checkpoint of the benchmark has the wrong length.")
    }
    return State(
      position: payload.loadUnaligned(as: Int.self),
      done: payload.loadUnaligned(fromByteOffset: 8, as: Int64.self),
      word: payload.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
  }

  func finish(_ state: State, in workspace: any Workspace) throws {}
}
