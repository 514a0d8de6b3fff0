/// What earlier stints of a job have shown, of this process and of others: a worker that starts
/// need not learn it again.
public struct WorkHistory: Hashable, Sendable {
  /// A checkpoint that became durable, or was cut before it was.
  public struct Checkpoint: Hashable, Sendable {
    /// How long that took.
    public var took: Duration
    /// Its size in bytes.
    public var bytes: Int
    /// Whether it was cut, and would have taken longer.
    public var isCut: Bool

    /// Creates a measurement.
    public init(took: Duration, bytes: Int, isCut: Bool = false) {
      self.took = took
      self.bytes = bytes
      self.isCut = isCut
    }
  }

  /// A chunk that was complete, or given up.
  public struct MeasuredChunk: Hashable, Sendable {
    /// How long it ran.
    public var took: Duration
    /// What it cost in the computation's units.
    public var cost: Double
    /// Whether it was given up, and would have taken longer.
    public var isCut: Bool

    /// Creates a measurement.
    public init(took: Duration, cost: Double, isCut: Bool = false) {
      self.took = took
      self.cost = cost
      self.isCut = isCut
    }
  }

  private let policy: WorkPolicy
  /// How many stints of the job began.
  public var stints = 0
  /// How many stints in a row, up to the last one, found a step too long for any budget like theirs
  /// (W2).
  public var doubtfulStints = 0
  /// The last checkpoints, oldest first.
  public private(set) var checkpoints: [Checkpoint] = []
  /// The last chunks of the last stints, oldest first.
  public private(set) var chunks: [MeasuredChunk] = []
  /// How long all stints ran together.
  public var ran: Duration = .zero
  /// How many of them were unprepared for their end: killed, crashed, or gone with the machine
  /// without an announcement, or with so little notice that work was lost.
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
  ///   - suddenEnds: How many of them were unprepared for their end.
  ///   - policy: How many checkpoints are remembered, and which count.
  public init(
    ran: Duration = .zero, suddenEnds: Int = 0, policy: WorkPolicy = WorkPolicy()
  ) {
    self.policy = policy
    self.ran = ran
    self.suddenEnds = suddenEnds
  }

  /// Takes a checkpoint in, and forgets the oldest if there are too many.
  public mutating func add(_ checkpoint: Checkpoint) {
    if checkpoints.count == policy.residualWindow { checkpoints.removeFirst() }
    checkpoints.append(checkpoint)
  }

  /// Takes the chunks of a stint in, and forgets the oldest if there are too many.
  public mutating func add(_ chunks: [MeasuredChunk]) {
    self.chunks = (self.chunks + chunks).suffix(policy.residualWindow)
  }

  /// Takes note of a checkpoint that was not durable in time: one as large as the last.
  ///
  /// - Parameter took: How long it had taken when its time was over; nil if nobody knows. Then it
  ///   is taken to be longer than all that were complete, because so much was kept free for it.
  public mutating func addUnfinished(after took: Duration? = nil) {
    guard let last = checkpoints.last,
      let took = took ?? checkpoints.filter({ !$0.isCut }).map(\.took).max()
    else { return }
    add(Checkpoint(took: took, bytes: last.bytes, isCut: true))
  }
}
