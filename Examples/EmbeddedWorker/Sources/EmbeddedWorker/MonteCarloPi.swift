import Stint

/// Estimates pi by throwing darts at a square; the same seed gives the same darts, however often it
/// is cut.
struct MonteCarloPi: ChunkedComputation {
  struct State: Codable {
    var generator: UInt64
    var thrown = 0
    var inside = 0
  }

  static let kind = "monte-carlo-pi"
  static let stateVersion: UInt32 = 1

  let darts: Int
  let seed: UInt64
  /// What is done with the result.
  var deliver: @Sendable (Double) -> Void = { print("pi is about \($0)") }

  var parameters: JobParameters { ["darts": "\(darts)", "seed": "\(seed)"] }

  func start(in workspace: any Workspace) -> State { State(generator: seed) }

  func outlook(of state: State) -> Outlook {
    let left = darts - state.thrown
    return Outlook(
      progress: WorkProgress(fraction: Double(state.thrown) / Double(darts), phase: "throwing"),
      next: left > 0 ? .init(smallest: min(1000, Double(left)), largest: Double(left)) : nil,
      remainingCost: Double(left), checkpointBytes: 64)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
    var state = state
    let count = min(darts - state.thrown, Int(cost))
    for dart in 0..<count {
      if dart % 1000 == 0, context.stopFlag.isRaised { return nil }
      state.generator = state.generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let x = Double(state.generator >> 48) / 65_536
      let y = Double(state.generator >> 32 & 0xffff) / 65_536
      if x * x + y * y < 1 { state.inside += 1 }
    }
    state.thrown += count
    return Chunk(state: state, cost: Double(count))
  }

  func finish(_ state: State, in workspace: any Workspace) {
    deliver(4 * Double(state.inside) / Double(state.thrown))
  }
}
