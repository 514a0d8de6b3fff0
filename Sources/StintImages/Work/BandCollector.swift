#if Images
/// Gathers the strips of one evaluation into bands and hands each band over when it is full.
final class BandCollector: @unchecked Sendable {
  // Unchecked: an evaluation brings one strip at a time, and nobody looks before it has ended.

  /// Ends an evaluation that is to go no further.
  private struct Stop: Error {}

  /// Takes a band, its first row and its pixels; false ends the evaluation.
  typealias Body = (Int, UnsafeRawBufferPointer) throws -> Bool

  private let buffer: UnsafeMutableRawBufferPointer
  private let rowBytes: Int
  private let body: Body
  /// The rows that were not handed over yet.
  private var rows: Range<Int>
  /// How many of them are in the buffer.
  private var filled = 0

  /// What the body threw.
  private(set) var failure: (any Error)?
  /// Whether the evaluation was ended early without a failure.
  private(set) var isStopped = false

  /// - Parameters:
  ///   - rows: What will come.
  ///   - buffer: Memory of one band.
  ///   - rowBytes: The length of a row.
  ///   - body: Called with each band, on whichever thread brings its last strip.
  init(
    _ rows: Range<Int>, in buffer: UnsafeMutableRawBufferPointer, rowBytes: Int,
    body: @escaping Body
  ) {
    (self.rows, self.buffer, self.rowBytes, self.body) = (rows, buffer, rowBytes, body)
  }

  /// Takes a strip.
  func add(_ strip: UnsafeRawBufferPointer) throws {
    var rest = strip
    while !rest.isEmpty {
      let count = min(rest.count, buffer.count - filled * rowBytes)
      let place = UnsafeMutableRawBufferPointer(rebasing: buffer[(filled * rowBytes)...])
      place.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
      filled += count / rowBytes
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      if filled == min(rows.count, buffer.count / rowBytes) { try handOver() }
    }
  }

  /// Ends the evaluation.
  func stop() throws -> Never {
    isStopped = true
    throw Stop()
  }

  private func handOver() throws {
    let goesOn: Bool
    do {
      goesOn = try body(
        rows.lowerBound, UnsafeRawBufferPointer(rebasing: buffer[..<(filled * rowBytes)]))
    } catch {
      failure = error
      throw error
    }
    if !goesOn { try stop() }
    rows = (rows.lowerBound + filled)..<rows.upperBound
    filled = 0
  }
}
#endif
