#if Images
import StintCore
import Testing

@testable import StintImages

@Suite("Gathering strips into bands")
struct BandCollectorTests {
  private struct Failed: Error {}

  /// Adds strips of rows of two bytes that count up, and gives the bands that came out, each with
  /// its first row.
  private func bands(
    of rows: Range<Int>, bandRows: Int, unitRows: Int = 4, strips: [Int],
    _ answer: @escaping (Int) throws -> Bool = { _ in true }
  ) -> (bands: [Int: [UInt8]], collector: BandCollector) {
    let memory = PixelMemory(unsetBytes: 2 * bandRows)
    defer { withExtendedLifetime(memory) {} }
    var bands: [Int: [UInt8]] = [:]
    let collector = BandCollector(rows, in: memory.buffer, rowBytes: 2, unitRows: unitRows) {
      (row, pixels) in
      bands[row] = Array(pixels)
      return try answer(row)
    }
    var row = rows.lowerBound
    for strip in strips {
      let bytes = (row..<row + strip).flatMap { [UInt8($0), UInt8($0 + 100)] }
      do {
        try bytes.withUnsafeBytes { try collector.add($0) }
      } catch {
        break
      }
      row += strip
    }
    return (bands, collector)
  }

  private func pixels(_ rows: Range<Int>) -> [UInt8] {
    rows.flatMap { [UInt8($0), UInt8($0 + 100)] }
  }

  @Test(
    "bands do not depend on the strips that they came in",
    arguments: [[1, 9], [4, 4, 2], [3, 3, 3, 1], [5, 5], Array(repeating: 1, count: 10)])
  func anyStrips(strips: [Int]) {
    let (bands, collector) = bands(of: 5..<15, bandRows: 4, strips: strips)
    #expect(bands == [5: pixels(5..<9), 9: pixels(9..<13), 13: pixels(13..<15)])
    #expect(collector.failure == nil && !collector.isStopped)
  }

  @Test("a strip of whole units is a band itself, and units never straddle two bands")
  func wholeUnits() {
    let direct = bands(of: 0..<11, bandRows: 4, unitRows: 2, strips: [6, 2, 3]).bands
    #expect(direct == [0: pixels(0..<6), 6: pixels(6..<8), 8: pixels(8..<11)])
    let mixed = bands(of: 0..<15, bandRows: 4, unitRows: 2, strips: [3, 2, 3, 2, 5]).bands
    #expect(
      mixed == [
        0: pixels(0..<4), 4: pixels(4..<8), 8: pixels(8..<10), 10: pixels(10..<15),
      ])
  }

  @Test("a band that is not wanted is the last one")
  func stopped() {
    let (bands, collector) = bands(of: 0..<12, bandRows: 4, strips: [3, 3, 3, 3]) { $0 < 4 }
    #expect(bands.keys.sorted() == [0, 4])
    #expect(collector.isStopped && collector.failure == nil)
  }

  @Test("what handing over throws is kept, so that nobody takes it for a damaged source")
  func failed() {
    let (bands, collector) = bands(of: 0..<8, bandRows: 4, strips: [3, 5]) { _ in throw Failed() }
    #expect(bands.keys.sorted() == [0])
    #expect(collector.failure is Failed && !collector.isStopped)
  }
}
#endif
