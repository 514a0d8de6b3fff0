import Testing

@testable import StintRuntime

@Suite("A signal between two chunks")
struct SignalBetweenChunksTests {
  /// Counts, and calls out between the end of a chunk and the decision about the next one.
  struct Counting: ChunkedComputation {
    typealias State = CountingComputation.State
    static let kind = CountingComputation.kind
    static let stateVersion = CountingComputation.stateVersion

    var inner: CountingComputation
    var betweenChunks: @Sendable (State) -> Void = { _ in }

    var parameters: JobParameters { inner.parameters }
    func start(in workspace: any Workspace) -> State { inner.start(in: workspace) }
    func outlook(of state: State) -> Outlook {
      betweenChunks(state)
      return inner.outlook(of: state)
    }
    func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
      inner.run(from: state, atMost: cost, in: context)
    }
    func encode(_ state: State, into payload: inout CheckpointPayload) {
      inner.encode(state, into: &payload)
    }
    func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
      try inner.decode(payload, in: workspace)
    }
    func finish(_ state: State, in workspace: any Workspace) {
      inner.finish(state, in: workspace)
    }
  }

  @Test(
    "R3 W4 a signal between two chunks: what is complete is saved and nothing is lost",
    arguments: [2, 3, 17])
  func between(chunks: Int) async throws {
    let store = MemoryStore()
    let host = FakeHost()
    let begun = Protected(0)
    let completed = Protected<CountingComputation.State?>(nil)
    let results = Protected<[UInt64]>([])
    var counting = Counting(
      inner: CountingComputation(
        count: 1_000, inChunk: { _, _ in begun.withLock { $0 += 1 } },
        onFinish: { sum in results.withLock { $0.append(sum) } }))
    let resumed = counting
    counting.betweenChunks = { state in
      guard begun.withLock({ $0 }) == chunks, state.next > 1 else { return }
      let isFirst = completed.withLock { completed in
        let isFirst = completed == nil
        completed = completed ?? state
        return isFirst
      }
      if isFirst { host.expire(.signal(15)) }
    }
    var options = WorkerOptions()
    options.policy.chunkTarget = .microseconds(1)
    let worker = Worker(counting, store: store, host: host, options: options)
    worker.start()
    #expect(await worker.outcome() == .stopped(.signal(15)))
    #expect(begun.withLock { $0 } == chunks, "no chunk is begun after it")
    #expect(host.openTasks.isEmpty)
    let saved = try store.restore { try counting.decode($0, in: store.workspace) }
    #expect(saved?.state == completed.withLock { $0 })

    let second = Worker(resumed, store: store, host: FakeHost(), options: WorkerOptions())
    second.start()
    #expect(await second.outcome() == .finished)
    #expect(results.withLock { $0 } == [CountingComputation.result(1_000)])
  }
}
