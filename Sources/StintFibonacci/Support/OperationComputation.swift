import StintCore
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

  /// The doubling that a state is in; nil in other phases.
  func doublingOutlook(_ state: State) -> (any DoublingOutlook)?

  /// The cost of the operation that comes next, or nil when nothing is left.
  func smallestCost(_ state: State) -> Double?

  /// The cost of what is left.
  func remainingCost(_ state: State) -> Double

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

  /// The ways to do what comes next; see `Outlook`.
  func ways(_ state: State) -> [Outlook.Way] { doublingOutlook(state)?.ways ?? [] }

  /// Whether a product is half-done.
  func isSplit(_ state: State) -> Bool { doublingOutlook(state)?.isSplit ?? false }

  /// Whether the product that comes next may be split and is not yet.
  func mayBeSplit(_ state: State) -> Bool { doublingOutlook(state)?.mayBeSplit ?? false }

  /// The cost of the operation that comes next if no product is split, or nil when nothing is left.
  func unsplitCost(_ state: State) -> Double? {
    guard let doubling = doublingOutlook(state), !doubling.isOver else {
      return smallestCost(state)
    }
    return doubling.unsplitCost
  }

  /// The remaining share: splitting products makes more work, but must not make progress go back.
  func nominalCost(_ state: State) -> Double {
    let split = doublingOutlook(state).map { $0.remainingCost - $0.nominalCost }
    return remainingCost(state) - (split ?? 0)
  }

  /// The smallest chunk, given the smallest operation: of a state that was just loaded, a trial.
  func smallestChunk(_ state: State, operation: Double) -> Double {
    guard state.isUntried, let trial = doublingOutlook(state)?.trial else { return operation }
    return min(operation, trial.cost(threads: threads))
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
    if state.isUntried, let doubling = doublingOutlook(state), let way = doubling.ways.last,
      cost < way.cost
    {
      if context.stopFlag.isRaised { return nil }
      let trial = doubling.trial
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
