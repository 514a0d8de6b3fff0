import StintCore
import StintRuntime

/// A whole number in base 10^19, least significant limb first: its digits stand there, and printing
/// needs no division of big numbers.
///
/// It never changes after it is made; a checkpoint borrows its limbs.
final class DecimalNumber: @unchecked Sendable {
  // Unchecked: the limbs are written only by the initialiser.

  static let base: UInt64 = 10_000_000_000_000_000_000
  static let limbDigits = 19

  /// The limbs; the most significant is not zero, and zero has no limb.
  let limbBuffer: UnsafeBufferPointer<UInt64>
  private let storage: UnsafeMutableBufferPointer<UInt64>

  /// Makes a value by writing all its limbs; zeros at the top do not count afterwards.
  init(
    limbCount: Int, _ body: (UnsafeMutableBufferPointer<UInt64>) throws -> Void
  ) rethrows {
    storage = .allocate(capacity: limbCount)
    do {
      try body(storage)
    } catch {
      storage.deallocate()
      limbBuffer = UnsafeBufferPointer(start: nil, count: 0)
      throw error
    }
    var count = limbCount
    while count > 0, storage[count - 1] == 0 { count -= 1 }
    limbBuffer = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(storage)[..<count])
  }

  convenience init(limbs: [UInt64]) {
    self.init(limbCount: limbs.count) { _ = $0.initialize(fromContentsOf: limbs) }
  }

  /// Makes a value from a machine word.
  convenience init(_ word: UInt64) {
    self.init(limbs: [word % Self.base, word / Self.base])
  }

  deinit {
    storage.deallocate()
  }

  var limbs: [UInt64] { Array(limbBuffer) }

  var limbCount: Int { limbBuffer.count }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(limbBuffer) }

  var isZero: Bool { limbBuffer.isEmpty }

  /// The value modulo a prime.
  func residue(_ modular: ModularArithmetic) -> UInt64 {
    let base = Self.base % modular.modulus
    return limbBuffer.reversed().reduce(UInt64(0)) { sum, limb in
      modular.add(modular.multiply(sum, base), limb % modular.modulus)
    }
  }

  /// The value of the lowest limbs modulo 2^61 − 1.
  func residue(ofLowest count: Int) -> UInt64 {
    var residue = DigitResidue()
    let limbs = limbBuffer
    var index = count
    while index > 0 {
      index -= 1
      residue.append(limb: limbs[index])
    }
    return residue.value
  }
}

extension DecimalNumber: Comparable {
  static func == (left: DecimalNumber, right: DecimalNumber) -> Bool {
    left.limbBuffer.elementsEqual(right.limbBuffer)
  }

  static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
    if left.limbCount != right.limbCount { return left.limbCount < right.limbCount }
    return left.limbBuffer.reversed().lexicographicallyPrecedes(right.limbBuffer.reversed())
  }
}
