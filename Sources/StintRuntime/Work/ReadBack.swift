package import StintCore

/// A computation whose partial output is read back before its result is published.
///
/// It keeps the checksums of what the states of another computation count on, puts them into the
/// checkpoints, reads the last piece of each part when it goes on from one, and all pieces when the
/// other computation is complete.
package struct ReadBack<Base: ChunkedComputation>: ChunkedComputation {
  /// A state of the other computation, and what it counts on.
  package struct State: Sendable {
    /// The other computation's state.
    package var base: Base.State
    /// What it counts on, with what earlier states have counted on.
    var output = OutputRecord(parts: [])
  }

  package static var kind: String { Base.kind }
  package static var stateVersion: UInt32 { Base.stateVersion }
  package var parameters: JobParameters { base.parameters }

  /// The other computation.
  package let base: Base
  private let pace = Protected(ReadBackPace())

  /// Creates the computation.
  package init(_ base: Base) {
    self.base = base
  }

  package func start(in workspace: any Workspace) throws -> State {
    try counted(try base.start(in: workspace), in: workspace)
  }

  package func memoryIsShort() { base.memoryIsShort() }

  // MARK: Chunks

  package func outlook(of state: State) -> Outlook {
    var outlook = base.outlook(of: state.base)
    let output = state.output
    guard output.sizeBytes > 0 else { return outlook }
    outlook.checkpointBytes += output.recordBytes
    guard outlook.isComplete else {
      // The last percent is reading back, so that progress does not go back then.
      outlook.progress.fraction = min(outlook.progress.fraction, 0.99)
      return outlook
    }
    let left = output.sizeBytes - output.checkedBytes
    guard left > 0 else { return outlook }
    let costOfByte = pace.withLock { $0.beganReading() }
    outlook.next = .init(
      smallest: costOfByte * Double(min(left, OutputChecksums.pieceBytes)),
      largest: costOfByte * Double(left))
    outlook.remainingCost = costOfByte * Double(left)
    outlook.progress = WorkProgress(
      fraction: 0.99 + 0.01 * Double(output.checkedBytes) / Double(output.sizeBytes),
      phase: "checking")
    return outlook
  }

  package func run(
    from state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<State>? {
    guard !base.outlook(of: state.base).isComplete else {
      return try check(state, atMost: cost, in: context)
    }
    guard let chunk = try base.run(from: state.base, atMost: cost, in: context) else { return nil }
    var next = try counted(chunk.state, in: context.workspace)
    // So little is not worth a chunk of its own.
    if next.output.sizeBytes <= OutputChecksums.pieceBytes,
      base.outlook(of: chunk.state).isComplete,
      let checked = try check(next, atMost: .infinity, in: context)
    {
      next = checked.state
    }
    return Chunk(state: next, cost: chunk.cost, isTrial: chunk.isTrial)
  }

  /// Takes in how long a chunk took, for the cost of reading back in the other computation's units.
  package func measured(_ took: Duration, of cost: Double) {
    pace.withLock { $0.measured(took, of: cost) }
  }

  /// A state, and the checksums of what it counts on.
  private func counted(_ state: Base.State, in workspace: any Workspace) throws -> State {
    guard let workspace = workspace as? any CheckedWorkspace else { return State(base: state) }
    let parts = try workspace.keepChecksums(of: base.partialOutput(of: state))
    return State(base: state, output: OutputRecord(parts: parts))
  }

  private func check(
    _ state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<State>? {
    let costOfByte = pace.withLock { $0.beganReading() }
    let before = state.output.checkedBytes
    var next = state
    try next.output.readOn(
      atMost: cost / costOfByte, in: context.workspace, stopFlag: context.stopFlag)
    let count = next.output.checkedBytes - before
    return count > 0 ? Chunk(state: next, cost: costOfByte * Double(count)) : nil
  }

  // MARK: Coding

  package func encode(_ state: State, into payload: inout CheckpointPayload) throws {
    try base.encode(state.base, into: &payload)
    if !state.output.parts.isEmpty { payload.append(state.output) }
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, in workspace: any Workspace
  ) throws -> State {
    let (bytes, record) = try OutputRecord.split(payload)
    let state = try base.decode(bytes, in: workspace)
    guard let workspace = workspace as? any CheckedWorkspace else { return State(base: state) }
    let outputs = base.partialOutput(of: state)
    // An earlier version wrote no checksums. What the state counts on is taken as it is.
    let parts = record?.parts ?? outputs.filter { $0.end > $0.start }.map(OutputChecksums.init)
    for part in parts {
      let isNeeded = outputs.contains { $0.file == part.file && $0.start == part.start }
      try workspace.goOn(from: part, isNeeded: isNeeded)
    }
    var next = try counted(state, in: workspace)
    if let record, record.parts == next.output.parts {
      next.output = record
    }
    return next
  }

  // MARK: The end

  package func finish(_ state: State, in workspace: any Workspace) throws {
    try state.output.readAgain(in: workspace)
    try base.finish(state.base, in: workspace)
  }
}

extension OutputRecord {
  /// Reads pieces back, at least one, and counts them.
  ///
  /// - Parameters:
  ///   - bytes: How many bytes to read.
  ///   - workspace: Where the files are.
  ///   - stopFlag: When it is raised, the piece that is being read is left.
  /// - Throws: ``StintError`` with the code `damaged`.
  package mutating func readOn(
    atMost bytes: Double, in workspace: any Workspace, stopFlag: StopFlag
  ) throws {
    let first = checkedBytes
    var passed = 0
    for part in parts {
      for piece in part.pieces.indices {
        let size = part.range(of: piece).count
        defer { passed += size }
        guard passed >= first else { continue }
        if passed > first, Double(passed + size - first) > bytes { return }
        let file = try workspace.partialFile(named: part.file)
        let checksum = try part.readBack(
          piece, shouldStop: { stopFlag.isRaised }, { try file.read(into: $0, at: $1) })
        if checksum == nil { return }
        checkedBytes = passed + size
      }
    }
  }
}

extension OutputRecord {
  /// Reads again, before the result is published, what another process has read back.
  package func readAgain(in workspace: any Workspace) throws {
    guard checkedBefore > 0 else { return }
    var again = OutputRecord(parts: parts)
    try again.readOn(atMost: Double(checkedBefore), in: workspace, stopFlag: StopFlag())
  }
}

/// How much of a computation's cost reading a byte back is.
///
/// Units of cost are the computation's own. How long one takes is seen from its chunks.
private struct ReadBackPace {
  /// Reading and hashing a byte takes about so long; the fit test learns the rest.
  private static let secondsOfByte = 1e-9

  private var seconds = 0.0
  private var cost = 0.0
  private var costOfByte: Double?

  mutating func measured(_ took: Duration, of cost: Double) {
    seconds += took.inSeconds
    self.cost += cost
  }

  /// The cost of a byte, which stays the same from now on.
  mutating func beganReading() -> Double {
    let known = costOfByte ?? (seconds > 0 && cost > 0 ? cost / seconds * Self.secondsOfByte : 1)
    costOfByte = known
    return known
  }
}
