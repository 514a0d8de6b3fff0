import Foundation

/// A picture in SVG, in a plane whose y axis points up.
struct Drawing {
  private let x: ClosedRange<Double>
  private let y: ClosedRange<Double>
  private let width = 800.0
  private let height = 400.0
  private var elements: [String] = []

  /// Creates a picture of a part of the plane.
  init(x: ClosedRange<Double>, y: ClosedRange<Double>) {
    self.x = x
    self.y = y
  }

  /// A bar over the whole height.
  mutating func addBand(_ part: ClosedRange<Double>, fill: String, label: String) {
    let (left, right) = (across(part.lowerBound), across(part.upperBound))
    elements.append(
      "<rect x=\"\(left)\" y=\"0\" width=\"\(Self.text(right - left))\" height=\"\(height)\" "
        + "fill=\"\(fill)\" fill-opacity=\"0.3\"/>"
        + "<text x=\"\(left + 4)\" y=\"16\" font-size=\"12\">\(Self.escaped(label))</text>")
  }

  /// A line through points.
  mutating func addLine(_ points: [(x: Double, y: Double)], stroke: String) {
    let text = points.map { "\(across($0.x)),\(down($0.y))" }.joined(separator: " ")
    elements.append("<polyline points=\"\(text)\" fill=\"none\" stroke=\"\(stroke)\"/>")
  }

  /// A dot.
  mutating func addDot(_ point: (x: Double, y: Double), fill: String) {
    elements.append(
      "<circle cx=\"\(across(point.x))\" cy=\"\(down(point.y))\" r=\"4\" fill=\"\(fill)\"/>")
  }

  /// The file.
  var svg: String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
      + "font-family=\"sans-serif\">\n"
      + elements.joined(separator: "\n") + "\n</svg>\n"
  }

  /// Writes the file, if there is to be one.
  func write(to path: String?) throws {
    guard let path else { return }
    do {
      try svg.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw Failure("\(path) cannot be written.", 73)
    }
  }

  private func across(_ value: Double) -> Double {
    Self.text((value - x.lowerBound) / Self.length(x) * width)
  }

  private func down(_ value: Double) -> Double {
    Self.text((y.upperBound - value) / Self.length(y) * height)
  }

  /// A range may be one point.
  private static func length(_ range: ClosedRange<Double>) -> Double {
    max(range.upperBound - range.lowerBound, 1e-9)
  }

  private static func text(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}
