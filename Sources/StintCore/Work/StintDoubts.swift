/// What speaks against the work: stints that came to nothing, and steps that no stint can hold.
struct StintDoubts: Hashable, Sendable {
  /// Stints in a row that saved nothing new for want of time, those of earlier processes included
  /// (W13).
  private(set) var fruitlessStints: Int
  /// Stints in a row by whose measurements a step fits no stint, those of earlier processes
  /// included (W2).
  private(set) var doubtfulStints: Int
  /// What chunks took since the last such stint.
  private(set) var pace: CostEstimator

  init(fruitlessStints: Int, doubtfulStints: Int, policy: WorkPolicy) {
    self.fruitlessStints = fruitlessStints
    self.doubtfulStints = doubtfulStints
    pace = CostEstimator(policy: policy, leastSample: policy.leastChunkSample)
  }

  mutating func stintWasFruitless() { fruitlessStints += 1 }

  mutating func progressIsDurable() { fruitlessStints = 0 }

  mutating func measured(_ took: Duration, cost: Double) { pace.measured(took, cost: cost) }

  mutating func stepsFit() { doubtfulStints = 0 }

  /// A fresh stint measures again.
  mutating func stintWasDoubtful(policy: WorkPolicy) {
    self = StintDoubts(
      fruitlessStints: fruitlessStints, doubtfulStints: doubtfulStints + 1, policy: policy)
  }
}
