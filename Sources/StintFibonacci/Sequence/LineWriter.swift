import StintCore

/// Writes one line after another: each number is the sum of the two lines above it, added as text
/// in the buffer.
///
/// So nothing is converted, and only the last two numbers are copied, when the buffer starts over.
final class LineWriter {
  private let buffer: UnsafeMutableRawBufferPointer
  /// Where the digits of the two newest numbers stand.
  ///
  /// They are F(position - 1) and F(position - 2), or F(position) and the one before while
  /// `isGiven`.
  private var newer: Range<Int>
  private var older: Range<Int>
  /// Whether the number of the next line is `newer` itself, because nothing has been added yet.
  private var isGiven = true
  /// Lines from here on have not been taken.
  private var begin: Int
  /// Where the next line begins.
  private var end: Int
  private let longestLine: Int
  /// The position of the next line.
  private(set) var position: Int

  /// About this much text is collected before it is written.
  private static let partBytes = 1 << 18

  /// Begins with the line of a state; `last` is the last position that is asked for.
  init(_ state: LinesState, last: Int) {
    position = state.position
    let digits = FibonacciLength.digits(last + 1)
    // The position, a blank, a newline; nineteen digits of a position are the most that there can
    // be.
    longestLine = digits + 21
    buffer = .allocate(
      byteCount: 2 * digits + max(Self.partBytes, 2 * longestLine) + longestLine, alignment: 16)
    older = 0..<0
    newer = 0..<0
    (begin, end) = (0, 0)
    older = place(state.previous, at: 0)
    newer = place(state.current, at: older.upperBound)
    (begin, end) = (newer.upperBound, newer.upperBound)
  }

  deinit {
    buffer.deallocate()
  }

  private func place(_ number: DecimalNumber, at offset: Int) -> Range<Int> {
    var text: [UInt8] = []
    DecimalLimbs.appendText(of: number.limbs, to: &text)
    text.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: $0)
    }
    return offset..<offset + text.count
  }

  /// The lines that have not been taken.
  var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[begin..<end]) }

  /// Whether the lines should be taken now: there are enough, or there is no room for another one.
  var isFull: Bool {
    end - begin >= Self.partBytes || end + longestLine > buffer.count
  }

  /// The lines were taken.
  func taken() {
    begin = end
    guard end + longestLine + Self.partBytes / 4 > buffer.count else { return }
    // The older stands before the newer, and both far from the start, which the older does not
    // reach.
    older = move(older, to: 0)
    newer = move(newer, to: older.upperBound)
    (begin, end) = (newer.upperBound, newer.upperBound)
  }

  private func move(_ number: Range<Int>, to offset: Int) -> Range<Int> {
    let source = UnsafeRawBufferPointer(rebasing: buffer[number])
    // Overlapping memory is allowed.
    UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: source)
    return offset..<offset + number.count
  }

  /// Writes the next line.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed` if a number does not have the digits that
  ///   it must have.
  func writeLine() throws {
    var place = end
    for byte in String(position).utf8 {
      buffer[place] = byte
      place += 1
    }
    buffer[place] = UInt8(ascii: " ")
    place += 1
    if isGiven {
      isGiven = false
      _ = move(newer, to: place)
      newer = place..<place + newer.count
    } else {
      let next = try sum(of: position, at: place)
      (older, newer) = (newer, next)
    }
    buffer[newer.upperBound] = UInt8(ascii: "\n")
    end = newer.upperBound + 1
    position += 1
  }

  /// Adds the two newest numbers.
  private func sum(of position: Int, at place: Int) throws -> Range<Int> {
    let length = FibonacciLength.digits(position)
    let isLonger = length == newer.count + 1
    // F(1) is 0 + 1: the newer one is not the shorter.
    let (short, long) = older.count <= newer.count ? (older, newer) : (newer, older)
    guard isLonger || length == newer.count,
      let address = buffer.baseAddress.map({ $0 + place + length }),
      DigitAddition.add(
        UnsafeRawBufferPointer(rebasing: buffer[short]),
        to: UnsafeRawBufferPointer(rebasing: buffer[long]), endingAt: address) == isLonger
    else {
      throw StintError(
        .checkFailed, "F(\(position)) did not get \(length) digits.", remedies: [.startOver])
    }
    if isLonger { buffer[place] = UInt8(ascii: "1") }
    return place..<place + length
  }

  /// The state before the next line, given the length and the checksum of the lines so far.
  ///
  /// - Throws: As ``writeLine()`` does.
  func state(written: Int, checksum: StreamChecksum) throws -> LinesState {
    // Taken or not, the lines stand before the room for another one.
    let (current, previous) = isGiven ? (newer, older) : (try sum(of: position, at: end), newer)
    return LinesState(
      position: position, current: number(current), previous: number(previous), written: written,
      checksum: checksum)
  }

  private func number(_ digits: Range<Int>) -> DecimalNumber {
    var limbs = DecimalLimbs.limbs(
      ofText: UnsafeRawBufferPointer(rebasing: buffer[digits]))
    if limbs == [0] { limbs = [] }
    return DecimalNumber(limbs: limbs)
  }
}
