/// How a number is cut into blocks of decimal digits.
///
/// The number is thought to have `blockDigits · 2^levels` digits, with zeros in front. It is halved `levels`
/// times; the blocks are then converted one by one.
struct DecimalPlan: Hashable, Sendable {
  /// The exact number of digits.
  let digits: Int
  /// How many times the number is halved.
  let levels: Int
  /// The digits of a block.
  let blockDigits: Int

  /// Plans the conversion.
  ///
  /// - Parameters:
  ///   - digits: The exact number of digits of the number.
  ///   - largestBlock: The most digits that a block may have.
  init(digits: Int, largestBlock: Int) {
    var levels = 0
    while (digits - 1) >> levels >= largestBlock { levels += 1 }
    self.digits = digits
    self.levels = levels
    blockDigits = (digits + (1 << levels) - 1) >> levels
  }

  /// Small enough that a block is far below a chunk, large enough that GMP's conversion is no slower than splitting.
  static let usualBlock = 1 << 18

  var blockCount: Int { 1 << levels }

  /// The digits of a piece that was halved down to a level; a block has level 0.
  func digits(atLevel level: Int) -> Int {
    blockDigits << level
  }

  /// The length of 10^(digits of a piece at this level) in bits.
  func bits(atLevel level: Int) -> Int {
    FibonacciLength.bitsOfPowerOfTen(digits(atLevel: level))
  }

  /// Where a block's digits stand in the output; leading zeros of the whole are cut off.
  func range(ofBlock block: Int) -> Range<Int> {
    let padding = (blockDigits << levels) - digits
    let start = block * blockDigits - padding
    return max(start, 0)..<max(start + blockDigits, 0)
  }
}
