import StintCore

/// A linear axis: which value stands where, and which values are written below it.
package struct Axis: Hashable, Sendable {
  /// Values at its two ends.
  package var range: ClosedRange<Double>
  /// Coordinates at its two ends.
  package var from: Double
  package var to: Double

  package init(_ range: ClosedRange<Double>, from: Double, to: Double) {
    self.range = range
    self.from = from
    self.to = to
  }

  /// Where a value stands; outside of the range, at its end.
  package func place(_ value: Double) -> Double {
    let length = range.upperBound - range.lowerBound
    guard length > 0, value.isFinite else { return from }
    let share = (min(max(value, range.lowerBound), range.upperBound) - range.lowerBound) / length
    return from + share * (to - from)
  }

  /// Round values inside the range, about that many.
  package func ticks(_ wanted: Int) -> [Double] {
    let length = range.upperBound - range.lowerBound
    guard length > 0, wanted > 0 else { return [range.lowerBound] }
    return Self.multiples(of: Self.roundStep(length / Double(wanted)), in: range)
  }

  /// Round times in seconds inside the range: tens below a minute, then minutes, hours and days.
  package func timeTicks(_ wanted: Int) -> [Double] {
    let length = range.upperBound - range.lowerBound
    guard length > 0, wanted > 0 else { return [range.lowerBound] }
    let rough = length / Double(wanted)
    let steps: [Double] = [
      15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
    ]
    guard rough > 10 else { return Self.multiples(of: Self.roundStep(rough), in: range) }
    let step = steps.first { $0 >= rough } ?? 86_400 * Self.roundStep(rough / 86_400)
    return Self.multiples(of: step, in: range)
  }

  /// A time as an axis names it.
  package static func timeText(_ seconds: Double) -> String {
    seconds == 0 ? "0" : Duration(clampingSeconds: seconds).compactText
  }

  /// The least of 1, 2, 5 and their tens that is not below the rough step.
  private static func roundStep(_ rough: Double) -> Double {
    var decade = 1.0
    while decade > rough, decade > 1e-12 { decade /= 10 }
    while decade * 10 <= rough, decade < 1e15 { decade *= 10 }
    return [1, 2, 5, 10].map { $0 * decade }.first { $0 >= rough * 0.999 } ?? decade * 10
  }

  private static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
    let first = (range.lowerBound / step - 1e-9).rounded(.up)
    let last = (range.upperBound / step + 1e-9).rounded(.down)
    guard step > 0, last >= first, last - first < 100 else { return [range.lowerBound] }
    return (0...Int(last - first)).map { (first + Double($0)) * step }
  }
}
