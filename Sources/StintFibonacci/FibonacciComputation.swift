package import StintCore
package import StintRuntime

/// Computes one Fibonacci number in chunks and leaves it in the partial file `result`.
///
/// Three phases follow each other, each resumable by itself: doubling (in base 10^19 for decimal
/// digits, so that nothing has to be converted at the end, else in binary), writing straight from
/// the limbs, and reading the output back to compare it with F(n) modulo a prime. Cost units are
/// those of `GMPCost`: about a nanosecond each.
package struct FibonacciComputation: OperationComputation {
  package typealias State = FibonacciState

  package static let kind = "fibonacci"
  package static let stateVersion: UInt32 = 2

  package let index: FibonacciIndex
  package let format: FibonacciFormat

  let deliver: ResultSink
  let doubling: Doubling<BigInteger>
  let decimalDoubling: Doubling<DecimalNumber>
  let decimal: DecimalOutput
  let binary: BinaryOutput
  let check: OutputCheck
  let saved = SavedOutput()
  package let threads: Int
  package let chunkBytes: Int
  private(set) var wholeCost = 0.0

  var n: Int { index.value }

  /// Creates the computation; `deliver` is called last by ``finish(_:in:)``.
  ///
  /// The threads that chunks will be given count for the estimates of cost only.
  package init(
    _ index: FibonacciIndex, format: FibonacciFormat = .decimal, threads: Int = 1,
    deliver: @escaping ResultSink
  ) {
    self.init(
      index, format: format, threads: threads, pieceLimbs: DecimalOutput.usualPieceLimbs,
      splitting: Splitting(), deliver: deliver)
  }

  /// Creates the computation with other sizes of the pieces of text, of the products that are split
  /// and of what a chunk writes; tests use small ones.
  init(
    _ index: FibonacciIndex, format: FibonacciFormat, threads: Int, pieceLimbs: Int,
    splitting: Splitting, chunkBytes: Int = ResultFile.chunkBytes, deliver: @escaping ResultSink
  ) {
    let n = index.value
    let length = format.outputBytes(n) - (format == .raw ? 0 : 1)
    self.index = index
    self.format = format
    self.threads = threads
    self.deliver = deliver
    doubling = Doubling(n: n, wantsPair: false, splitting: splitting)
    decimalDoubling = Doubling(n: n, wantsPair: false, splitting: splitting)
    decimal = DecimalOutput(digits: FibonacciLength.digits(n), pieceLimbs: pieceLimbs)
    binary = BinaryOutput(isHex: format == .hex, length: length)
    self.chunkBytes = chunkBytes
    check = OutputCheck(n: n, format: format, length: length)
    wholeCost = remainingCost(firstState)
  }

  package var parameters: JobParameters {
    ["n": String(n), "format": format.rawValue]
  }

  package func start(in workspace: any Workspace) throws -> FibonacciState {
    saved.counts(on: 0)
    if format == .digits {
      let file = try workspace.partialFile(named: ResultFile.name)
      let text = Array(String(FibonacciLength.digits(n)).utf8)
      try text.withUnsafeBytes { try file.write($0, at: 0) }
      try ResultFile.writeNewline(to: file, at: text.count)
    }
    return firstState
  }

  var firstState: FibonacciState {
    switch format {
    case .decimal: FibonacciState(phase: .decimalDoubling(decimalDoubling.start()))
    case .hex, .raw: FibonacciState(phase: .doubling(doubling.start()))
    // The number of digits follows from the logarithm; F(n) itself is not needed.
    case .digits: FibonacciState(phase: .checking(CheckingState(checked: 0, residue: 0)))
    }
  }

  package func outlook(of state: FibonacciState) -> Outlook {
    let remaining = remainingCost(state)
    let progress = WorkProgress(
      fraction: 1 - nominalCost(state) / wholeCost, phase: phaseName(state))
    let smallest = smallestCost(state)
    return Outlook(
      progress: progress,
      next: smallest.map {
        .init(
          smallest: smallestChunk(state, operation: $0),
          largest: max($0, remaining), efficient: efficientCost(state), ways: ways(state),
          outputPerCost: outputPerCost(state))
      },
      remainingCost: remaining,
      checkpointBytes: checkpointBytes(state) + saved.unsaved(outputBytes(state)),
      hardest: hardestCost(state))
  }

  package func run(
    from state: FibonacciState, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<FibonacciState>? {
    try operations(from: state, atMost: cost, in: context)
  }

  package func finish(_ state: FibonacciState, in workspace: any Workspace) throws {
    guard case .complete = state.phase else {
      throw StintError(.checkFailed, "The computation of F(\(n)) is not complete.")
    }
    try check.verifyEnd(of: workspace.partialFile(named: ResultFile.name))
    try deliver(workspace, ResultFile.name)
  }
}
