import CStint
import Glibc
import Stint
import StintCore

/// A computation that only takes time: steps of the calibration loop, with a checkpoint of any
/// size.
struct SpinComputation: ChunkedComputation {
  struct State: Sendable {
    var done: Int
    var word: UInt64
  }

  /// From the beginning of the first chunk to the end of the last one, and what of that the chunks
  /// took.
  final class Span: Sendable {
    /// The time, and what the process and the thread have used of the processors.
    private struct Reading {
      var at = BootClock.now
      var process = Duration.nanoseconds(stint_clock_ns(CLOCK_PROCESS_CPUTIME_ID))
      var thread = Duration.nanoseconds(stint_thread_processor_ns())
    }

    private struct State {
      var first: Reading?
      var last: Reading?
      var inChunks = Duration.zero
      var processorInChunks = Duration.zero
    }

    private let state = Protected(State())

    /// Runs a chunk.
    func chunk<Result>(_ body: () -> Result) -> Result {
      let began = Reading()
      let result = body()
      let ended = Reading()
      state.withLock { state in
        state.first = state.first ?? began
        state.last = ended
        state.inChunks += began.at.duration(to: ended.at)
        state.processorInChunks += ended.thread - began.thread
      }
      return result
    }

    var duration: Duration {
      state.withLock { state in
        guard let first = state.first, let last = state.last else { return .zero }
        return first.at.duration(to: last.at)
      }
    }

    /// What is not the chunks': the time between them, and all processor time outside them.
    ///
    /// What is computed between two chunks counts twice.
    var besides: Duration {
      state.withLock { state in
        guard let first = state.first, let last = state.last else { return .zero }
        return first.at.duration(to: last.at) - state.inChunks
          + (last.process - first.process) - state.processorInChunks
      }
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
    let iterations = min(Int(cost), totalIterations - state.done)
    let word = span.chunk {
      SpinKernel.run(iterations, from: state.word, until: context.stopFlag)
    }
    guard let word else { return nil }
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
