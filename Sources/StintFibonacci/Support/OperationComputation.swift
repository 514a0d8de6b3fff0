package import Stint

/// A computation that does one operation after the other, as many in a chunk as its cost allows.
package protocol OperationComputation: ChunkedComputation {
  /// The cost of the operation that comes next if no product is split, or nil when nothing is left.
  func unsplitCost(_ state: State) -> Double?

  /// Whether a product is half-done.
  func isSplit(_ state: State) -> Bool

  /// Does the next operation of a state, or a few independent ones side by side; a piece of it where the cost is too little.
  func advanced(
    _ state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> (state: State, cost: Double)
}

extension OperationComputation {
  /// Does operations until the cost is reached or the flag raised; nil if that was before the first.
  package func operations(
    from state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<State>? {
    var chunk = Chunk(state: state, cost: 0)
    // Nothing is split only because a chunk has a little room left.
    var limit = cost
    while let next = unsplitCost(chunk.state), chunk.cost == 0 || chunk.cost + next <= limit {
      // What is complete is kept even if the flag cuts the rest.
      if context.stopFlag.isRaised { break }
      let step = try advanced(chunk.state, atMost: cost - chunk.cost, in: context)
      chunk.state = step.state
      chunk.cost += step.cost
      // Work that has to be split gives short chunks, of which each leaves something to save.
      if isSplit(chunk.state) { limit = Splitting.share * cost }
    }
    return chunk.cost > 0 ? chunk : nil
  }
}
