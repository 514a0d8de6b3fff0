import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

/// What is durable while the longest product runs.
@Suite("A Fibonacci number that is saved behind its products")
@MainActor
struct SavedBehindTests {
  /// A computation that somebody looks on at.
  private struct Watched: ChunkedComputation {
    enum Event: Equatable {
      case began(remainingBits: Int)
      case saved([UInt8])
      case loaded([UInt8])
    }

    static let kind = FibonacciComputation.kind
    static let stateVersion = FibonacciComputation.stateVersion

    let base: FibonacciComputation
    let events = Protected<[Event]>([])

    var parameters: JobParameters { base.parameters }

    func start(in workspace: any Workspace) throws -> FibonacciState {
      try base.start(in: workspace)
    }

    func outlook(of state: FibonacciState) -> Outlook { base.outlook(of: state) }

    func run(
      from state: FibonacciState, atMost cost: Double, in context: ChunkContext
    ) throws -> Chunk<FibonacciState>? {
      if case .decimalDoubling(let pair) = state.phase {
        events.withLock { $0.append(.began(remainingBits: pair.remainingBits)) }
      }
      return try base.run(from: state, atMost: cost, in: context)
    }

    func encode(_ state: FibonacciState, into payload: inout CheckpointPayload) throws {
      let bytes = try base.bytes(of: state)
      events.withLock { $0.append(.saved(bytes)) }
      try base.encode(state, into: &payload)
    }

    func decode(
      _ payload: UnsafeRawBufferPointer, in workspace: any Workspace
    ) throws -> FibonacciState {
      events.withLock { $0.append(.loaded(Array(payload))) }
      return try base.decode(payload, in: workspace)
    }

    func finish(_ state: FibonacciState, in workspace: any Workspace) throws {
      try base.finish(state, in: workspace)
    }
  }

  private struct Process {
    let system: VirtualSystem
    let worker: Worker<Watched>
    let outcome: Protected<WorkerOutcome?>
  }

  private func launch(
    _ computation: Watched, _ disk: FaultyFileSystem, _ clock: VirtualClock,
    checkpointEvery: Duration? = nil
  ) throws -> Process {
    let system = VirtualSystem(policy: .unlimited, clock: clock, termination: .terminate)
    system.share(processOf: disk)
    let outcome = Protected<WorkerOutcome?>(nil)
    var options = WorkerOptions()
    options.policy.checkpointEvery = checkpointEvery
    options.onEnd = { end in outcome.withLock { $0 = end } }
    var costs = VirtualCosts()
    costs.spread = 0
    // The last product takes half of the time, which is about a minute.
    costs.secondsPerUnit = 60 / computation.base.wholeCost
    let worker = Worker(
      computation, store: try Job(of: computation, on: disk, clock: clock), system: system,
      options: options, costs: costs)
    system.launch()
    worker.start()
    system.run()
    return Process(system: system, worker: worker, outcome: outcome)
  }

  @Test("W14 C1 killed in the middle of its last product, a number goes on from just before it")
  func killedInTheLastProduct() throws {
    let delivered = Protected<[UInt8]>([])
    let base = FibonacciComputation(try FibonacciIndex(400_001)) { workspace, name in
      let file = try workspace.partialFile(named: name)
      let text = try [UInt8](unsafeUninitializedCapacity: file.sizeBytes) { buffer, count in
        try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        count = buffer.count
      }
      delivered.withLock { $0 = text }
    }
    let computation = Watched(base: base)
    let clock = VirtualClock()
    let disk = FaultyFileSystem()
    let begin = clock.now
    let first = try launch(computation, disk, clock)
    // The state before the last step is encoded when the product has begun, because a save goes
    // behind a chunk.
    #expect(first.system.advance(atMost: .seconds(120)) { lastStepSaved(computation) != nil })
    let saved = try #require(lastStepSaved(computation))
    first.system.advance(by: .seconds(5))
    #expect(first.outcome.withLock { $0 } == nil)
    first.system.kill()
    let lived = begin.duration(to: clock.now)

    let events = try eventsAfterKill(computation, disk, clock)
    #expect(events.first == .loaded(saved), "what was saved behind is what was found")
    #expect(events.contains(.began(remainingBits: 1)))
    #expect(!events.contains(.began(remainingBits: 2)), "nothing before it is done again")
    #expect(delivered.withLock { $0 } == (try base.uninterrupted()))

    // With an interval nothing is saved behind, and the same kill costs more.
    let other = FaultyFileSystem()
    let third = try launch(computation, other, clock, checkpointEvery: .seconds(3600))
    third.system.advance(by: lived)
    third.system.kill()
    #expect(
      try eventsAfterKill(computation, other, clock).contains(.began(remainingBits: 2)))
  }

  /// What the next process does to finish the number.
  private func eventsAfterKill(
    _ computation: Watched, _ disk: FaultyFileSystem, _ clock: VirtualClock
  ) throws -> [Watched.Event] {
    computation.events.withLock { $0 = [] }
    let process = try launch(computation, disk.anotherProcess(), clock)
    process.system.advance(atMost: .seconds(300)) { process.outcome.withLock { $0 != nil } }
    #expect(process.outcome.withLock { $0 } == .finished)
    return computation.events.withLock { $0 }
  }

  /// The bytes of the state before the last step, once they are on their way to disk.
  private func lastStepSaved(_ computation: Watched) -> [UInt8]? {
    computation.events.withLock { $0 }.reversed().lazy.compactMap { event -> [UInt8]? in
      guard case .saved(let bytes) = event else { return nil }
      // The position, the phase, the number of steps left and the flag.
      return bytes.starts(with: Self.header(of: computation)) ? bytes : nil
    }.first
  }

  private static func header(of computation: Watched) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt64(value).littleEndian) { Array($0) }
    }
    return word(computation.base.n) + [0] + word(1) + [0]
  }
}
