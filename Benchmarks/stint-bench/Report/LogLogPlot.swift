import Foundation

/// A plot with logarithmic axes, as one SVG file that needs nothing else.
struct LogLogPlot {
  /// Points of one thing.
  struct Series {
    var name: String
    /// Both coordinates above zero.
    var points: [(x: Double, y: Double)]
  }

  var title: String
  var x: String
  var y: String
  var series: [Series]
  /// A sentence below the plot.
  var note: String?

  private static let (width, height) = (760.0, 520.0)
  private static let (left, right, top, bottom) = (80.0, 190.0, 50.0, 90.0)
  /// Told apart by those who do not see red and green too (Okabe and Ito, "Color universal design", 2008).
  private static let colours = [
    "#0072b2", "#d55e00", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#000000",
  ]
  private static let dashes = ["", "", "2 3", "6 3", "8 3 2 3", "1 3", "10 4"]

  /// The decades that hold all points.
  private static func decades(_ values: [Double]) -> ClosedRange<Int> {
    let positive = values.filter { $0 > 0 && $0.isFinite }
    let low = Int(log10(positive.min() ?? 1).rounded(.down))
    let high = Int(log10(positive.max() ?? 10).rounded(.up))
    return low...max(high, low + 1)
  }

  /// The file's contents.
  func svg() -> String {
    let points = series.flatMap(\.points)
    let (columns, rows) = (Self.decades(points.map(\.x)), Self.decades(points.map(\.y)))
    let (innerWidth, innerHeight) = (
      Self.width - Self.left - Self.right, Self.height - Self.top - Self.bottom
    )
    func place(_ value: Double, _ decades: ClosedRange<Int>, _ length: Double) -> Double {
      (log10(value) - Double(decades.lowerBound)) / Double(decades.count - 1) * length
    }
    func horizontal(_ value: Double) -> Double { Self.left + place(value, columns, innerWidth) }
    func vertical(_ value: Double) -> Double {
      Self.top + innerHeight - place(value, rows, innerHeight)
    }
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(Self.width)) "
        + "\(Int(Self.height))\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">",
      "<title>\(Self.escaped(title))</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
      text(Self.left, 28, title, size: 17),
    ]
    for decade in columns {
      let at = horizontal(pow(10, Double(decade)))
      lines.append(line(at, Self.top, at, Self.top + innerHeight, "#dddddd"))
      lines.append(power(at, Self.top + innerHeight + 20, decade, anchor: "middle"))
    }
    for decade in rows {
      let at = vertical(pow(10, Double(decade)))
      lines.append(line(Self.left, at, Self.left + innerWidth, at, "#dddddd"))
      lines.append(power(Self.left - 8, at + 4, decade, anchor: "end"))
    }
    lines.append(
      text(Self.left + innerWidth / 2, Self.top + innerHeight + 42, x, anchor: "middle"))
    lines.append(text(12, Self.top - 12, y))
    for (index, one) in series.enumerated() {
      let colour = Self.colours[index % Self.colours.count]
      let dash = Self.dashes[index % Self.dashes.count]
      let path = one.points.map {
        String(format: "%.1f,%.1f", horizontal($0.x), vertical($0.y))
      }
      lines.append(
        "<polyline points=\"\(path.joined(separator: " "))\" fill=\"none\" stroke=\"\(colour)\" "
          + "stroke-width=\"2\" stroke-dasharray=\"\(dash)\"/>")
      for point in one.points {
        lines.append(
          String(
            format:
              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%@\"><title>%@</title></circle>",
            horizontal(point.x), vertical(point.y), colour,
            Self.escaped(
              "\(one.name): \(x) = \(Int(point.x)), \(String(format: "%.4g", point.y)) \(y)")))
      }
      let row = Self.top + 14 + Double(index) * 22
      let legend = Self.left + innerWidth + 16
      lines.append(
        "<line x1=\"\(legend)\" y1=\"\(row)\" x2=\"\(legend + 28)\" y2=\"\(row)\" "
          + "stroke=\"\(colour)\" stroke-width=\"2\" stroke-dasharray=\"\(dash)\"/>")
      lines.append(text(legend + 34, row + 4, one.name))
    }
    if let note { lines.append(text(Self.left, Self.height - 16, note, size: 12)) }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String)
    -> String
  {
    String(
      format: "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%@\"/>", x1, y1, x2,
      y2, colour)
  }

  private func text(
    _ x: Double, _ y: Double, _ words: String, size: Int = 13, anchor: String = "start"
  ) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(size)\" text-anchor=\"\(anchor)\" fill=\"#222222\">"
      + "\(Self.escaped(words))</text>"
  }

  private func power(_ x: Double, _ y: Double, _ decade: Int, anchor: String) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" fill=\"#222222\">10<tspan dy=\"-5\" "
      + "font-size=\"10\">\(decade)</tspan></text>"
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
  }
}
