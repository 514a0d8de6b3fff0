import Stint
import StintCore

extension DecimalConversion {
  /// The partial file that receives the text.
  static let fileName = "result"

  /// Converts the next blocks, one a thread, and writes them where they belong.
  func advanced(_ state: WritingState, in context: ChunkContext) throws -> Advance {
    let file = try context.workspace.partialFile(named: Self.fileName)
    let batch = Array(state.blocks.prefix(max(context.threads, 1)))
    let residues = try Parallel.map(count: batch.count, threads: context.threads) { index in
      try write(batch[index], asBlock: state.written + index, to: file)
    }
    var next = state
    next.written += batch.count
    next.blocks = state.blocks.dropFirst(batch.count)
    var residue = DigitResidue(value: state.residue)
    for (index, value) in residues.enumerated() {
      residue.append(residue: value, digitCount: plan.range(ofBlock: state.written + index).count)
    }
    next.residue = residue.value
    guard next.blocks.isEmpty else { return .more(.writing(next), cost: blockCost) }
    try Self.writeNewline(to: file, at: plan.digits)
    return .complete(residue: next.residue, cost: blockCost)
  }

  /// Ends the text, and cuts off what an earlier, longer attempt may have left behind it.
  static func writeNewline(to file: any PartialFile, at offset: Int) throws {
    try withUnsafeBytes(of: UInt8(ascii: "\n")) { try file.write($0, at: offset) }
    try file.truncate(to: offset + 1)
  }

  private func write(
    _ block: BigInteger, asBlock index: Int, to file: any PartialFile
  ) throws -> UInt64 {
    let range = plan.range(ofBlock: index)
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: range.count + 3)
    defer { buffer.deallocate() }
    guard block.writeDecimal(digitCount: range.count, into: buffer) else {
      throw StintError(
        .checkFailed,
        "Block \(index) of the decimal digits does not fit its \(range.count) places; start over"
          + " with --fresh.")
    }
    let text = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<range.count])
    var residue = DigitResidue()
    guard residue.append(text) else {
      throw StintError(
        .checkFailed, "GMP wrote something else than digits; start over with --fresh.")
    }
    try file.write(text, at: range.lowerBound)
    return residue.value
  }
}
