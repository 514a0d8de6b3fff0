#if Images
/// The LZW of TIFF (TIFF 6.0, section 13): codes of 9 to 12 bits, most significant bit first, which
/// grow one code early.
struct LZWCompressor {
  private static let clear = 256
  private static let end = 257
  private static let first = 258
  /// The table is cleared before it holds this code, which readers of old files need.
  private static let full = 4094
  private static let slots = 1 << 13

  private let output: UnitBuffer
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var width = 9
  private var next = first
  /// Where each pair of a prefix and a byte has its code: generation, pair, code in one word.
  private var table = [UInt64](repeating: 0, count: slots)
  private var generation: UInt64 = 0

  /// How many bytes a piece can have at most when it is compressed: 12 bits for each byte, and some
  /// codes.
  static func bound(_ count: Int) -> Int { count + count / 2 + count / 1024 + 64 }

  /// Compresses bytes and appends what comes out.
  static func compress(_ bytes: UnsafeRawBufferPointer, to output: UnitBuffer) {
    var compressor = LZWCompressor(output: output)
    compressor.run(bytes)
  }

  private init(output: UnitBuffer) {
    self.output = output
  }

  private mutating func run(_ bytes: UnsafeRawBufferPointer) {
    put(Self.clear)
    restart()
    guard let head = bytes.first else {
      put(Self.end)
      return flush()
    }
    var prefix = Int(head)
    for position in 1..<bytes.count {
      let byte = bytes[position]
      let pair = UInt64(prefix << 8 | Int(byte))
      let slot = find(pair)
      if table[slot] >> 32 == generation, table[slot] >> 12 & 0xF_FFFF == pair {
        prefix = Int(table[slot] & 0xFFF)
        continue
      }
      put(prefix)
      prefix = Int(byte)
      table[slot] = generation << 32 | pair << 12 | UInt64(next)
      grow()
    }
    put(prefix)
    grow()
    put(Self.end)
    flush()
  }

  /// The slot of a pair, or the free one where it belongs.
  private func find(_ pair: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: (pair &* 0x9E37_79B9) >> 16) & (Self.slots - 1)
    while table[slot] >> 32 == generation, table[slot] >> 12 & 0xF_FFFF != pair {
      slot = (slot + 1) & (Self.slots - 1)
    }
    return slot
  }

  /// Counts a code that the table has got.
  private mutating func grow() {
    next += 1
    if next == Self.full {
      put(Self.clear)
      restart()
    } else if next >= 1 << width {
      width += 1
    }
  }

  private mutating func restart() {
    generation += 1
    width = 9
    next = Self.first
  }

  private mutating func put(_ code: Int) {
    bits = bits << UInt64(width) | UInt64(code)
    bitCount += width
    while bitCount >= 8 {
      bitCount -= 8
      output.append(CollectionOfOne(UInt8(truncatingIfNeeded: bits >> UInt64(bitCount))))
    }
  }

  private mutating func flush() {
    guard bitCount > 0 else { return }
    output.append(CollectionOfOne(UInt8(truncatingIfNeeded: bits << UInt64(8 - bitCount))))
  }
}
#endif
