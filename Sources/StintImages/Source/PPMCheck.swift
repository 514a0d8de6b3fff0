#if Images
import StintCore

/// Looks for what libvips' loader of PPM passes over in silence.
///
/// Of a header that it cannot read it makes one pixel, and of text or bits that are missing black
/// ones (`ppmload.c` of libvips 8.14).
struct PPMCheck {
  private let file: SourceFile
  /// Where the next byte is in the file.
  private var offset = 0
  private var block: [UInt8] = []
  private var blockOffset = 0

  private init(_ file: SourceFile) { self.file = file }

  /// Refuses a file that does not hold what libvips says it does.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  static func check(_ file: SourceFile, holds shape: ImageShape) throws(StintError) {
    var check = PPMCheck(file)
    guard !check.isWhole(shape) else { return }
    throw StintError(
      .damaged,
      "The input \(file.path) (PPM) is damaged, or ends before its last pixel, or is a bitmap in text "
        + "without spaces; convert it to PNG.")
  }

  private mutating func isWhole(_ shape: ImageShape) -> Bool {
    guard next() == UInt8(ascii: "P"), let kind = next(), number() == shape.width,
      number() == shape.height
    else { return false }
    switch kind {
    case UInt8(ascii: "1"): return holdsNumbers(shape.width * shape.height)
    case UInt8(ascii: "2"), UInt8(ascii: "3"):
      return number() != nil && holdsNumbers(shape.width * shape.height * shape.bands)
    case UInt8(ascii: "4"):
      return skipSpace() && holds((shape.width + 7) / 8 * shape.height)
    case UInt8(ascii: "5"), UInt8(ascii: "6"):
      return number() != nil && skipSpace() && holds(shape.sizeBytes)
    case UInt8(ascii: "F"), UInt8(ascii: "f"):
      return skipWord() && skipSpace() && holds(shape.sizeBytes)
    case _: return false
    }
  }

  private mutating func holdsNumbers(_ count: Int) -> Bool {
    for _ in 0..<count where number() == nil { return false }
    return true
  }

  private func holds(_ bytes: Int) -> Bool { bytes <= file.identity.sizeBytes - offset }

  // MARK: Words

  /// The next word as a number; nil if it is none.
  private mutating func number() -> Int? {
    skipSpaces()
    var number: Int?
    while let byte = peek(), !Self.isSpace(byte) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), number ?? 0 < 1 << 32 else {
        return nil
      }
      number = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
      offset += 1
    }
    return number
  }

  private mutating func skipWord() -> Bool {
    skipSpaces()
    let start = offset
    while let byte = peek(), !Self.isSpace(byte) { offset += 1 }
    return offset > start
  }

  /// Passes over the one byte that ends a header.
  private mutating func skipSpace() -> Bool { next().map(Self.isSpace) ?? false }

  /// Passes over spaces, and over comments, each up to the end of its line.
  private mutating func skipSpaces() {
    var isComment = false
    while let byte = peek() {
      isComment = isComment ? byte != UInt8(ascii: "\n") : byte == UInt8(ascii: "#")
      guard isComment || Self.isSpace(byte) else { return }
      offset += 1
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  // MARK: Bytes

  private mutating func next() -> UInt8? {
    defer { offset += 1 }
    return peek()
  }

  /// The next byte; nil at the end.
  private mutating func peek() -> UInt8? {
    if offset >= blockOffset + block.count {
      let count = min(1 << 16, file.identity.sizeBytes - offset)
      guard count > 0, let bytes = file.bytes(at: offset, count: count) else { return nil }
      (block, blockOffset) = (bytes, offset)
    }
    return block[offset - blockOffset]
  }
}
#endif
