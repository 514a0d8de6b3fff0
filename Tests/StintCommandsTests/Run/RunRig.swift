import Glibc
import Stint
import StintCore
import StintRuntime
import StintTesting

@testable import StintCommands

/// A run of `stint run` in virtual time: the worker, the job on a disk in memory and the life of
/// the process are those of the program; the work only counts, a thousand units a second.
@MainActor
final class RunRig {
  let system: VirtualSystem
  let disk: FaultyFileSystem
  let session: RunSession
  let life: ProcessLife
  let job: Job
  /// How the process would have left, each time.
  let exits = Protected<[SupervisorExit]>([])
  let said = Protected<[String]>([])
  let result = Protected<UInt64?>(nil)

  /// Begins the run.
  ///
  /// - Parameters:
  ///   - count: How far it counts.
  ///   - words: The options of the command line.
  ///   - disk: Where its job lives.
  /// - Throws: What refuses the run.
  init(_ count: UInt64, _ words: [String] = [], on disk: FaultyFileSystem = FaultyFileSystem())
    throws
  {
    self.disk = disk
    let often = ["--checkpoint-every", "--tick"].filter { !words.contains($0) }
      .flatMap { [$0, "50ms"] }
    let options = try CommandLine.run(["fibonacci", "5"] + often + words)
    system = VirtualSystem(policy: options.time.systemPolicy)
    let counting = Counting(count: count, result: result)
    job = try Job(of: counting, on: disk, clock: system.clock)
    let sources = try options.time.sources()
    var rules = options.lifeRules(system.driver.policy, sources).withoutKernel()
    let (exits, said) = (exits, said)
    rules.leave = { exit in exits.withLock { $0.append(exit) } }
    life = ProcessLife(rules, driver: system.driver, sources: sources)
    let terminal = TerminalState.current(descriptor: 2, environment: [:])
    let display = ProgressDisplay(
      quiet: true, terminal: { terminal }, write: { text in said.withLock { $0.append(text) } })
    let lane = VirtualBatchLane(system.driver)
    session = RunSession(
      options: options, launchedAt: system.clock.now, job: job, life: life, display: display,
      events: nil,
      output: ResultOutput(
        file: OutputFile(try OutputDestination("/dev/null"), replacesOthers: false),
        showsEnds: false, terminal: terminal, display: display),
      savingLane: lane, lookingLane: lane)
    var costs = VirtualCosts()
    costs.secondsPerUnit = 0.001
    session.begin(
      Worker(
        counting, store: job, system: system, options: session.workerOptions, costs: costs))
    system.run()
  }

  deinit {
    MainActor.assumeIsolated { system.driver.remove(session) }
  }

  /// Asks by a file, as `stint stop` and `stint pause` do.
  func ask(_ marker: JobMarker) { disk.setContents([], of: "\(job.path)/\(marker.rawValue)") }
  func withdraw(_ marker: JobMarker) { disk.removeContents(of: "\(job.path)/\(marker.rawValue)") }

  /// Advances until the process has left.
  ///
  /// - Returns: How it left; nil if it has not.
  @discardableResult
  func end(within limit: Duration) -> SupervisorExit? {
    system.advance(atMost: limit) { exits.withLock { !$0.isEmpty } }
    return exits.withLock { $0.first }
  }

  /// How often each event stands in the journal.
  func count(of event: String) -> Int {
    job.finishRecords()
    return String(decoding: disk.contents(of: job.path + "/journal.jsonl") ?? [], as: UTF8.self)
      .split(separator: "\n").count { $0.contains("\"event\":\"\(event)\"") }
  }

  /// Counts to a number.
  struct Counting: ChunkedComputation {
    static let kind = "counting"
    static let stateVersion: UInt32 = 1
    let count: UInt64
    let result: Protected<UInt64?>
    var parameters: JobParameters { ["count": "\(count)"] }

    func start(in workspace: any Workspace) -> UInt64 { 0 }

    func outlook(of state: UInt64) -> Outlook {
      let left = Double(count - state)
      return Outlook(
        progress: WorkProgress(fraction: Double(state) / Double(count), phase: "counting"),
        next: left > 0 ? .init(smallest: 1, largest: left) : nil, remainingCost: left,
        checkpointBytes: 8)
    }

    func run(
      from state: UInt64, atMost cost: Double, in context: ChunkContext
    ) -> Chunk<UInt64>? {
      let step = min(count - state, UInt64(max(1, cost)))
      return Chunk(state: state + step, cost: Double(step))
    }

    func encode(_ state: UInt64, into payload: inout CheckpointPayload) { payload.append(state) }

    func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> UInt64 {
      UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self))
    }

    func finish(_ state: UInt64, in workspace: any Workspace) {
      result.withLock { $0 = state }
    }
  }
}
