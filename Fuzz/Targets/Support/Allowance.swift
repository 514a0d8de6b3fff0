import Glibc
import StintCore

/// How much memory reading an input may take: a fixed part and so many bytes for each byte of the
/// input.
struct Allowance {
  /// What may be in use at one time.
  var peakBytes: (fixed: Int, perByte: Int)
  /// What may be allocated in all.
  ///
  /// It bounds the work too: what is copied again and again is not linear.
  var totalBytes: (fixed: Int, perByte: Int)

  /// What was taken, in bytes.
  struct Taken {
    /// The most at one time.
    var peakBytes = Int64(0)
    /// The sum of all allocations.
    var totalBytes = Int64(0)
  }

  /// Counts the allocations of the whole process, so other threads must be idle; nil: allowances
  /// are not judged.
  nonisolated(unsafe) static var meter: (begin: () -> Void, end: () -> Taken)?

  /// Runs what reads an input of so many bytes, and ends the process if it took more than the
  /// allowance.
  func measured<Result>(_ size: Int, _ body: () -> Result) -> Result {
    guard Self.meter != nil else { return body() }
    var (result, taken) = Self.taken(body)
    // The first call of anything also pays for tables and metadata that stay. A real excess comes
    // again.
    if excess(taken, size) != nil { (result, taken) = Self.taken(body) }
    if let excess = excess(taken, size) { fatalError(excess) }
    Self.report(taken, size)
    return result
  }

  /// The same for a reader that gives nil if it refuses the input; what it accepts, the plants
  /// strike at.
  func accepted<Result>(_ input: [UInt8], size: Int? = nil, _ reader: () -> Result?) -> Result? {
    measured(size ?? input.count) {
      let result = reader()
      if result != nil { Plant.accepted(input) }
      return result
    }
  }

  private func excess(_ taken: Taken, _ size: Int) -> String? {
    let mostAtOnce = peakBytes.fixed + peakBytes.perByte * size
    if taken.peakBytes > mostAtOnce {
      return "\(size) bytes of input took \(taken.peakBytes) bytes at one time; "
        + "\(mostAtOnce) are allowed"
    }
    let mostInAll = totalBytes.fixed + totalBytes.perByte * size
    if taken.totalBytes > mostInAll {
      return "\(size) bytes of input took \(taken.totalBytes) bytes in all; "
        + "\(mostInAll) are allowed"
    }
    return nil
  }

  private static func taken<Result>(_ body: () -> Result) -> (Result, Taken) {
    meter?.begin()
    let result = body()
    return (result, meter?.end() ?? Taken())
  }

  /// Tells the most that was taken so far, to set allowances by.
  private static func report(_ taken: Taken, _ size: Int) {
    guard isReporting, taken.peakBytes > mostPeak || taken.totalBytes > mostTotal else { return }
    mostPeak = max(mostPeak, taken.peakBytes)
    mostTotal = max(mostTotal, taken.totalBytes)
    tell("taken: \(size) B input, \(taken.peakBytes) at once, \(taken.totalBytes) in all")
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

/// What the body gives; an error of it ends the process with a sentence.
func needed<Result>(_ sentence: String, _ body: () throws -> Result) -> Result {
  do {
    return try body()
  } catch {
    fatalError("\(sentence): \(error)")
  }
}

/// What the body gives, or nil if it refuses; every refusal has one of the codes and says why.
func unlessRefused<Result>(
  _ what: String, _ codes: StintError.Code..., body: () throws -> Result
) -> Result? {
  do {
    return try body()
  } catch let error as StintError {
    require(codes.contains(error.code), "\(what) is no \(error.code): \(error)")
    require(!error.message.isEmpty, "a refusal without words")
    return nil
  } catch {
    fatalError("\(what) is \(error)")
  }
}
