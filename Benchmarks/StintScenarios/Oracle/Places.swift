/// Where the work in hand lies after a chunk, for every point and every length.
struct Places {
  private let width: Int
  private let indices: [Int]
  private let shares: [Double]

  init(_ masses: TimeMasses, points: [Double], step: Double) {
    width = masses.steps.count
    var indices: [Int] = []
    var shares: [Double] = []
    for point in points {
      for steps in masses.steps {
        let (index, share) = Self.locate(point + Double(steps) * step, points)
        indices.append(index)
        shares.append(share)
      }
    }
    self.indices = indices
    self.shares = shares
  }

  /// The value after a chunk, between two points by a line, from the row of values that begins at
  /// `row`.
  @inline(__always)
  func value(
    _ values: UnsafeBufferPointer<Double>, _ row: Int, point: Int, length: Int
  ) -> Double {
    let place = row + indices[point * width + length]
    let share = shares[point * width + length]
    return share == 0
      ? values[place] : values[place] + share * (values[place + 1] - values[place])
  }

  @inline(__always)
  func value(_ values: [Double], _ row: Int, point: Int, length: Int) -> Double {
    values.withUnsafeBufferPointer { value($0, row, point: point, length: length) }
  }

  /// The point below and the part of the way to the next one; beyond the last one the line goes on.
  static func locate(_ value: Double, _ points: [Double]) -> (Int, Double) {
    guard points.count > 1 else { return (0, 0) }
    var (low, high) = (0, points.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle] <= value { low = middle } else { high = middle }
    }
    return (low, (value - points[low]) / (points[high] - points[low]))
  }
}
