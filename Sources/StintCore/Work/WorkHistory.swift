/// What earlier stints of a job have shown, of this process and of others: a worker that starts
/// need not learn it again.
public struct WorkHistory: Hashable, Sendable {
  /// A checkpoint that became durable.
  public struct Checkpoint: Hashable, Sendable {
    /// How long that took.
    public var took: Duration
    /// Its size in bytes.
    public var bytes: Int

    /// Creates a measurement.
    public init(took: Duration, bytes: Int) {
      self.took = took
      self.bytes = bytes
    }
  }

  private let policy: WorkPolicy
  /// How many stints in a row, up to the last one, found a step too long for any budget like theirs
  /// (W2).
  public var doubtfulStints = 0
  /// The last checkpoints, oldest first.
  public private(set) var checkpoints: [Checkpoint] = []
  /// How long all stints ran together.
  public var ran: Duration = .zero
  /// How many of them ended without a word: killed, crashed, or with the machine, and no expiry was
  /// announced before.
  public var suddenEnds = 0

  /// How long this process waited until another one gave the job back; no stint has begun since.
  public var waited: Duration = .zero
  /// What the next step and its checkpoint take, as the last stint that measured it said.
  public var leastBudget: Duration?

  /// Creates a history without checkpoints: unless told otherwise, that of a job that has never
  /// run.
  ///
  /// - Parameters:
  ///   - ran: How long all stints ran together.
  ///   - suddenEnds: How many of them ended without a word.
  ///   - policy: How many checkpoints are remembered, and which count.
  public init(
    ran: Duration = .zero, suddenEnds: Int = 0, policy: WorkPolicy = WorkPolicy()
  ) {
    self.policy = policy
    self.ran = ran
    self.suddenEnds = suddenEnds
  }

  /// Takes a checkpoint in, and forgets the oldest if there are too many.
  ///
  /// One that was begun with so little time left that too many of the others would not have been
  /// complete in it is left out: it is only known because it was short.
  ///
  /// - Parameters:
  ///   - checkpoint: The measurement.
  ///   - left: What was left before the deadline when it was begun; nil without an end.
  public mutating func add(_ checkpoint: Checkpoint, left: Duration? = nil) {
    if let left, !checkpoints.isEmpty {
      let shorter = checkpoints.count { $0.took <= left }
      if Double(shorter) < policy.unhurriedShare * Double(checkpoints.count) { return }
    }
    if checkpoints.count == policy.residualWindow { checkpoints.removeFirst() }
    checkpoints.append(checkpoint)
  }

  /// Takes note of a stint that had work in hand, and whose only checkpoint was not durable in
  /// time.
  ///
  /// How long it would have taken is not known, and those that were too slow would all be missing
  /// from what is remembered: it counts as a quarter longer than the longest that is, but as no
  /// more than three times what nine of ten stay under, so that guesses do not grow on guesses.
  public mutating func addUnfinished() {
    let sorted = checkpoints.sorted { $0.took < $1.took }
    guard var guess = sorted.last else { return }
    let usual = sorted[min(sorted.count - 1, Int(policy.unhurriedShare * Double(sorted.count)))]
    guess.took = min(
      guess.took * policy.unfinishedCheckpointGrowth, usual.took * policy.unfinishedCheckpointLimit)
    add(guess)
  }
}
