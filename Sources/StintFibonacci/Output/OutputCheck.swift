import StintCore
import StintRuntime

/// Reads a finished output back and compares its value with F(n) modulo 2^61 − 1, computed
/// independently.
struct OutputCheck {
  let n: Int
  let format: FibonacciFormat
  /// Digits or bytes, without the newline.
  let length: Int

  /// A piece that one operation reads.
  static let pieceBytes = 1 << 22
  /// What reading a byte costs.
  static let byteCost = 1.5

  func cost(_ state: CheckingState) -> Double {
    GMPCost.overhead + Self.byteCost * Double(min(length - state.checked, Self.pieceBytes))
  }

  func remainingCost(from checked: Int) -> Double {
    let pieces = (length - checked) / Self.pieceBytes + 1
    return Self.byteCost * Double(length - checked) + GMPCost.overhead * Double(pieces)
  }

  /// Reads the next piece; after the last one the whole is compared.
  ///
  /// - Returns: The next state, or nil if everything is right.
  /// - Throws: ``StintError`` with the code `checkFailed`.
  func advanced(_ state: CheckingState, in workspace: any Workspace) throws -> CheckingState? {
    let file = try workspace.partialFile(named: ResultFile.name)
    let next = try read(state, upTo: min(length, state.checked + Self.pieceBytes), of: file)
    guard next.checked == length else { return next }
    if format == .digits {
      try compareDigitCount(file)
    } else {
      guard next.residue == ModularArithmetic.mersenne.fibonacci(n).value else {
        throw failure("its value is not F(\(n)) modulo 2^61 - 1")
      }
    }
    try verifyEnd(of: file)
    return nil
  }

  /// Checks the length and the newline.
  func verifyEnd(of file: any PartialFile) throws {
    let whole = format == .raw ? length : length + 1
    guard try file.sizeBytes == whole else {
      throw failure("it has \(try file.sizeBytes) bytes instead of \(whole)")
    }
    guard format != .raw else { return }
    var newline: UInt8 = 0
    try withUnsafeMutableBytes(of: &newline) { try file.read(into: $0, at: length) }
    guard newline == UInt8(ascii: "\n") else { throw failure("it does not end with a newline") }
  }

  /// Reads again what a stored state says was read before, the whole output if there is none: it
  /// may have changed since.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func verifyStored(_ stored: CheckingState?, in workspace: any Workspace) throws {
    try Self.blamingCheckpoint {
      let file = try workspace.partialFile(named: ResultFile.name)
      try verifyEnd(of: file)
      var state: CheckingState? = CheckingState(checked: 0, residue: 0)
      while let now = state, now.checked < stored?.checked ?? .max {
        if let stored {
          state = try read(now, upTo: min(stored.checked, now.checked + Self.pieceBytes), of: file)
        } else {
          state = try advanced(now, in: workspace)
        }
      }
      guard state?.residue == stored?.residue else { throw failure("it has changed") }
    }
  }

  /// Calls a body that looks at what a checkpoint counts on: what fails a check is damage.
  private static func blamingCheckpoint(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StintError where error.code == .checkFailed {
      throw StintError(.damaged, error.message, remedies: error.remedies)
    }
  }

  /// The value of the first digits of a decimal text.
  ///
  /// - Throws: ``StintError`` with the code `damaged` if they are not there, or are not digits.
  static func residue(ofFirst count: Int, of file: any PartialFile) throws -> UInt64 {
    let check = OutputCheck(n: 0, format: .decimal, length: count)
    var state = CheckingState(checked: 0, residue: 0)
    try blamingCheckpoint {
      while state.checked < count {
        state = try check.read(state, upTo: min(count, state.checked + pieceBytes), of: file)
      }
    }
    return state.residue
  }

  private func read(
    _ state: CheckingState, upTo end: Int, of file: any PartialFile
  ) throws -> CheckingState {
    let count = end - state.checked
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    // Raw bytes stand least significant first, so they are read from the end of the file.
    try file.read(into: buffer, at: format == .raw ? length - end : state.checked)
    let text = UnsafeRawBufferPointer(buffer)
    var next = CheckingState(checked: end, residue: state.residue)
    switch format {
    case .decimal, .digits:
      var digits = DigitResidue(value: state.residue)
      guard digits.append(text) else { throw failure("it contains something else than digits") }
      next.residue = digits.value
    case .hex:
      for byte in text {
        guard let digit = Self.hexValue(byte) else {
          throw failure("it contains something else than hexadecimal digits")
        }
        next.residue = Self.shifted(next.residue, by: 4, adding: digit)
      }
    case .raw:
      for byte in text.reversed() {
        next.residue = Self.shifted(next.residue, by: 8, adding: UInt64(byte))
      }
    }
    return next
  }

  /// A residue modulo 2^61 − 1, times a power of two below 2^61, plus a small number.
  private static func shifted(_ residue: UInt64, by bits: UInt64, adding digit: UInt64) -> UInt64 {
    let prime = ModularArithmetic.mersenne.modulus
    let sum = (residue << bits & prime) + (residue >> (61 - bits)) + digit
    return sum >= prime ? sum - prime : sum
  }

  private static func hexValue(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 48...57: UInt64(byte - 48)
    case 97...102: UInt64(byte - 87)
    default: nil
    }
  }

  /// The number of digits has no residue to compare; the logarithm is taken once more, with less
  /// precision.
  private func compareDigitCount(_ file: any PartialFile) throws {
    let expected = Array(String(FibonacciLength.digits(n)).utf8)
    var text = [UInt8](repeating: 0, count: length)
    try text.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    guard text == expected else { throw failure("it is not the number of digits") }
  }

  private func failure(_ why: String) -> StintError {
    StintError(.checkFailed, "The output failed its check: \(why).", remedies: [.startOver])
  }
}

/// An output that is being read back, from its most significant end.
struct CheckingState: Sendable {
  /// How many bytes are read.
  var checked: Int
  /// Their value modulo 2^61 − 1.
  var residue: UInt64
}
