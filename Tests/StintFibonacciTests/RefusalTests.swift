import StintRuntime
import StintTesting
import Testing

@testable import StintCore
@testable import StintFibonacci

@Suite("Fibonacci: budgets that can never do")
struct RefusalTests {
  /// F(10^8) on a machine of the test's own: the numbers are computed, and a chunk takes what the
  /// cost model says.
  struct VirtualRun {
    let computation: FibonacciComputation
    let budget: Duration
    let secondsPerUnit: Double
    let workspace = MemoryWorkspace()
    var state: FibonacciState
    var machine: WorkerMachine
    var now = Instant(nanoseconds: 1_000_000_000)
    var deadline: Instant
    var actions: [WorkerMachine.Action] = []
    var outcome: WorkerOutcome?
    var workTime = Duration.zero

    /// Every trip has the budget, and the hardest step of all takes so long.
    init(budget: Duration, hardest: Duration) throws {
      self.budget = budget
      computation = FibonacciComputation(
        try FibonacciIndex(100_000_000), format: .decimal, threads: 1
      ) { _, _ in }
      state = try computation.start(in: workspace)
      let outlook = computation.outlook(of: state)
      secondsPerUnit = hardest.inSeconds / (try #require(outlook.hardest))
      machine = WorkerMachine(
        policy: WorkPolicy(), lead: budget / 4, outlook: outlook, restored: nil, budget: budget)
      deadline = now.advanced(by: budget)
    }

    /// Runs trip after trip until the worker has ended, or so many chunks have told of the
    /// machine's speed.
    mutating func run(untilSamples enough: Int) throws {
      event { $0.started(isInForeground: false, at: $1) }
      for _ in 0..<10_000 where outcome == nil && machine.fitTest.chunks.samples < enough {
        if actions.isEmpty {
          guard case .parked = machine.phase else { break }
          beginTrip()
          continue
        }
        try perform(actions.removeFirst())
      }
    }

    func time(of cost: Double) -> Duration {
      .nanoseconds(Int64(cost * secondsPerUnit * 1e9))
    }

    private mutating func event(
      _ body: (inout WorkerMachine, Moment) -> [WorkerMachine.Action]
    ) {
      actions += body(&machine, Moment(now: now, deadline: deadline))
    }

    private mutating func beginTrip() {
      now = now.advanced(by: .seconds(1))
      deadline = now.advanced(by: budget)
      event { $0.becameActive(at: $1) }
      event { $0.enteredBackground(at: $1) }
    }

    private mutating func perform(_ action: WorkerMachine.Action) throws {
      switch action {
      case .beginTask:
        event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 1), at: $1) }
      case .runChunk(let cost):
        try runChunk(atMost: cost)
      case .save:
        now = now.advanced(by: .milliseconds(1))
        event { $0.saved(took: .milliseconds(1), at: $1) }
      case .ended(let outcome):
        self.outcome = outcome
      case .endTask, .stintBegan, .raiseStopFlag, .deliver, .wake, .stintEnded, .notice:
        break
      }
    }

    private mutating func runChunk(atMost cost: Double) throws {
      let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: 1)
      let chunk = try #require(try computation.run(from: state, atMost: cost, in: context))
      let took = time(of: chunk.cost)
      let end = now.advanced(by: took)
      let last = deadline.advanced(by: .milliseconds(-5))
      guard end < last else {
        // Too long for the trip: given up so late that everything that wanted to happen before has.
        now = max(now, last)
        event { $0.timePassed(at: $1) }
        event { $0.chunkGaveUp(at: $1) }
        return
      }
      now = end
      state = chunk.state
      workTime += took
      let outlook = computation.outlook(of: state)
      event { $0.chunkFinished(took: took, cost: chunk.cost, outlook: outlook, at: $1) }
    }
  }

  static let hardest = Duration.milliseconds(900)
  static let samples = WorkPolicy().stintsBeforeRefusal * WorkPolicy().samplesBeforeRefusal + 1

  @Test(
    "W2 F(10^8) under a budget that can never hold its hardest step is refused before the work",
    arguments: [100, 200, 400, 700])
  func refused(budgetMilliseconds: Int) throws {
    let budget = Duration.milliseconds(budgetMilliseconds)
    var run = try VirtualRun(budget: budget, hardest: Self.hardest)
    let whole = run.time(of: run.computation.outlook(of: run.state).remainingCost)
    try run.run(untilSamples: Self.samples)
    guard case .failed(let error) = try #require(run.outcome) else {
      Issue.record("not refused: \(String(describing: run.outcome))")
      return
    }
    #expect(error.code == .noProgress)
    // What it takes to learn the machine's speed twice, and no more.
    #expect(run.workTime < whole / 15, "\(run.workTime) of \(whole) were done in vain")
    // Where not even the next chunk fits a fresh stint, nothing more is measured, and stints
    // without progress end it (W13).
    let named = try #require(
      error.message.firstMatch(of: /(?:least budget|budget of at least) .*about (\S+)\.$/)
        ?? error.message.firstMatch(of: /budget of at least about (\S+)\.$/), "\(error.message)")
    let least = try Duration(text: String(named.1))
    #expect(least < Self.hardest * 3 / 2, "\(error.message)")

    // The budget that was named is not refused, and a trip of it begins with the hardest step.
    var other = try VirtualRun(budget: least, hardest: Self.hardest)
    try other.run(untilSamples: Self.samples)
    #expect(other.outcome == nil)
    let outlook = other.computation.outlook(of: other.state)
    let step = try #require(outlook.hardest)
    func verdict(_ remaining: Duration) -> FitTest.Verdict {
      other.machine.fitTest.verdict(
        range: Outlook.ChunkRange(smallest: step, largest: step),
        checkpointBytes: outlook.checkpointBytes,
        situation: FitTest.Situation(remaining: remaining, isFirstOfStint: true))
    }
    #expect(verdict(least) == .run(cost: step))
    #expect(verdict(budget) == .doesNotFit)
  }

  @Test(
    "W2 a budget that holds the hardest step is not refused", arguments: [1_200, 1_800, 30_000])
  func accepted(budgetMilliseconds: Int) throws {
    var run = try VirtualRun(budget: .milliseconds(budgetMilliseconds), hardest: Self.hardest)
    try run.run(untilSamples: Self.samples)
    #expect(run.outcome == nil, "\(String(describing: run.outcome))")
    #expect(run.machine.fitTest.chunks.samples == Self.samples)
  }
}
