package import StintCore
package import StintRuntime

/// A state of a computation whose products may be split.
package protocol OperationState: Sendable {
  /// Whether the state was just loaded, and the first chunk has to show how fast this machine is.
  ///
  /// Before that is known nothing is split. It is no part of what is stored.
  var isUntried: Bool { get set }
}

/// A computation that does one operation after the other, as many in a chunk as its cost allows.
package protocol OperationComputation: ChunkedComputation where State: OperationState {
  /// The threads that operations are given, for the estimates of cost.
  var threads: Int { get }

  /// The ways to do what comes next; see `Outlook`.
  func ways(_ state: State) -> [Outlook.Way]

  /// The words of a factor of the product that comes next, and whether it is decimal.
  func nextProduct(_ state: State) -> (length: Int, isDecimal: Bool)

  /// When products are split.
  var splitting: Splitting { get }

  /// The cost of the operation that comes next if no product is split, or nil when nothing is left.
  func unsplitCost(_ state: State) -> Double?

  /// Whether a product is half-done.
  func isSplit(_ state: State) -> Bool

  /// How much of the output a state counts on, in bytes.
  func outputBytes(_ state: State) -> Int

  /// How many bytes the operation that comes next writes for each unit of its cost.
  func outputPerCost(_ state: State) -> Double

  /// A chunk writes about so much at most: what it adds to the next checkpoint is known only when
  /// it has ended.
  var chunkBytes: Int { get }

  /// Does the next operation of a state, or a few independent ones side by side; a piece of it
  /// where the cost is too little.
  func advanced(
    _ state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> (state: State, cost: Double)
}

extension OperationComputation {
  package func partialOutput(of state: State) -> [PartialOutput] {
    [PartialOutput(ResultFile.name, upTo: outputBytes(state))]
  }

  /// What shows how fast this machine is before the product that comes next.
  func trial(_ state: State) -> SpeedTrial {
    let (length, isDecimal) = nextProduct(state)
    return SpeedTrial(isDecimal: isDecimal, productLength: length, splitting: splitting)
  }

  /// The smallest chunk, given the smallest operation: of a state that was just loaded, a trial.
  func smallestChunk(_ state: State, operation: Double) -> Double {
    state.isUntried ? min(operation, trial(state).cost(threads: threads)) : operation
  }

  /// Does operations until the cost is reached or the flag raised; nil if that was before the
  /// first.
  ///
  /// Where a state that was just loaded is offered too little for an operation, a product of no use
  /// is done, to see what one takes.
  package func operations(
    from state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<State>? {
    var known = state
    known.isUntried = false
    if state.isUntried, let way = ways(state).last, cost < way.cost {
      if context.stopFlag.isRaised { return nil }
      let trial = trial(state)
      trial.run(threads: min(threads, context.threads))
      return Chunk(state: known, cost: trial.cost(threads: threads), isTrial: true)
    }
    var chunk = Chunk(state: known, cost: 0)
    // Nothing is split only because a chunk has a little room left.
    var limit = cost
    let writesFirst = outputPerCost(known) > 0
    while let next = unsplitCost(chunk.state), chunk.cost == 0 || chunk.cost + next <= limit {
      // The fit test is asked again before output is begun, or has become much.
      if !writesFirst, chunk.cost > 0, outputPerCost(chunk.state) > 0 { break }
      if outputBytes(chunk.state) - outputBytes(known) >= chunkBytes { break }
      // Completed operations are kept even if the stop flag ends the chunk early.
      if context.stopFlag.isRaised { break }
      let step = try advanced(chunk.state, atMost: cost - chunk.cost, in: context)
      chunk.state = step.state
      chunk.cost += step.cost
      // Work that has to be split is done in short chunks, each with something to save.
      if isSplit(chunk.state) { limit = Splitting.share * cost }
    }
    return chunk.cost > 0 ? chunk : nil
  }
}
