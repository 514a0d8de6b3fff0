import StintCore
import StintRuntime

/// Writes a number in hexadecimal or as bytes: nothing has to be converted, so a piece at an offset
/// can be made from the limbs at any time.
struct BinaryOutput {
  let isHex: Bool
  /// Digits or bytes, without the newline.
  let length: Int

  /// A piece of the output that one operation writes or checks.
  static let pieceBytes = 1 << 20

  /// What writing a byte costs.
  static let byteCost = 2.0

  /// How many bytes a unit of cost writes.
  static let outputPerCost = 1 / byteCost

  func cost(_ state: BinaryState) -> Double {
    GMPCost.overhead + Self.byteCost * Double(min(length - state.written, Self.pieceBytes))
  }

  func remainingCost(from written: Int) -> Double {
    let pieces = (length - written) / Self.pieceBytes + 1
    return Self.byteCost * Double(length - written) + GMPCost.overhead * Double(pieces)
  }

  /// Writes the next piece, and the newline after the last.
  func advanced(_ state: BinaryState, in workspace: any Workspace) throws -> BinaryState {
    let file = try workspace.partialFile(named: ResultFile.name)
    var next = state
    next.written = min(length, state.written + Self.pieceBytes)
    try withPiece(of: state.number, state.written..<next.written) {
      try file.write($0, at: state.written)
    }
    guard next.written == length else { return next }
    if isHex {
      try ResultFile.writeNewline(to: file, at: length)
    } else {
      try file.truncate(to: length)
    }
    return next
  }

  /// Compares what was written with the number.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func verify(_ state: BinaryState, in workspace: any Workspace) throws {
    guard state.written > 0 else { return }
    let file = try workspace.partialFile(named: ResultFile.name)
    try ResultFile.forEachPiece(of: file, upTo: state.written, atMost: Self.pieceBytes) {
      (start, part) in
      let end = start + part.count
      try withPiece(of: state.number, start..<end) { expected in
        guard part.elementsEqual(expected) else {
          throw StintError(
            .damaged,
            "The partial output differs from its number between \(start) and"
              + " \(end); an older checkpoint is needed.")
        }
      }
    }
  }

  /// Makes the piece at a range of the output and hands it over.
  func withPiece(
    of number: BigInteger, _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
    defer { piece.deallocate() }
    if isHex {
      writeDigits(range, of: number, to: piece)
    } else {
      let limbs = number.limbBuffer
      let known = range.clamped(to: 0..<limbs.count)
      piece.copyBytes(from: limbs[known])
      piece[known.count...].initializeMemory(as: UInt8.self, repeating: 0)
    }
    try body(UnsafeRawBufferPointer(piece))
  }

  /// Two digits from each byte of the limbs; a piece may begin and end within a byte.
  private func writeDigits(
    _ range: Range<Int>, of number: BigInteger, to piece: UnsafeMutableRawBufferPointer
  ) {
    let limbs = number.limbBuffer
    func byte(_ nibble: Int) -> UInt8 { nibble / 2 < limbs.count ? limbs[nibble / 2] : 0 }
    // Counted from the lowest digit, which is the last.
    var nibble = length - 1 - range.lowerBound
    let last = length - range.upperBound
    var index = 0
    if nibble & 1 == 0, nibble >= last {
      piece[index] = Self.digit(byte(nibble) & 15)
      (index, nibble) = (index + 1, nibble - 1)
    }
    while nibble > last {
      let value = byte(nibble)
      piece[index] = Self.digit(value >> 4)
      piece[index + 1] = Self.digit(value & 15)
      (index, nibble) = (index + 2, nibble - 2)
    }
    if nibble == last { piece[index] = Self.digit(byte(nibble) >> 4) }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 48 : 87) }
}

/// A number on its way into hexadecimal digits or raw bytes.
struct BinaryState: Sendable {
  var number: BigInteger
  /// How many bytes of the output are written.
  var written: Int
}
