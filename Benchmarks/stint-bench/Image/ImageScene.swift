import StintCore

/// A picture of unlimited size that is computed where it is looked at: surfaces that shade into
/// each other, shapes with hard edges, text, texture, and a little noise, so that filters and
/// compressors meet what real images have.
///
/// Any part of it is the same whichever parts were computed before; samples have 16 bits.
struct ImageScene {
  /// What all channels of some pixels of a row are made in, reused from row to row.
  final class Run {
    fileprivate typealias Plane = UnsafeMutableBufferPointer<Int32>

    fileprivate let planes: [Plane]
    fileprivate let count: Int

    init(columns: Int) {
      count = columns
      planes = (0..<4).map { _ in
        let plane = Plane.allocate(capacity: columns)
        plane.initialize(repeating: 0)
        return plane
      }
    }

    deinit {
      planes.forEach { $0.deallocate() }
    }

    /// A sample, from 0 to 65,535; channel 3 is alpha.
    @inline(__always)
    func sample(_ channel: Int, _ column: Int) -> UInt16 {
      UInt16(truncatingIfNeeded: min(max(planes[channel][column], 0), 65_535))
    }
  }

  private static let shapeCell = 512
  private static let pageCell = 256

  let seed: UInt64

  /// Computes the pixels of a row from a column on, as many as the run has room for.
  func compute(row: Int, from column: Int, into run: Run) {
    for channel in 0..<4 {
      let amplitude: Int32 = channel == 3 ? 65_536 : 40_000
      shade(
        run.planes[channel], row: row, from: column, shift: 10, amplitude: amplitude,
        offset: channel == 3 ? 20_000 : 12_000, key: UInt64(channel))
    }
    texture(run, row: row, from: column)
    shapes(run, row: row, from: column)
    pages(run, row: row, from: column)
    noise(run, row: row, from: column)
  }

  // MARK: Surfaces

  /// Random heights at the corners of squares, straight lines between them.
  private func shade(
    _ plane: Run.Plane, row: Int, from column: Int, shift: Int, amplitude: Int32, offset: Int32,
    key: UInt64, adds: Bool = false
  ) {
    let period = 1 << shift
    let (line, down) = (row >> shift, Int32(row & (period - 1)))
    func height(_ corner: Int) -> Int32 {
      let upper = Int32(hash(corner, line, key) >> 49)
      let lower = Int32(hash(corner, line + 1, key) >> 49)
      // 15 bits, so that nothing below leaves 32.
      return (upper << Int32(shift) + (lower - upper) * down) >> Int32(shift)
    }
    var at = 0
    while at < plane.count {
      let corner = (column + at) >> shift
      let (left, right) = (height(corner), height(corner + 1))
      let first = Int32((column + at) & (period - 1))
      let end = min(plane.count, at + period - Int(first))
      for index in at..<end {
        let along = first &+ Int32(truncatingIfNeeded: index &- at)
        let level = left &+ ((right &- left) &* along) >> Int32(shift)
        let value = offset &+ (level &* (amplitude >> 8)) >> 7
        plane[index] = adds ? plane[index] &+ value : value
      }
      at = end
    }
  }

  /// Grain of three sizes, the same in all colours.
  private func texture(_ run: Run, row: Int, from column: Int) {
    for channel in 0..<3 {
      for (shift, amplitude) in [(6, Int32(9_000)), (4, 5_000), (2, 2_500)] {
        shade(
          run.planes[channel], row: row, from: column, shift: shift, amplitude: amplitude,
          offset: -amplitude / 2, key: UInt64(16 + shift), adds: true)
      }
    }
  }

  // MARK: Shapes

