import StintCommands
import StintCore
import StintFibonacci

/// What `stint-bench fibonacci` is to do.
struct FibonacciOptions: Hashable {
  /// The options that all benchmarks have.
  var bench: BenchOptions
  /// The positions, smallest first.
  var positions: [Int]
  /// Where the plot goes; nil for none.
  var plot: String?

  /// The position that takes minutes.
  static let large = 1_000_000_000

  /// Reads what was given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    bench = try BenchOptions(parsed)
    plot = parsed.text("plot")
    positions = bench.quick ? [100_000, 1_000_000] : [1_000_000, 10_000_000, 100_000_000]
    if let text = parsed.text("n") {
      positions = try text.split(separator: ",", omittingEmptySubsequences: false).map {
        try FibonacciIndex(text: String($0)).value
      }
      guard positions.allSatisfy({ $0 >= 1_000 }) else {
        throw StintError(
          .usage,
          "--n \(text.prefix(60)): what takes no time cannot be measured; give 1000 and more.")
      }
    }
    if parsed.has("large") { positions.append(Self.large) }
    positions = Set(positions).sorted()
  }
}
