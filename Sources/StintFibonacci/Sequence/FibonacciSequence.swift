import StintCore
package import StintRuntime

/// Writes F(i) for a range of positions, one line "position value" each, into the partial file
/// `result`.
///
/// The pair before the first line comes from doubling; every further value is an addition in base
/// 10^19. The state is checked modulo a prime when it is loaded and at the end, and the output is
/// read back.
package struct FibonacciSequence: OperationComputation {
  package typealias State = SequenceState

  package static let kind = "fibonacci-seq"
  package static let stateVersion: UInt32 = 2

  package let range: FibonacciRange

  package let chunkBytes: Int

  let deliver: ResultSink
  let doubling: Doubling<DecimalNumber>
  let saved = SavedOutput()
  private(set) var wholeCost = 0.0

  /// Creates the computation; `deliver` is called last by ``finish(_:in:)``.
  package init(_ range: FibonacciRange, deliver: @escaping ResultSink) {
    self.init(range, splitting: Splitting(), deliver: deliver)
  }

  /// Creates the computation with other sizes of the products that are split and of what a chunk
  /// writes; tests use small ones.
  init(
    _ range: FibonacciRange, splitting: Splitting, chunkBytes: Int = ResultFile.chunkBytes,
    deliver: @escaping ResultSink
  ) {
    self.range = range
    self.chunkBytes = chunkBytes
    self.deliver = deliver
    doubling = Doubling(n: range.first, wantsPair: true, splitting: splitting)
    wholeCost = remainingCost(SequenceState(phase: .doubling(doubling.start())))
  }

  package var parameters: JobParameters {
    ["from": String(range.first), "to": String(range.last)]
  }

  package func start(in workspace: any Workspace) throws -> SequenceState {
    saved.counts(on: 0)
    return SequenceState(phase: .doubling(doubling.start()))
  }

  package func outlook(of state: SequenceState) -> Outlook {
    let remaining = remainingCost(state)
    let progress = WorkProgress(
      fraction: 1 - nominalCost(state) / wholeCost, phase: phaseName(state))
    return Outlook(
      progress: progress,
      next: smallestCost(state).map {
        .init(
          smallest: smallestChunk(state, operation: $0),
          largest: max($0, remaining), efficient: unsplitCost(state), ways: ways(state),
          outputPerCost: outputPerCost(state))
      },
      remainingCost: remaining,
      checkpointBytes: checkpointBytes(state) + saved.unsaved(outputBytes(state)))
  }

  package func run(
    from state: SequenceState, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<SequenceState>? {
    try operations(from: state, atMost: cost, in: context)
  }

  package func finish(_ state: SequenceState, in workspace: any Workspace) throws {
    guard case .complete(let sizeBytes, _) = state.phase else {
      throw StintError(.checkFailed, "The sequence is not complete.")
    }
    let file = try workspace.partialFile(named: ResultFile.name)
    guard try file.sizeBytes == sizeBytes else {
      throw StintError(
        .checkFailed, "The output has \(try file.sizeBytes) bytes instead of \(sizeBytes).")
    }
    try deliver(workspace, ResultFile.name)
  }

  private func phaseName(_ state: SequenceState) -> String {
    switch state.phase {
    case .doubling: "doubling"
    case .lines: "lines"
    case .checking: "checking"
    case .complete: "complete"
    }
  }

  private func checkpointBytes(_ state: SequenceState) -> Int {
    switch state.phase {
    case .doubling: doublingOutlook(state)?.checkpointBytes ?? 0
    case .lines(let state): 128 + 8 * (state.current.limbCount + state.previous.limbCount)
    case .checking, .complete: 128
    }
  }

  package func outputPerCost(_ state: SequenceState) -> Double {
    switch state.phase {
    case .doubling(let state): state.remainingBits == 0 ? outputPerCost(from: range.first) : 0
    case .lines(let state): outputPerCost(from: state.position)
    case .checking, .complete: 0
    }
  }

  /// Lines become longer, and more of their cost is digits: that of one to which a chunk may come.
  private func outputPerCost(from position: Int) -> Double {
    let line = min(range.last, 2 * position + 1_000)
    return Self.estimatedBytes(line...line) / Self.lineCost(line)
  }

  package func outputBytes(_ state: SequenceState) -> Int {
    switch state.phase {
    case .doubling: 0
    case .lines(let state): state.written
    case .checking(let state): state.sizeBytes
    case .complete(let sizeBytes, _): sizeBytes
    }
  }

  /// The size of the largest checkpoint of the whole work, in bytes: a pair before a line, or of
  /// the doubling before the first one.
  var largestCheckpointBytes: Int {
    let limbs = DecimalNumber.length(ofFibonacci: range.last + 1)
    return max(128 + 2 * 8 * limbs, 64 + doubling.largestCheckpointBytes)
  }
}
