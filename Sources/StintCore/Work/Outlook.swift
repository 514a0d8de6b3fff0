/// What a computation says of a state: how far it is, and what could come next.
///
/// Costs are in the computation's own units (its cost model); the fit test learns how long a unit
/// takes here.
public struct Outlook: Hashable, Sendable {
  /// A way to do what comes next: operations, none of which can be cut.
  package struct Way: Hashable, Sendable {
    /// The cost of the next operation.
    package var cost: Double
    /// The cost of the hardest operation.
    package var hardest: Double
    /// The cost of all operations.
    package var whole: Double
    /// Whether some operations are done, which would be lost in another way.
    package var isBegun: Bool

    /// Creates a way.
    ///
    /// - Parameters:
    ///   - operations: The costs of the operations that are to be done, at least one.
    ///   - isBegun: Whether others of it are done.
    package init(operations: [Double], isBegun: Bool = false) {
      precondition(!operations.isEmpty, "a way has an operation")
      precondition(operations.allSatisfy { $0 > 0 }, "an operation costs something")
      cost = operations[0]
      hardest = operations.max() ?? cost
      whole = operations.reduce(0, +)
      self.isBegun = isBegun
    }
  }

  /// The sizes that the next chunk can have, in cost units.
  public struct ChunkRange: Hashable, Sendable {
    /// The cost of the smallest piece that cannot be split further.
    public var smallest: Double
    /// The cost of the largest piece that can be run at once from this state.
    public var largest: Double
    /// The least cost that uses all threads; smaller chunks are right, but slower for what they do.
    public var efficient: Double
    /// The ways to do what comes next, the one that takes least in all first.
    ///
    /// Below the cost of the last one it is done in pieces, which is dearer still. What is left of
    /// a budget is not used for a dear way where a whole budget could hold a cheaper one; and a way
    /// of several operations is taken only if a budget holds them all, or each of them takes at
    /// most ``WorkPolicy/operationShare`` of it; one that is begun already if a budget holds its
    /// hardest operation. Empty if every size does the work at the same price.
    package var ways: [Way]
    /// How many bytes of output a unit of cost writes, which the checkpoint that follows has to
    /// make durable.
    public var outputPerCost: Double

    /// Creates a range.
    ///
    /// - Parameters:
    ///   - smallest: The cost of the smallest piece; the largest if less than that is left.
    ///   - largest: The cost of the largest piece.
    ///   - efficient: The least cost that uses all threads; the smallest if nil.
    ///   - outputPerCost: How many bytes of output a unit of cost writes.
    public init(
      smallest: Double, largest: Double, efficient: Double? = nil, outputPerCost: Double = 0
    ) {
      self.init(
        smallest: smallest, largest: largest, efficient: efficient, ways: [],
        outputPerCost: outputPerCost)
    }

    /// Creates a range of work that can be done in several ways, the cheapest in all first.
    package init(
      smallest: Double, largest: Double, efficient: Double? = nil, ways: [Way],
      outputPerCost: Double = 0
    ) {
      // A cost that is no number stays as it is, and the worker refuses it.
      let smallest = smallest > largest ? largest : smallest
      self.smallest = smallest
      self.largest = largest
      self.efficient = min(max(efficient ?? smallest, smallest), largest)
      self.ways = ways
      self.outputPerCost = outputPerCost
    }
  }

  /// How far the computation is.
  public var progress: WorkProgress
  /// What the next chunk can cost, or nil when the computation is complete.
  public var next: ChunkRange?
  /// The cost of everything that is left, in cost units.
  public var remainingCost: Double
  /// What a checkpoint of this state writes and waits for, in bytes: the state, and output that is
  /// not durable yet.
  public var checkpointBytes: Int
  /// The cost of the hardest chunk still to come that cannot be split, or nil if it is not known;
  /// work whose hardest chunk can never fit a budget is refused beforehand (W2).
  public var hardest: Double?
  /// Whether costs and progress are estimates until a piece is done, as those of an image that was
  /// not opened yet: then a chunk may cost more than was asked for, and progress may fall.
  package var isEstimated = false

  /// Creates an outlook.
  public init(
    progress: WorkProgress, next: ChunkRange?, remainingCost: Double, checkpointBytes: Int,
    hardest: Double? = nil
  ) {
    self.progress = progress
    self.next = next
    self.remainingCost = remainingCost
    self.checkpointBytes = checkpointBytes
    self.hardest = hardest
  }

  /// Whether nothing is left to compute.
  public var isComplete: Bool { next == nil }
}

extension Outlook {
  /// Makes sure that the fit test can reckon with what a computation says of a state.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed` for a cost that is no number above zero,
  ///   and for progress or remaining cost that are no numbers.
  package func check() throws(StintError) {
    guard progress.fraction.isFinite else {
      throw .ofComputation("says that \(progress.fraction) of it is done")
    }
    guard remainingCost >= 0, remainingCost.isFinite else {
      throw .ofComputation("says that a cost of \(remainingCost) is left")
    }
    guard let next else { return }
    for cost in [next.smallest, next.largest] where !(cost > 0 && cost.isFinite) {
      throw .ofComputation(
        "says that its next chunk costs \(cost); a cost is a number above zero, and there is no "
          + "next chunk when nothing is left")
    }
    guard next.outputPerCost >= 0, next.outputPerCost.isFinite else {
      throw .ofComputation("says that a unit of cost writes \(next.outputPerCost) bytes")
    }
  }

  /// Makes sure that what a chunk says of itself can be true.
  ///
  /// - Parameters:
  ///   - cost: What it cost.
  ///   - most: What it was to cost at most.
  ///   - earlier: The outlook of the state that it started from.
  /// - Throws: ``StintError`` with the code `checkFailed`.
  package func check(
    after cost: Double, atMost most: Double, from earlier: Outlook
  ) throws(StintError) {
    guard cost > 0, cost.isFinite else {
      throw .ofComputation("says that a chunk cost \(cost); every chunk costs something")
    }
    try check()
    if earlier.isEstimated { return }
    guard cost <= most * (1 + Self.rounding) else {
      throw .ofComputation(
        "says that a chunk that was asked to cost at most \(most) cost \(cost): it ignores atMost, or "
          + "its costs are in other units than the outlook's")
    }
    guard progress.fraction >= earlier.progress.fraction - Self.rounding else {
      throw .ofComputation(
        "let the progress fall from \(earlier.progress.fraction) to \(progress.fraction) in a chunk"
      )
    }
  }

  /// What sums of costs and of shares may be off.
  private static let rounding = 1e-6
}

extension StintError {
  /// A computation does not keep its promises, and the work ends.
  fileprivate static func ofComputation(_ what: String) -> StintError {
    StintError(.checkFailed, "The computation \(what).")
  }
}
