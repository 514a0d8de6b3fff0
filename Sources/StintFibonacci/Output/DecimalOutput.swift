import StintCore
import StintRuntime

/// Writes a decimal number: its limbs are its digits, nineteen each, and each thread writes pieces
/// of the text where they belong.
struct DecimalOutput {
  /// The exact number of digits.
  let digits: Int
  /// The limbs that a thread writes at once.
  let pieceLimbs: Int

  /// Small enough that a piece is far below a chunk.
  static let usualPieceLimbs = 1 << 14

  /// What writing a limb costs, with the check of its digits.
  static let limbCost = 45.0

  /// How many bytes a unit of cost writes: every thread a limb at a time.
  static func outputPerCost(threads: Int) -> Double {
    Double(DecimalNumber.limbDigits * max(threads, 1)) / limbCost
  }

  /// What an operation made.
  enum Advance {
    case more(DigitsState)
    /// All digits are written; the value of the text is given modulo 2^61 − 1.
    case complete(residue: UInt64)
  }

  var limbCount: Int {
    (digits + DecimalNumber.limbDigits - 1) / DecimalNumber.limbDigits
  }

  func cost(_ state: DigitsState) -> Double {
    GMPCost.overhead + Self.limbCost * Double(min(limbCount - state.written, pieceLimbs))
  }

  func remainingCost(from written: Int, threads: Int) -> Double {
    let limbs = Double(limbCount - written)
    let pieces = limbs / Double(pieceLimbs)
    let shared = Double(max(min(threads, Int(pieces)), 1))
    return (Self.limbCost * limbs + GMPCost.overhead * pieces) / shared + GMPCost.overhead
  }

  /// Writes the next pieces, one a thread, from the top, and the newline after the last.
  func advanced(_ state: DigitsState, in context: ChunkContext) throws -> Advance {
    let file = try context.workspace.partialFile(named: ResultFile.name)
    let threads = max(context.threads, 1)
    let left = limbCount - state.written
    let ranges = (0..<threads).map { piece in
      max(left - (piece + 1) * pieceLimbs, 0)..<max(left - piece * pieceLimbs, 0)
    }.filter { !$0.isEmpty }
    let residues = try Parallel.map(count: ranges.count, threads: threads) { index in
      try write(state.number, limbs: ranges[index], to: file)
    }
    var next = state
    var residue = DigitResidue(value: state.residue)
    for (range, value) in zip(ranges, residues) {
      residue.append(residue: value, digitCount: places(ofLimbs: range).count)
      next.written += range.count
    }
    next.residue = residue.value
    guard next.written == limbCount else { return .more(next) }
    try ResultFile.writeNewline(to: file, at: digits)
    return .complete(residue: next.residue)
  }

  /// Where limbs stand in the text; zeros in front of the number are left out.
  func places(ofLimbs limbs: Range<Int>) -> Range<Int> {
    let start = digits - limbs.upperBound * DecimalNumber.limbDigits
    return max(start, 0)..<digits - limbs.lowerBound * DecimalNumber.limbDigits
  }

  private func write(
    _ number: DecimalNumber, limbs: Range<Int>, to file: any PartialFile
  ) throws -> UInt64 {
    let places = places(ofLimbs: limbs)
    let whole = limbs.count * DecimalNumber.limbDigits
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: whole)
    defer { buffer.deallocate() }
    var residue = DigitResidue()
    var position = 0
    for index in limbs.reversed() {
      let limb = index < number.limbCount ? number.limbBuffer[index] : 0
      residue.append(limb: limb)
      DecimalLimbs.write(limb, to: buffer.baseAddress! + position)
      position += DecimalNumber.limbDigits
    }
    let zeros = whole - places.count
    guard buffer[..<zeros].allSatisfy({ $0 == UInt8(ascii: "0") }) else {
      throw StintError(
        .checkFailed,
        "The number has more than its \(digits) digits.", remedies: [.startOver])
    }
    try file.write(
      UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[zeros...]),
      at: places.lowerBound)
    return residue.value
  }
}

extension DecimalOutput {
  func encode(_ state: DigitsState, into payload: inout CheckpointPayload) {
    payload.append(count: state.written)
    payload.append(state.residue)
    let rest = unwritten(state)
    payload.append(count: 8 * rest.count)
    payload.lend(UnsafeRawBufferPointer(rest), owner: state.number)
  }

  /// The limbs that are not written, without zeros at the top.
  func unwritten(_ state: DigitsState) -> UnsafeBufferPointer<UInt64> {
    var count = min(limbCount - state.written, state.number.limbCount)
    while count > 0, state.number.limbBuffer[count - 1] == 0 { count -= 1 }
    return UnsafeBufferPointer(rebasing: state.number.limbBuffer[..<count])
  }

  /// Reads a state and checks that its limbs, with the text that is already written, make up F(n).
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func decode(
    _ reader: inout ByteReader, n: Int, in workspace: any Workspace
  ) throws -> DigitsState {
    let written = try reader.readCount(atMost: limbCount - 1, "number of written limbs")
    let residue = try reader.readResidue(
      below: ModularArithmetic.mersenne.modulus, "value of the written digits")
    let left = limbCount - written
    let number = try DecimalNumber.read(&reader, lengthAtMost: left, "rest of the number")
    var whole = DigitResidue(value: residue)
    whole.append(residue: number.residue(), digitCount: left * DecimalNumber.limbDigits)
    guard whole.value == ModularArithmetic.mersenne.fibonacci(n).value else {
      throw StintError(
        .damaged, "The checkpoint's limbs do not make up F(\(n)) modulo a prime.")
    }
    if written > 0 {
      let places = places(ofLimbs: left..<limbCount)
      let file = try workspace.partialFile(named: ResultFile.name)
      guard try OutputCheck.residue(ofFirst: places.upperBound, of: file) == residue else {
        throw StintError(
          .damaged,
          "The first \(places.upperBound) digits of the partial output are not those that were"
            + " written; an older checkpoint is needed.")
      }
    } else if residue != 0 {
      throw StintError(.damaged, "The checkpoint has a value of digits before the first one.")
    }
    return DigitsState(number: number, written: written, residue: residue)
  }
}

/// A decimal number on its way into the output.
struct DigitsState: Sendable {
  /// The number; the limbs that are written may be missing.
  var number: DecimalNumber
  /// How many of its limbs are written, from the top.
  var written: Int
  /// The value of the written digits modulo 2^61 − 1.
  var residue: UInt64
}