  /// A disc and a slanted bar in every cell, some of them holes in the alpha.
  private func shapes(_ run: Run, row: Int, from column: Int) {
    let cell = Self.shapeCell
    let (line, count) = (row / cell, run.count)
    for place in column / cell...(column + count - 1) / cell {
      let bits = hash(place, line, 64)
      let radius = 40 + Int(bits & 127)
      let middle = (x: 180 + Int(bits >> 7 & 127), y: 180 + Int(bits >> 14 & 127))
      let down = row % cell - middle.y
      if abs(down) <= radius {
        let half = Int(Double(radius * radius - down * down).squareRoot())
        let start = place * cell + middle.x - half - column
        paint(run, start..<start + 2 * half + 1, colour: bits >> 21, clears: bits & 3 == 0)
      }
      let bar = Int(bits >> 40 & 63)
      let slant = (row % cell) * Int(bits >> 46 & 3) / 4
      let start = place * cell + 20 + slant - column
      paint(run, start..<start + 4 + bar, colour: bits >> 30, clears: false)
    }
  }

  private func paint(_ run: Run, _ columns: Range<Int>, colour: UInt64, clears: Bool) {
    let inside = columns.clamped(to: 0..<run.count)
    for channel in 0..<3 {
      let (plane, bits) = (run.planes[channel], colour >> UInt64(5 * channel) & 31)
      let level = Int32(truncatingIfNeeded: bits * 2_050)
      // A quarter of what was there shines through.
      for index in inside { plane[index] = level + (plane[index] - level) >> 2 }
    }
    if clears {
      for index in inside { run.planes[3][index] = 0 }
    }
  }

  // MARK: Text

  /// Every third cell is a page of lines of letters that are no letters.
  private func pages(_ run: Run, row: Int, from column: Int) {
    let cell = Self.pageCell
    let (line, count) = (row / cell, run.count)
    let inside = row % cell
    for place in column / cell...(column + count - 1) / cell {
      guard hash(place, line, 128) % 3 == 0 else { continue }
      let start = place * cell - column
      paintPage(run, (start..<start + cell).clamped(to: 0..<count), level: 58_000)
      // Letters of 5 x 7 dots of 2 x 2 pixels, 12 pixels apart in lines of 20.
      let (textLine, dotRow) = (inside / 20, inside % 20 / 2)
      guard dotRow < 7, inside >= 20, inside < cell - 16 else { continue }
      for letter in 1..<20 {
        let shape = hash(place * 32 + letter, line * 16 + textLine, 256)
        if shape & 7 == 0 { continue }
        let dots = shape >> UInt64(8 + 5 * dotRow)
        for dot in 0..<5 where dots >> UInt64(dot) & 1 == 1 {
          let at = start + letter * 12 + 2 * dot
          paintPage(run, (at..<at + 2).clamped(to: 0..<count), level: 6_000)
        }
      }
    }
  }

  private func paintPage(_ run: Run, _ columns: Range<Int>, level: Int32) {
    for channel in 0..<3 {
      let plane = run.planes[channel]
      for index in columns { plane[index] = level }
    }
  }

  // MARK: Noise

  /// Two percent either way, as a camera's.
  private func noise(_ run: Run, row: Int, from column: Int) {
    let key = hash(row, row >> 20, 512)
    let (red, green, blue) = (run.planes[0], run.planes[1], run.planes[2])
    for index in 0..<run.count {
      var bits = UInt64(truncatingIfNeeded: column + index) &* 0x9E37_79B9_7F4A_7C15 ^ key
      bits = (bits ^ bits >> 29) &* 0xBF58_476D_1CE4_E5B9
      red[index] &+= Int32(truncatingIfNeeded: bits >> 20 & 2047) - 1023
      green[index] &+= Int32(truncatingIfNeeded: bits >> 34 & 2047) - 1023
      blue[index] &+= Int32(truncatingIfNeeded: bits >> 48 & 2047) - 1023
    }
  }

  @inline(__always)
  private func hash(_ x: Int, _ y: Int, _ key: UInt64) -> UInt64 {
    var word = seed &* 0xD1B5_4A32_D192_ED03 &+ key &* 0x8CB9_2BA7_2F3D_8DD7
    word = (word ^ UInt64(truncatingIfNeeded: x)) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ word >> 32 ^ UInt64(truncatingIfNeeded: y)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 29) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 32
  }
}
