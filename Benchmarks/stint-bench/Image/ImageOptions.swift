import StintCommands
import StintCore

/// What `stint-bench image` is to do.
struct ImageOptions: Hashable {
  /// The options that all benchmarks have.
  var bench: BenchOptions
  /// How large the images are, in millions of pixels.
  var megapixels: Int
  /// An image that is to be generated instead of measuring.
  var generation: ImageGeneration?

  /// Reads what was given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    bench = try BenchOptions(parsed)
    megapixels =
      try parsed.integer("megapixels", in: 1...10_000) ?? (bench.quick ? 1 : 36)
    guard let size = parsed.text("generate") else {
      if let operand = parsed.operands.first {
        throw StintError(
          .usage, "image takes an operand with --generate alone; \"\(operand.prefix(60))\" is one.")
      }
      return
    }
    guard parsed.operands.count == 1, let path = parsed.operands.first else {
      throw StintError(
        .usage, "--generate needs one operand, the file: stint-bench image --generate \(size) OUT.")
    }
    generation = try ImageGeneration(
      size: size, path: path, depth: parsed.text("depth"), hasAlpha: parsed.has("alpha"),
      seed: parsed.integer("seed", in: 0...Int.max))
  }
}

/// A test image that is to be written.
struct ImageGeneration: Hashable {
  /// The longest side, which is libvips' own limit.
  private static let longestSide = 10_000_000

  var width: Int
  var height: Int
  /// Bits of a sample, 8 or 16.
  var depth = 8
  var hasAlpha = false
  var seed: UInt64 = 1
  var path: String

  init(width: Int, height: Int, path: String) {
    (self.width, self.height, self.path) = (width, height, path)
  }

  /// An image of about so many millions of pixels with sides in the proportion of 4 to 3, both a
  /// multiple of 16.
  init(megapixels: Int, path: String) {
    let pixels = Double(megapixels) * 1e6
    func side(_ length: Double) -> Int { max(1, Int((length / 16).rounded())) * 16 }
    let width = side((pixels * 4 / 3).squareRoot())
    self.init(width: width, height: side(pixels / Double(width)), path: path)
  }

  /// Reads the words of a command line.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(size: String, path: String, depth: String?, hasAlpha: Bool, seed: Int?) throws {
    let sides = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1],
      (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height)
    else {
      throw StintError(
        .usage,
        "--generate \(size.prefix(60)) is no size; write width and height of 1 to "
          + "\(Self.longestSide) pixels, such as 20000x15000.")
    }
    self.init(width: width, height: height, path: path)
    guard let depth = Int(depth ?? "8"), depth == 8 || depth == 16 else {
      throw StintError(.usage, "--depth is 8 or 16 bits a sample.")
    }
    (self.depth, self.hasAlpha, self.seed) = (depth, hasAlpha, UInt64(seed ?? 1))
  }

  /// Samples of a pixel.
  var channels: Int { hasAlpha ? 4 : 3 }
}
