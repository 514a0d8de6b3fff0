import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

/// A line of cron wakes the queue every ten minutes, with nine minutes each time, and a chain goes
/// on in them until its work is done.
///
/// The chain, its links, the store of the queue and its server are those of the program, and so are
/// the job, the worker and the life of each run. The work is simulated: it costs what F(10^9) costs
/// on a machine that takes 85 minutes for it, and its numbers are counted, not computed.
@Suite("A chain in a queue that cron wakes, in virtual time")
@MainActor
struct QueueChainTests {
  private static let budget = Duration.seconds(9 * 60)
  private static let cost: UInt64 = 85 * 60 * 1_000
  private let world = QueueWorld()
  private let engine = FakeEngine()

  /// The process of a slice, whose work is a run in virtual time.
  ///
  /// Unchecked: everything happens on one thread.
  private final class VirtualLife: LinkLife, @unchecked Sendable {
    let rig: RunRig
    let clock: Instant
    let isTold = false
    private(set) var took = Duration.zero

    init(_ rig: RunRig) {
      (self.rig, clock) = (rig, MainActor.assumeIsolated { rig.system.clock.now })
    }

    func enter(_ directory: String) -> Int32 { 0 }

    func run(_ launch: LaunchRecord, in chain: ChainJob, jobsPath: String) throws -> CommandEnd {
      MainActor.assumeIsolated {
        let exit = rig.end(within: .seconds(86_400))
        took = clock.duration(to: rig.system.clock.now)
        guard case .status(let status) = exit else { return .exited(70) }
        return .exited(status)
      }
    }

    func rest(_ duration: Duration) {}
  }

  private func context(_ words: [String]) throws -> VerbContext {
    try world.fixture.context(words, engine: engine)
  }

  /// Submits the chain, and to the queue a request for its slices.
  private func submit() throws -> String {
    let words = ["submit", "--links", "20", "--", "run", "fibonacci", "1e9", "-o", "f.txt"]
    _ = try SubmitCommand(context: context(words)).run()
    let keys = try context(["list"]).catalog.keys()
    let key = try #require(keys.last { $0.hasPrefix("chain-") })
    try world.submit {
      $0.work = .chain(key)
      $0.slices = 21
    }
    return key
  }

  @Test("Q6 E3 a line of cron with wake runs a chain of F(10^9) through ten budgets")
  func tenBudgets() throws {
    let key = try submit()
    let listing = try context(["list"])
    let (catalog, submission) = (listing.catalog, listing.submission(to: engine))
    var disk = FaultyFileSystem()
    var result: UInt64?
    world.perform = { lock, server in
      MainActor.assumeIsolated {
        // What the attendant tells the work: the time that is left to whoever serves the queue.
        let left = server.timeLeft ?? Self.budget
        guard
          let rig = try? RunRig(
            Self.cost,
            [
              "--budget", "\(left.nanoseconds / 1_000_000)ms", "--checkpoint-every",
              "2m", "--tick", "1m",
            ], on: disk),
          let record = try? catalog.chain(key)
        else { return QueueWorld.Run(end: .crashed(signal: SIGABRT)) }
        let life = VirtualLife(rig)
        let task = lock.request.standing.runs
        let setup = ChainLink.Setup(
          slice: EngineSlice(
            array: record.array ?? "7", task: task, job: "7_\(task)", node: "here"),
          submission: submission, catalog: catalog, life: life,
          places: { _ in [] }, durablePoints: { _ in UInt64(task) }, say: { _ in })
        let status = try? ChainLink.run(
          key, submission: record.submission, patience: JobLock.Patience(duration: .zero), setup)
        result = rig.result.withLock { $0 } ?? result
        disk.killProcess()
        disk = disk.anotherProcess()
        let isOver = (try? catalog.chain(key))??.state == .ended
        return QueueWorld.Run(
          end: isOver ? .finished : status == 0 ? .slice : .failed(status: 1, isCertain: true),
          takes: life.took)
      }
    }
    var statuses: [Int32?] = []
    var begins: [Instant] = []
    while statuses.last != 0, statuses.count < 20 {
      let begin = world.now
      begins.append(begin)
      statuses.append(try world.wake(budget: Self.budget))
      #expect(begin.duration(to: world.now) <= Self.budget)
      // Cron comes every ten minutes.
      world.advance(by: .seconds(600) - begin.duration(to: world.now))
    }
    #expect(statuses == [Int32?](repeating: 75, count: 9) + [0])
    #expect(result == Self.cost)
    #expect(try catalog.chain(key)?.ending == .finished)
    #expect(try world.standing("1")?.state == .done && world.standing("1")?.runs == 10)
    #expect(world.mostAtOnce == 1)
  }
}
