#if Images
/// Gathers the strips of one evaluation into bands and hands each band over when it is full.
///
/// A strip of whole units is a band itself: it is not copied, and the memory of the band stays
/// untouched.
final class BandCollector: @unchecked Sendable {
  // Unchecked: an evaluation brings one strip at a time, and nobody looks before it has ended.

  /// Ends an evaluation that is to go no further.
  private struct Stop: Error {}

  /// Takes a band, its first row and its pixels; false ends the evaluation.
  typealias Body = (Int, UnsafeRawBufferPointer) throws -> Bool

  private let buffer: UnsafeMutableRawBufferPointer
  private let rowBytes: Int
  private let unitRows: Int
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
  ///   - unitRows: A band has a multiple of that many rows, but for the last.
  ///   - body: Called with each band, on whichever thread brings its last strip.
  init(
    _ rows: Range<Int>, in buffer: UnsafeMutableRawBufferPointer, rowBytes: Int, unitRows: Int,
    body: @escaping Body
  ) {
    (self.rows, self.buffer, self.body) = (rows, buffer, body)
    (self.rowBytes, self.unitRows) = (rowBytes, unitRows)
  }

  /// Takes a strip.
  func add(_ strip: UnsafeRawBufferPointer) throws {
    let stripRows = strip.count / rowBytes
    if filled == 0, stripRows % unitRows == 0 || stripRows == rows.count {
      return try handOver(strip)
    }
    var rest = strip
    while !rest.isEmpty {
      let count = min(rest.count, buffer.count - filled * rowBytes)
      let place = UnsafeMutableRawBufferPointer(rebasing: buffer[(filled * rowBytes)...])
      place.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
      filled += count / rowBytes
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      if filled == min(rows.count, buffer.count / rowBytes) {
        let band = UnsafeRawBufferPointer(rebasing: buffer[..<(filled * rowBytes)])
        filled = 0
        try handOver(band)
      }
    }
  }

  /// Ends the evaluation.
  func stop() throws -> Never {
    isStopped = true
    throw Stop()
  }

  private func handOver(_ band: UnsafeRawBufferPointer) throws {
    let goesOn: Bool
    do {
      goesOn = try body(rows.lowerBound, band)
    } catch {
      failure = error
      throw error
    }
    if !goesOn { try stop() }
    rows = (rows.lowerBound + band.count / rowBytes)..<rows.upperBound
  }
}
#endif
