import CFuzz
import Glibc

/// How much memory reading an input may take: a fixed part and so many bytes for each byte of the
/// input.
struct Allowance {
  /// What may be in use at one time.
  var peakBytes: (fixed: Int, perByte: Int)
  /// What may be allocated in all.
  ///
  /// It bounds the work too: what is copied again and again is not linear.
  var totalBytes: (fixed: Int, perByte: Int)

  /// Runs the body, and ends the process if it took more than the allowance.
  ///
  /// - Parameters:
  ///   - size: The length of the input in bytes.
  ///   - body: Reads the input.
  /// - Returns: What the body returns.
  func measured<Result>(_ size: Int, _ body: () -> Result) -> Result {
    var (result, taken) = Self.taken(body)
    // The first call of anything also pays for tables and metadata that stay. A real excess comes
    // again.
    if excess(taken, size) != nil { (result, taken) = Self.taken(body) }
    if let excess = excess(taken, size) { fatalError(excess) }
    Self.report(taken, size)
    return result
  }

  private func excess(_ taken: stint_allocation, _ size: Int) -> String? {
    let mostAtOnce = peakBytes.fixed + peakBytes.perByte * size
    if taken.peak_bytes > mostAtOnce {
      return "\(size) bytes of input took \(taken.peak_bytes) bytes at one time; "
        + "\(mostAtOnce) are allowed"
    }
    let mostInAll = totalBytes.fixed + totalBytes.perByte * size
    if taken.total_bytes > mostInAll {
      return "\(size) bytes of input took \(taken.total_bytes) bytes in all; "
        + "\(mostInAll) are allowed"
    }
    return nil
  }

  private static func taken<Result>(_ body: () -> Result) -> (Result, stint_allocation) {
    stint_allocation_begin()
    let result = body()
    return (result, stint_allocation_end())
  }

  /// Tells the most that was taken so far, to set allowances by.
  private static func report(_ taken: stint_allocation, _ size: Int) {
    guard isReporting, taken.peak_bytes > mostPeak || taken.total_bytes > mostTotal else { return }
    mostPeak = max(mostPeak, taken.peak_bytes)
    mostTotal = max(mostTotal, taken.total_bytes)
    tell("taken: \(size) B input, \(taken.peak_bytes) at once, \(taken.total_bytes) in all")
  }

  // The driver calls from one thread.
  nonisolated(unsafe) private static var mostPeak: Int64 = 0
  nonisolated(unsafe) private static var mostTotal: Int64 = 0
  private static let isReporting = getenv("STINT_FUZZ_REPORT") != nil
}

/// Writes a line to standard error.
func tell(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(2, bytes, bytes.count)
}

/// Ends the process with a sentence if a property does not hold.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
  if !holds { fatalError(sentence()) }
}
