import Stint
import StintCore

/// How much of a budget is on disk as work when the process is killed at its deadline.
struct SavedShare {
  private static let judgedBudget = Duration.seconds(30)

  let options: BenchOptions
  let machine: MachineState

  private var budget: Duration {
    options.budget ?? (options.quick ? .seconds(1) : Self.judgedBudget)
  }
  private var checkpointBytes: Int { options.quick ? 100_000 : 10_000_000 }

  /// Measures with chunks of a quarter second and of a second, one after the other.
  func figures() throws -> [Figure] {
    [
      try figure("saved250msChunksPercent", chunk: 0.25, gate: 97, goal: 98),
      try figure("saved1sChunksPercent", chunk: options.quick ? 0.1 : 1, gate: 94, goal: 95),
    ]
  }

  private func figure(_ name: String, chunk: Double, gate: Double, goal: Double) throws -> Figure {
    let scratch = try ScratchDirectory(below: options.directory)
    let page = try SharedPage()
    let child = SavedShareChild(
      page: page.descriptor, budget: budget,
      chunkIterations: Int(machine.iterationsPerSecond * chunk),
      checkpointBytes: checkpointBytes, directory: scratch.path)
    let process = try ChildProcess.playing(child)
    // The child tells its deadline within milliseconds; until then its start is the best guess.
    Pause.until(process.startedAt.advanced(by: .milliseconds(300)))
    let deadline =
      page[.deadline] > 0
      ? Instant(nanoseconds: page[.deadline]) : process.startedAt.advanced(by: budget)
    Pause.until(deadline)
    process.end()
    let (saved, chunks) = try Self.savedWork(of: child)
    let share = saved / budget * 100
    let words = Duration(clampingSeconds: chunk).compactText
    let figure = Figure(
      name, "saved of \(budget.compactText), chunks of \(words)", .percent, share, gate: gate,
      goal: goal, sense: .atLeast, note: note(saved: saved, chunks: chunks, share: share))
    return budget != Self.judgedBudget || scratch.isMemory ? figure.notJudged() : figure
  }

  /// What whole chunks of the length that they had would have allowed, had saving and loading taken
  /// no time.
  private func note(saved: Duration, chunks: Int, share: Double) -> String {
    guard chunks > 0 else { return "no checkpoint" }
    let mean = saved.inSeconds / Double(chunks)
    let best = (budget.inSeconds / mean).rounded(.down) * mean / budget.inSeconds * 100
    func places(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    return "\(chunks) chunks of \(places(mean * 1e3)) ms in the newest checkpoint, "
      + "\(places(best - share)) points below the \(places(best)) % that whole chunks allow"
  }

  /// The work time of the newest whole checkpoint and its chunks, read as the next run would.
  private static func savedWork(of child: SavedShareChild) throws -> (Duration, chunks: Int) {
    let computation = child.computation
    let job = try Job(of: computation, options: child.jobOptions)
    let restored = try job.restore { try computation.decode($0, in: job.workspace) }
    guard let restored else { return (.zero, 0) }
    return (restored.workTime, restored.state.done / child.chunkIterations)
  }
}
