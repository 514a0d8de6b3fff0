import Stint
import Testing

@testable import StintTesting

@Suite("A worker whose thread is interrupted by other processes")
@MainActor
struct DescheduledWorkerTests {
  /// Counts; the smallest chunk takes about 8 microseconds where a unit takes 8 nanoseconds.
  private struct Counting: ChunkedComputation {
    static let kind = "counting"
    static let stateVersion: UInt32 = 1
    static let end = 1e13

    var parameters: JobParameters { [:] }

    func start(in workspace: any Workspace) -> Double { 0 }

    func outlook(of state: Double) -> Outlook {
      let left = Self.end - state
      return Outlook(
        progress: WorkProgress(fraction: state / Self.end, phase: "counting"),
        next: left > 0 ? .init(smallest: min(1_000, left), largest: left) : nil,
        remainingCost: left, checkpointBytes: 8)
    }

    func run(from state: Double, atMost cost: Double, in context: ChunkContext) -> Chunk<Double>? {
      context.stopFlag.isRaised ? nil : Chunk(state: state + cost, cost: cost)
    }

    func encode(_ state: Double, into payload: inout CheckpointPayload) {
      payload.append(state.bitPattern)
    }

    func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) -> Double {
      Double(
        bitPattern: UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self)))
    }

    func finish(_ state: Double, in workspace: any Workspace) {}
  }

  /// A process whose trips of 2 s follow one another.
  @MainActor
  private final class Run {
    static let policy = SystemPolicy(
      name: "short", grant: .seconds(2), lead: .milliseconds(500), maximumTasks: 10)

    let system: VirtualSystem
    let worker: Worker<Counting>
    private var durable = 0.0

    init(on disk: FaultyFileSystem, clock: VirtualClock, costs: VirtualCosts) throws {
      system = VirtualSystem(policy: Self.policy, clock: clock, termination: .terminate)
      system.share(processOf: disk)
      let job = try Job(of: Counting(), on: disk, clock: clock)
      worker = Worker(
        Counting(), store: job, system: system, options: WorkerOptions(), costs: costs)
      system.launch()
      system.enterBackground()
      worker.start()
    }

    /// The units that each of so many trips completed.
    func trips(_ count: Int) -> [Double] {
      (0..<count).map { _ in
        system.advance(by: .seconds(2))
        let now = (worker.statusReport()?.progress.fraction ?? 0) * Counting.end
        defer { durable = now }
        system.enterForeground()
        system.enterBackground()
        return now - durable
      }
    }
  }

  private static func costs(seed: UInt64) -> VirtualCosts {
    var costs = VirtualCosts(seed: seed)
    costs.secondsPerUnit = 8e-9
    costs.chunkOverhead = .microseconds(5)
    costs.descheduledEvery = .milliseconds(6)
    costs.descheduledFor = .milliseconds(6)
    return costs
  }

  /// What a trip would complete if all of its time were used: half of it goes to other processes.
  private static let whole = 1 / 8e-9

  @Test("W2 small chunks that are interrupted do not make a worker slow", arguments: 1...8)
  func keepsItsSpeed(seed: UInt64) throws {
    let (disk, clock) = (FaultyFileSystem(), VirtualClock())
    let run = try Run(on: disk, clock: clock, costs: Self.costs(seed: seed))
    let shares = run.trips(40).map { $0 / Self.whole }
    #expect(shares.allSatisfy { $0 > 0.6 }, "\(shares)")
    run.system.kill()
    // What the job tells a new process does not make it slow either.
    let other = try Run(
      on: disk.anotherProcess(), clock: clock, costs: Self.costs(seed: seed + 100))
    let others = other.trips(3).dropFirst().map { $0 / Self.whole }
    #expect(others.allSatisfy { $0 > 0.6 }, "\(others)")
  }

  @Test(
    "W2 one interruption ends no stint that has most of its time left",
    arguments: 0...5, [100, 600])
  func oneStall(chunk: Int, milliseconds: Int) throws {
    let count = Protected(0)
    var costs = Self.costs(seed: 1)
    costs.descheduledEvery = nil
    costs.custom = { work, _ in
      guard case .chunk(let cost) = work else { return nil }
      let isStalled = count.withLock { count in
        defer { count += 1 }
        return count == chunk
      }
      let seconds = 5e-6 + cost * 8e-9
      return .nanoseconds(Int64(seconds * 1e9)) + (isStalled ? .milliseconds(milliseconds) : .zero)
    }
    let run = try Run(on: FaultyFileSystem(), clock: VirtualClock(), costs: costs)
    let share = (run.trips(1).first ?? 0) * 8e-9 / 2
    #expect(share > 0.9 - Double(milliseconds) / 2_000, "\(share) of the first trip")
  }
}
