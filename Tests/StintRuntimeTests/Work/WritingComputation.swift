import StintCore

@testable import StintRuntime

/// A computation of a program of one's own: writes blocks of bytes that its seed decides into a
/// partial file, and counts on them.
struct WritingComputation: ChunkedComputation {
  static let kind = "writing"
  static let stateVersion: UInt32 = 1
  static let fileName = "output"

  /// The lengths of the blocks.
  var blocks: [Int]
  /// Whether each block is written in two halves, the second one first.
  var isOutOfOrder = false
  /// Whether it says what its states count on.
  var counts = true
  /// Called with the bytes of the file at the end.
  var onFinish: @Sendable ([UInt8]) throws -> Void = { _ in }

  var parameters: JobParameters { ["blocks": "\(blocks.count)"] }

  /// The whole output.
  var output: [UInt8] { bytes(0..<blocks.reduce(0, +)) }

  func bytes(_ range: Range<Int>) -> [UInt8] { Array(Self.all[range]) }

  /// Made once: a test without optimization takes a second for it.
  private static let all: [UInt8] = {
    var numbers = SplitMix64(seed: 1)
    let words = (0..<(10 << 20) / 8).map { _ in numbers.next() }
    return words.withUnsafeBytes { Array($0) }
  }()

  /// Where the output of so many blocks ends.
  func end(_ count: Int) -> Int { blocks[..<count].reduce(0, +) }

  func start(in workspace: any Workspace) -> Int { 0 }

  func outlook(of state: Int) -> Outlook {
    let left = Double(blocks.count - state)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(blocks.count), phase: "writing"),
      next: left > 0 ? .init(smallest: 1, largest: left) : nil,
      remainingCost: left, checkpointBytes: 8)
  }

  func partialOutput(of state: Int) -> [PartialOutput] {
    counts ? [PartialOutput(Self.fileName, upTo: end(state))] : []
  }

  func run(from state: Int, atMost cost: Double, in context: ChunkContext) throws -> Chunk<Int>? {
    let file = try context.workspace.partialFile(named: Self.fileName)
    let (begin, end) = (end(state), end(state + 1))
    let middle = isOutOfOrder ? (begin + end) / 2 : begin
    for range in [middle..<end, begin..<middle] {
      try bytes(range).withUnsafeBytes { try file.write($0, at: range.lowerBound) }
    }
    return Chunk(state: state + 1, cost: 1)
  }

  func encode(_ state: Int, into payload: inout CheckpointPayload) {
    payload.append(UInt64(state))
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> Int {
    guard payload.count == 8, payload[0] <= blocks.count else {
      throw StintError(.damaged, "Not a number of blocks.")
    }
    return Int(payload[0])
  }

  func finish(_ state: Int, in workspace: any Workspace) throws {
    let file = try workspace.partialFile(named: Self.fileName)
    var bytes = [UInt8](repeating: 0, count: try file.sizeBytes)
    try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    try onFinish(bytes)
  }
}
