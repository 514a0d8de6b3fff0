#if Images
/// The five filters of PNG, which replace each byte by its difference from what its neighbours
/// foretell (PNG specification, third edition, section 9).
///
/// All of them take the raw bytes of the row and of the one above, so that no loop waits for its
/// own results: the compiler makes vector code of each.
enum PNGRowFilter: UInt8, CaseIterable {
  case none = 0
  case sub = 1
  case up = 2
  case average = 3
  case paeth = 4

  /// Filters a row and says how small the result is.
  ///
  /// The size is the sum of its bytes' distances from zero, as signed numbers.
  ///
  /// - Parameters:
  ///   - row: The raw bytes.
  ///   - above: The raw bytes of the row above; as many.
  ///   - count: The bytes of a row.
  ///   - pixelBytes: The bytes of a pixel.
  ///   - output: Gets as many bytes.
  /// - Returns: The sum.
  func apply(
    to row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, count: Int, pixelBytes: Int,
    output: UnsafeMutablePointer<UInt8>
  ) -> UInt64 {
    // The first pixel has nothing to its left.
    for index in 0..<min(pixelBytes, count) {
      let foretold: UInt8 =
        switch self {
        case .none, .sub: 0
        case .up, .paeth: above[index]
        case .average: above[index] >> 1
        }
      output[index] = row[index] &- foretold
    }
    let rest = max(0, count - pixelBytes)
    let (from, to) = (row + pixelBytes, output + pixelBytes)
    switch self {
    case .none:
      to.update(from: from, count: rest)
    case .sub:
      for index in 0..<rest { to[index] = from[index] &- row[index] }
    case .up:
      let over = above + pixelBytes
      for index in 0..<rest { to[index] = from[index] &- over[index] }
    case .average:
      Self.average(from, left: row, above: above + pixelBytes, count: rest, output: to)
    case .paeth:
      Self.paeth(
        from, left: row, above: above + pixelBytes, corner: above, count: rest, output: to)
    }
    return Self.size(of: output, count: count)
  }

  private static func average(
    _ row: UnsafePointer<UInt8>, left: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>,
    count: Int, output: UnsafeMutablePointer<UInt8>
  ) {
    for index in 0..<count {
      let (a, b) = (left[index], above[index])
      // The mean of two bytes, rounded down, within eight bits.
      output[index] = row[index] &- ((a & b) &+ ((a ^ b) >> 1))
    }
  }

  private static func paeth(
    _ row: UnsafePointer<UInt8>, left: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>,
    corner: UnsafePointer<UInt8>, count: Int, output: UnsafeMutablePointer<UInt8>
  ) {
    for index in 0..<count {
      let (a, b, c) = (left[index], above[index], corner[index])
      let toLeft = Int16(b) &- Int16(c)
      let toAbove = Int16(a) &- Int16(c)
      let toCorner = toLeft &+ toAbove
      let (pa, pb, pc) = (magnitude(toLeft), magnitude(toAbove), magnitude(toCorner))
      let upper = pb <= pc ? b : c
      let foretold = pa <= pb && pa <= pc ? a : upper
      output[index] = row[index] &- foretold
    }
  }

  @inline(__always)
  private static func magnitude(_ number: Int16) -> Int16 {
    number < 0 ? 0 &- number : number
  }

  private static func size(of bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 {
    var total: UInt64 = 0
    var position = 0
    while position < count {
      // A row of 2^24 bytes cannot reach 2^32.
      let end = min(count, position + 1 << 24)
      var sum: UInt32 = 0
      for index in position..<end {
        let byte = bytes[index]
        sum &+= UInt32(byte < 128 ? byte : 0 &- byte)
      }
      total += UInt64(sum)
      position = end
    }
    return total
  }
}
#endif
