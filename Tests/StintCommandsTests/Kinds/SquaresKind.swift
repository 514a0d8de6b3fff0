import StintCore
import StintRuntime

@testable import StintCommands

// All that a new computation with its command line needs.

extension Kind {
  /// Sums of squares, a kind that the product does not have.
  static let squares = Kind(
    name: SquaresComputation.kind, form: .squares,
    runner: .here(
      words: { parsed, _ in try SquaresWork(parsed) },
      record: { record, _ in SquaresWork(record.parameters) })
  ) { parameters in "squares up to \(parameters["last"] ?? "?")" }
}

extension KindForm {
  fileprivate static let squares = KindForm(
    run: "squares", operands: "LAST", summary: "Add the squares of all numbers up to LAST",
    usage: ["run squares LAST [OPTIONS]", "run squares --up-to LAST [OPTIONS]"],
    work: [
      OptionSpecification("up-to", argument: "LAST", group: .work, help: "The same as LAST")
    ])
}

/// What `stint run squares` is to compute.
private struct SquaresWork: ComputedWork {
  let last: Int

  init(_ parsed: ParsedOptions) throws {
    guard let last = Int(parsed.text("up-to") ?? parsed.operands.dropFirst().first ?? "") else {
      throw StintError(.usage, "LAST is missing.")
    }
    self.last = last
  }

  init?(_ parameters: [String: String]) {
    guard let last = parameters["last"].flatMap(Int.init) else { return nil }
    self.last = last
  }

  func estimate(threads: Int) -> SquaresEstimate { SquaresEstimate(cost: Double(last)) }

  func computation(
    threads: Int, deliver: @escaping @Sendable (any Workspace, String) throws -> Void
  ) -> SquaresComputation {
    SquaresComputation(last: last, deliver: deliver)
  }
}

private struct SquaresEstimate: RunEstimate {
  let outputBytes = 20
  let checkpointBytes = 16
  let memoryBytes = 1 << 20
  let diskBytes = 4096
  let cost: Double
  let hardestCost = 1.0

  func checkFits(memoryAvailable: Int?, diskAvailable: Int?) {}
}

struct SquaresComputation: ChunkedComputation {
  struct State: Sendable {
    var next = 1
    var sum = 0
  }

  static let kind = "squares"
  static let stateVersion: UInt32 = 1

  let last: Int
  let deliver: @Sendable (any Workspace, String) throws -> Void

  var parameters: JobParameters { ["last": "\(last)"] }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = Double(last + 1 - state.next)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(last), phase: "adding"),
      next: left > 0 ? .init(smallest: 1, largest: left) : nil, remainingCost: left,
      checkpointBytes: 16)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
    var state = state
    let count = min(last + 1 - state.next, max(1, Int(cost)))
    for _ in 0..<count {
      if context.stopFlag.isRaised { return nil }
      state.sum += state.next * state.next
      state.next += 1
    }
    return Chunk(state: state, cost: Double(count))
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(UInt64(state.next))
    payload.append(UInt64(state.sum))
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 16 else { throw StintError(.damaged, "Not a sum of squares.") }
    func number(_ index: Int) -> Int {
      Int(UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)))
    }
    return State(next: number(0), sum: number(1))
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    let file = try workspace.partialFile(named: "result")
    try file.truncate(to: 0)
    try Array("\(state.sum)\n".utf8).withUnsafeBytes { try file.write($0, at: 0) }
    try deliver(workspace, "result")
  }
}
