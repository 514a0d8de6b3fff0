import StintCore

/// What a computation will need, before it starts.
///
/// The figures are upper estimates, calibrated against the peak resident size of whole runs at 10^7
/// and 10^8.
package struct FibonacciEstimate: Hashable, Sendable {
  /// The number of decimal digits of the result, exactly; nil for a sequence.
  package var digits: Int?
  /// The length of the output in bytes; exact for one number, about right for a sequence.
  package var outputBytes: Int
  /// The largest checkpoint, in bytes, even if products are split.
  package var checkpointBytes: Int
  /// The peak of memory, in bytes.
  package var memoryBytes: Int
  /// The peak of disk space, in bytes: three generations of checkpoints while the oldest is about
  /// to go, and the output, partial and final, which may be on different file systems.
  package var diskBytes: Int
  /// The cost of the whole work in cost units, about a nanosecond each.
  package var cost: Double
  /// The cost of the hardest step that cannot be split.
  package var hardestCost: Double

  /// What a program that computes nothing needs.
  private static let baseBytes = 24_000_000
  /// The checkpoints on disk at the same time.
  private static let generations = 3

  /// Estimates one number.
  package init(_ index: FibonacciIndex, format: FibonacciFormat, threads: Int = 1) {
    let n = index.value
    let numberBytes = (FibonacciLength.bits(n) + 63) / 64 * 8
    let computation = FibonacciComputation(index, format: format, threads: threads) { _, _ in }
    digits = FibonacciLength.digits(n)
    outputBytes = format.outputBytes(n)
    checkpointBytes = computation.largestCheckpointBytes
    // In sizes of the number, measured at the peak of a whole run with GMP's own work; the state
    // before may still be on its way to disk. A run whose products are split has larger states, but
    // never so large products.
    let sizes =
      switch format {
      case .decimal: threads > 1 ? 12.7 : 9.7
      case .hex, .raw: threads > 1 ? 11.1 : 9.6
      case .digits: 0.0
      }
    memoryBytes = Self.baseBytes + Int(sizes * Double(numberBytes))
    diskBytes = Self.generations * checkpointBytes + 2 * outputBytes
    cost = computation.wholeCost
    hardestCost = computation.hardestCost
  }

  /// Estimates a sequence.
  package init(_ range: FibonacciRange) {
    let numberBytes = (FibonacciLength.bits(range.last) + 63) / 64 * 8
    digits = nil
    outputBytes = Int(FibonacciSequence.estimatedBytes(range.first...range.last))
    let computation = FibonacciSequence(range) { _, _ in }
    checkpointBytes = computation.largestCheckpointBytes
    memoryBytes = Self.baseBytes + 24 * numberBytes
    diskBytes = Self.generations * checkpointBytes + 2 * outputBytes
    cost = computation.wholeCost
    hardestCost = computation.hardestCost
  }

  /// Refuses what does not fit the free bytes of memory and of disk, where those are known.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`, with the figures.
  package func checkFits(memoryAvailable: Int?, diskAvailable: Int?) throws {
    if let memoryAvailable, memoryBytes > memoryAvailable {
      throw StintError(
        .unavailable,
        "The computation needs about \(Self.text(memoryBytes)) of memory and"
          + " \(Self.text(memoryAvailable)) is available; choose a smaller position.")
    }
    if let diskAvailable, diskBytes > diskAvailable {
      throw StintError(
        .unavailable,
        "The computation needs about \(Self.text(diskBytes)) of disk space and"
          + " \(Self.text(diskAvailable)) is free.", remedies: [.moreRoom])
    }
  }

  /// A size as people read it.
  private static func text(_ bytes: Int) -> String {
    let units: [(Int, String)] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")]
    for (size, name) in units where bytes >= size {
      let tenths = (bytes + size / 20) / (size / 10)
      return "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return "\(bytes) bytes"
  }
}
