import Stint
import StintCore

/// Reading and checking the numbers of a stored state.
extension DecimalConversion {
  func readPieces(_ reader: inout ByteReader, count: Int, level: Int) throws -> [BigInteger] {
    // Each piece takes at least its length: a count that the rest cannot hold is refused first.
    guard count <= reader.remainingBytes / 8 else {
      throw StintError(.damaged, "The checkpoint ends before its \(count) pieces.")
    }
    let bits = plan.bits(atLevel: level)
    return try (0..<count).map { _ in try reader.readInteger(bitsAtMost: bits, "piece") }
  }

  /// A power of ten, whose value is known.
  func readPower(_ reader: inout ByteReader, level: Int) throws -> BigInteger {
    let bits = plan.bits(atLevel: level)
    let power = try reader.readInteger(bitsAtMost: bits, "power of ten")
    let modular = ModularArithmetic.word
    guard power.bitCount == bits,
      power.residue(modulo: modular.modulus)
        == modular.power(10, plan.digits(atLevel: level))
    else {
      throw StintError(.damaged, "The checkpoint's power of ten is none.")
    }
    return power
  }

  /// A reciprocal.
  ///
  /// Only its length is checked: a wrong one costs time, never a wrong digit.
  func readReciprocal(_ reader: inout ByteReader, bits: Int) throws -> BigInteger {
    let length = bits + Reciprocal.guardBits + 1
    let reciprocal = try reader.readInteger(bitsAtMost: length, "reciprocal")
    guard reciprocal.bitCount == length else {
      throw StintError(.damaged, "The checkpoint's reciprocal has the wrong length.")
    }
    return reciprocal
  }

  func readApproximation(_ reader: inout ByteReader, bits: Int) throws -> BigInteger {
    try reader.readInteger(bitsAtMost: bits + Reciprocal.guardBits + 2, "reciprocal")
  }

  /// Puts pieces behind digits whose value is known.
  func append(_ pieces: [BigInteger], level: Int, to sum: inout DigitResidue) {
    let modulus = ModularArithmetic.mersenne.modulus
    for piece in pieces {
      sum.append(residue: piece.residue(modulo: modulus), digitCount: plan.digits(atLevel: level))
    }
  }

  /// Checks that known digits and the pieces behind them are F(n) modulo 2^61 − 1.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func compare(
    _ pieces: [BigInteger], level: Int, written: DigitResidue, with expected: UInt64
  ) throws {
    var sum = written
    append(pieces, level: level, to: &sum)
    guard sum.value == expected else {
      throw StintError(
        .damaged, "The checkpoint's pieces do not make up the number modulo a prime.")
    }
  }
}
