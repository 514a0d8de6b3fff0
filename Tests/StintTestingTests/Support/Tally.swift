import Stint

/// Adds up 1 to `count` in chunks of any size; it can be given one mistake that a check must find.
struct Tally: ChunkedComputation {
  /// What is wrong with it.
  enum Mistake: String, Hashable, Sendable, CaseIterable {
    /// A property of the state is in no checkpoint, and only the result shows it.
    case forgetsProperty
    /// The sum is wrong if a chunk ends at certain numbers, a fiftieth of all.
    case wrongAtBoundary
    /// A partial file is appended to, so that work that is done again stands there twice.
    case appendsTwice
    /// The result is appended to what was delivered, so that it is there twice after a kill.
    case finishesTwice
    /// A chunk does all of the work, whatever it was asked for, and says so.
    case ignoresLimit
    /// The same, but it says that it cost what it was asked for.
    case hidesCost
    /// A chunk says that it cost ten times as much.
    case costsTenfold
    /// A chunk says that it cost a tenth.
    case costsTenth
    /// A chunk says that it cost nothing.
    case costsNothing
    /// A chunk says that it cost no number.
    case costsNaN
    /// A chunk lets the progress fall.
    case fallsBack
    /// A chunk gives up, and nobody asked it to.
    case givesUp
    /// Chunks look at no stop flag, though they can be as small as one number.
    case deaf
    /// The result is written to a partial file, and nothing waits for the disk.
    case doesNotWait
    /// Half of the way done, a chunk gives the state that it began with.
    case standsStill
    /// It promises checkpoints of a number of bytes that none can have.
    case endlessCheckpoints
    /// A chunk throws an error of its own.
    case throwsError
    /// All of the work is one chunk.
    case oneChunk
    /// The work is two chunks.
    case twoChunks
  }

  struct OwnError: Error {}

  struct State: Hashable, Sendable {
    var next = 1
    var sum = 0
    /// The square of the number that was added last.
    var square = 0
  }

  static let kind = "tally"
  static let stateVersion: UInt32 = 1
  static let path = "/results/tally.txt"

  var count = 300
  var mistake: Mistake?
  /// What checkpoints are promised to have at most, where that is the mistake.
  var promisedBytes = Int.max
  /// Where the result is delivered beside the published file.
  let delivered = Protected<[UInt8]>([])

  var parameters: JobParameters { ["count": "\(count)"] }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = Double(count + 1 - state.next)
    let smallest =
      switch mistake {
      case .oneChunk: left
      case .twoChunks: min(left, Double(count) / 2)
      case _: min(left, 1)
      }
    let done = 1 - left / Double(count)
    return Outlook(
      progress: WorkProgress(
        fraction: mistake == .fallsBack && state.next > 100 ? done / 2 : done, phase: "adding"),
      next: left > 0
        ? .init(smallest: smallest, largest: mistake == .twoChunks ? smallest : left) : nil,
      remainingCost: left,
      checkpointBytes: mistake == .endlessCheckpoints ? promisedBytes : 64)
  }

  func run(
    from state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<State>? {
    if mistake == .throwsError { throw OwnError() }
    if mistake == .standsStill, state.next > count / 2 { return Chunk(state: state, cost: cost) }
    let ignoresLimit = mistake == .ignoresLimit || mistake == .hidesCost
    let last = ignoresLimit ? count : min(count, state.next + max(1, Int(cost)) - 1)
    var next = state
    for number in state.next...last {
      if mistake != .deaf, context.stopFlag.isRaised { return nil }
      next.sum += number
      next.square = number * number
    }
    if mistake == .givesUp, last == count { return nil }
    next.next = last + 1
    if mistake == .wrongAtBoundary, last % 50 == 17 { next.sum += 1 }
    let file = try context.workspace.partialFile(named: "numbers")
    let offset = mistake == .appendsTwice ? try file.sizeBytes : state.next - 1
    try (state.next...last).map { UInt8(truncatingIfNeeded: $0) }.withUnsafeBytes {
      try file.write($0, at: offset)
    }
    let honest = Double(last - state.next + 1)
    let said =
      switch mistake {
      case .hidesCost: max(1, cost.rounded(.down))
      case .costsTenfold: honest * 10
      case .costsTenth: honest / 10
      case .costsNothing: 0.0
      case .costsNaN: Double.nan
      case _: honest
      }
    return Chunk(state: next, cost: said)
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) throws {
    payload.append(state.next)
    payload.append(state.sum)
    payload.append(mistake == .forgetsProperty ? 0 : state.square)
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 24 else { throw StintError(.damaged, "Not a state of a tally.") }
    func number(_ index: Int) -> Int {
      Int(littleEndian: payload.loadUnaligned(fromByteOffset: index * 8, as: Int.self))
    }
    var state = State()
    (state.next, state.sum, state.square) = (number(0), number(1), number(2))
    return state
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    let text = Array("\(state.sum) \(state.square)\n".utf8)
    delivered.withLock { $0 = mistake == .finishesTwice ? $0 + text : text }
    guard mistake == .doesNotWait else { return try workspace.publish(text, to: Self.path) }
    let file = try workspace.partialFile(named: "result")
    try text.withUnsafeBytes { try file.write($0, at: 0) }
  }
}
