import Stint
import StintCore
import Synchronization

/// A computation that only takes time: steps of the calibration loop, with a checkpoint of any
/// size.
struct SpinComputation: ChunkedComputation {
  struct State: Sendable {
    var done: Int
    var word: UInt64
  }

  /// When the first chunk began and the last one ended.
  final class Span: Sendable {
    private let first = Atomic<Int64>(.max)
    private let last = Atomic<Int64>(.min)

    func chunkBegan(at instant: Instant) {
      first.min(instant.nanoseconds, ordering: .relaxed)
    }

    func chunkEnded(at instant: Instant) {
      last.max(instant.nanoseconds, ordering: .relaxed)
    }

    var duration: Duration {
      .nanoseconds(last.load(ordering: .relaxed) - first.load(ordering: .relaxed))
    }
  }

  static let kind = "bench-spin"
  static let stateVersion: UInt32 = 1

  let totalIterations: Int
  /// The cost of a chunk is in iterations.
  let chunks: Outlook.ChunkRange
  let ballast: Ballast
  let span = Span()

  var parameters: JobParameters { ["iterations": "\(totalIterations)"] }

  func start(in workspace: any Workspace) throws -> State {
    State(done: 0, word: 1)
  }

  func outlook(of state: State) -> Outlook {
    let rest = totalIterations - state.done
    let progress = WorkProgress(
      fraction: Double(state.done) / Double(totalIterations), phase: "spinning")
    return Outlook(
      progress: progress, next: rest > 0 ? chunks : nil, remainingCost: Double(rest),
      checkpointBytes: ballast.bytes.count + 16)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) throws -> Chunk<State>?
  {
    span.chunkBegan(at: BootClock.now)
    let iterations = min(Int(cost), totalIterations - state.done)
    guard let word = SpinKernel.run(iterations, from: state.word, until: context.stopFlag) else {
      return nil
    }
    span.chunkEnded(at: BootClock.now)
    return Chunk(
      state: State(done: state.done + iterations, word: word), cost: Double(iterations))
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) throws {
    payload.append(state.done)
    payload.append(state.word)
    payload.lend(ballast.bytes, owner: ballast)
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 16 + ballast.bytes.count else {
      throw StintError(.damaged, "A checkpoint of the benchmark has the wrong length.")
    }
    return State(
      done: payload.loadUnaligned(as: Int.self),
      word: payload.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  func finish(_ state: State, in workspace: any Workspace) throws {}
}

/// Bytes that cannot be compressed and never change.
final class Ballast: @unchecked Sendable {
  // Unchecked: written by the initialiser only.
  let bytes: UnsafeRawBufferPointer

  init(count: Int) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    var random = SplitMix64(seed: 1)
    for offset in stride(from: 0, to: count - count % 8, by: 8) {
      buffer.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
    }
    for offset in (count - count % 8)..<count { buffer[offset] = 0x5A }
    bytes = UnsafeRawBufferPointer(buffer)
  }

  deinit {
    bytes.deallocate()
  }
}
