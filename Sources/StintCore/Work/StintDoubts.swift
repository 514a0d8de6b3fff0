/// What speaks against the work: stints that came to nothing, and steps that no stint can hold.
struct StintDoubts: Hashable, Sendable {
  /// Stints in a row that saved nothing new for want of time, those of earlier processes included
  /// (W13).
  private(set) var fruitlessStints: Int
  /// Stints in a row by whose measurements a step fits no stint, those of earlier processes
  /// included (W2).
  private(set) var doubtfulStints: Int
  /// How long this process waited for the lock, until its first stint is over.
  private var waited: Duration
  /// Whether it was said that chunks are large for these budgets.
  private var hasSaidLargeChunk = false
  /// What a step takes, as an earlier process has told.
  private let toldLeast: Duration?
  /// What chunks took since the last such stint.
  private(set) var pace: CostEstimator

  init(fruitlessStints: Int, history: WorkHistory, policy: WorkPolicy) {
    self.fruitlessStints = fruitlessStints
    doubtfulStints = history.doubtfulStints
    waited = history.waited
    toldLeast = history.leastBudget
    pace = CostEstimator(policy: policy)
  }

  /// A stint saved nothing new for want of time.
  ///
  /// - Parameters:
  ///   - had: From its beginning to its end.
  ///   - least: What the next step takes, if this process has measured it.
  ///   - repeats: Whether the next stint is granted as much.
  /// - Returns: Whether it counts.
  mutating func stintWasFruitless(had: Duration?, least: Duration?, repeats: Bool) -> Bool {
    let isShort =
      had.map {
        ShortTime.isShort($0, leastBudget: least ?? toldLeast, waited: waited, repeats: repeats)
      } ?? false
    if !isShort { fruitlessStints += 1 }
    return !isShort
  }

  /// What was waited for before a stint is nothing to the next one.
  mutating func stintIsOver() { waited = .zero }

  /// True the first time only: the notice of large chunks is given once.
  mutating func saysLargeChunk() -> Bool {
    defer { hasSaidLargeChunk = true }
    return !hasSaidLargeChunk
  }

  mutating func progressIsDurable() { fruitlessStints = 0 }

  /// Takes in a chunk that was expected to be long enough to tell something of others.
  mutating func measured(_ took: Duration, cost: Double) { pace.measured(took, cost: cost) }

  mutating func stepsFit() { doubtfulStints = 0 }

  /// A fresh stint measures again.
  mutating func stintWasDoubtful(policy: WorkPolicy) {
    doubtfulStints += 1
    measuresAgain(policy: policy)
  }

  /// Forgets what chunks took.
  mutating func measuresAgain(policy: WorkPolicy) {
    pace = CostEstimator(policy: policy)
  }
}
