import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

/// A computation that a test runs chunk by chunk; nobody stops a chunk.
struct ChunkRun<Computation: ChunkedComputation> {
  let computation: Computation
  let workspace: MemoryWorkspace
  let context: ChunkContext
  var state: Computation.State

  /// Begins at a state, or at the first one.
  init(
    _ computation: Computation, from state: Computation.State? = nil,
    in workspace: MemoryWorkspace = MemoryWorkspace(), threads: Int = 1
  ) throws {
    self.computation = computation
    self.workspace = workspace
    context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: threads)
    self.state = try state ?? computation.start(in: workspace)
  }

  var outlook: Outlook { computation.outlook(of: state) }
  var next: Outlook.ChunkRange? { outlook.next }
  var output: [UInt8] { workspace.file().bytes }

  func bytes() throws -> [UInt8] { try computation.bytes(of: state) }

  /// Runs a chunk; without a cost, the smallest.
  @discardableResult
  mutating func advance(atMost cost: Double? = nil) throws -> Chunk<Computation.State> {
    let cost = try cost ?? #require(next).smallest
    let chunk = try #require(try computation.run(from: state, atMost: cost, in: context))
    state = chunk.state
    return chunk
  }

  /// Goes on from the bytes of the state, as the next process does.
  mutating func reload() throws {
    state = try computation.state(from: bytes(), in: workspace)
  }
}

extension FibonacciComputation {
  /// What a run with a reload after each chunk was like.
  struct Reloaded {
    var output: [UInt8] = []
    /// How many states held stages of a product, and how many held pieces of one.
    var (stages, pieces) = (0, 0)
    var largestState = 0
  }

  /// Runs in chunks of so much, with a reload after each; a trial after a reload is followed by a
  /// chunk.
  func reloaded(
    threads: Int, offered: (FibonacciState, Outlook.ChunkRange) -> Double
  ) throws -> Reloaded {
    var run = try ChunkRun(self, threads: threads)
    var result = Reloaded()
    var fraction = 0.0
    while let next = run.next {
      let chunk = try run.advance(atMost: offered(run.state, next))
      let sizeBytes = try run.bytes().count
      #expect(sizeBytes <= run.outlook.checkpointBytes)
      result.largestState = max(result.largestState, sizeBytes)
      if !chunk.isTrial { try run.reload() }
      let progress = run.outlook.progress.fraction
      #expect(progress >= fraction - 1e-9)
      fraction = progress
      if run.state.stagesDone > 0 { result.stages += 1 }
      if isSplit(run.state) { result.pieces += 1 }
    }
    result.output = run.output
    return result
  }
}

extension FibonacciState {
  /// The stages that are done of the product that comes next.
  var stagesDone: Int {
    guard case .decimalDoubling(let pair) = phase else { return 0 }
    return pair.staged?.done ?? 0
  }
}
