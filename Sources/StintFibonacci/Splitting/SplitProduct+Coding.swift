import StintCore
import StintRuntime

extension SplitProduct {
  func encode(into payload: inout CheckpointPayload) {
    payload.append(UInt8(parts))
    payload.append(UInt8(values.count))
    payload.append(UInt8(passes))
    for value in values { Number.append(value, to: &payload) }
  }

  /// The size in a checkpoint, in bytes, at most.
  var checkpointBytes: Int {
    values.reduce(8) { $0 + 16 + 8 * $1.length }
  }

  /// The most words that a number on the way can have: the product of two values below 30^16 times
  /// a part.
  var lengthLimit: Int { 2 * spacing + 3 }

  /// Reads the pieces without checking their values.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  init(_ reader: inout ByteReader, factorLength: Int) throws {
    let parts = Int(try reader.readByte())
    let count = Int(try reader.readByte())
    let passes = Int(try reader.readByte())
    guard Splitting.ladder.contains(parts) else {
      throw StintError(.damaged, "The checkpoint's product in \(parts) parts is not valid.")
    }
    self.init(parts: parts, factorLength: factorLength)
    guard 1...degree + 1 ~= count,
      passes == 0 || (count == degree + 1 && passes < Self.passCount(degree: degree))
    else {
      throw StintError(
        .damaged, "The checkpoint's product has \(count) values after \(passes) passes.")
    }
    self.passes = passes
    for index in 0..<count {
      values.append(
        try Number.read(&reader, lengthAtMost: lengthLimit, "value \(index) of a product"))
    }
  }

  /// Whether each value is what the factors make it, modulo a prime.
  func areValues(of left: Number, _ right: Number) -> Bool {
    let modular = Number.modular
    let first = residues(of: left)
    let second = left === right ? first : residues(of: right)
    return values.indices.allSatisfy { index in
      values[index].residue()
        == modular.multiply(residue(at: index, first), residue(at: index, second))
    }
  }

  private func residues(of factor: Number) -> [UInt64] {
    (0..<parts).map { part($0, of: factor).residue() }
  }

  private func residue(at index: Int, _ parts: [UInt64]) -> UInt64 {
    if index == degree { return parts[parts.count - 1] }
    return parts.reversed().reduce(0) {
      Number.modular.add(Number.modular.multiply($0, UInt64(index)), $1)
    }
  }

  /// What the product will be modulo a prime: the passes that are left, done on residues.
  func residueOfProduct() -> UInt64 {
    let modular = Number.modular
    var residues = values.map { $0.residue() }
    for index in passes..<Self.passCount(degree: degree) - 1 {
      switch pass(index) {
      case .differences(let from):
        for order in (from..<degree).reversed() {
          residues[order] = modular.subtract(residues[order], residues[order - 1])
        }
      case .division:
        for order in 2..<max(degree, 2) {
          for factor in Self.factorial(order) {
            // Fermat: a^(p − 2) is the inverse; a factor is not a multiple of so large a prime.
            let inverse = modular.power(factor, exponent: modular.modulus - 2)
            residues[order] = modular.multiply(residues[order], inverse)
          }
        }
      case .coefficients(let point):
        for order in point..<degree {
          residues[order] = modular.subtract(
            residues[order], modular.multiply(UInt64(point), residues[order + 1]))
        }
      case .sum:
        break
      }
    }
    let step = modular.power(Number.radixResidue, spacing)
    return residues.reversed().reduce(0) { modular.add(modular.multiply($0, step), $1) }
  }
}
