/// An SVG picture as it is drawn; styles are classes, which the page's style sheet knows.
package struct Drawing {
  /// The two widths in which each plot of a page is drawn: letters keep their size, lines get
  /// shorter.
  package enum Size: String, CaseIterable {
    case wide, narrow

    package var width: Double { self == .wide ? 900 : 350 }
  }

  package var width: Double
  package var height: Double
  package var shapes = Markup()

  package init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  package mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String
  ) {
    shapes += .void(
      "line",
      [
        "x1": Self.number(x1), "y1": Self.number(y1), "x2": Self.number(x2),
        "y2": Self.number(y2), "class": style,
      ])
  }

  package mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String,
    title: String? = nil
  ) {
    shapes += .element(
      "rect",
      [
        "x": Self.number(x), "y": Self.number(y), "width": Self.number(max(0, width)),
        "height": Self.number(max(0, height)), "class": style,
      ], Self.title(title))
  }

  package mutating func circle(
    _ x: Double, _ y: Double, _ radius: Double, _ style: String, title: String? = nil
  ) {
    shapes += .element(
      "circle",
      ["cx": Self.number(x), "cy": Self.number(y), "r": Self.number(radius), "class": style],
      Self.title(title))
  }

  /// A closed shape through some points.
  package mutating func polygon(_ points: [(Double, Double)], _ style: String, title: String? = nil)
  {
    let list = points.map { "\(Self.number($0.0)),\(Self.number($0.1))" }.joined(separator: " ")
    shapes += .element("polygon", ["points": list, "class": style], Self.title(title))
  }

  package mutating func words(
    _ x: Double, _ y: Double, _ text: String, anchor: String? = nil, _ style: String? = nil,
    longest: Double? = nil
  ) {
    let shown = longest.map { Self.fitted(text, to: $0) } ?? text
    shapes += .element(
      "text",
      ["x": Self.number(x), "y": Self.number(y), "text-anchor": anchor, "class": style],
      Markup(shown))
  }

  /// The picture for a page, with a label for readers who cannot see it.
  package func markup(_ size: Size, label: String) -> Markup {
    .element(
      "svg",
      [
        "class": "plot \(size.rawValue)", "role": "img", "aria-label": label, "viewBox": viewBox,
      ], shapes)
  }

  /// A small picture for a legend, which the words beside it explain.
  package func symbol() -> Markup {
    .element("svg", ["aria-hidden": "true", "viewBox": viewBox], shapes)
  }

  package var viewBox: String { "0 0 \(Self.number(width)) \(Self.number(height))" }

  /// A coordinate: a tenth of a pixel is enough for any eye.
  package static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let tenths = Int((min(max(value, -1e6), 1e6) * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let (whole, rest) = (tenths.magnitude / 10, tenths.magnitude % 10)
    return sign + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
  }

  /// The text, cut where it would be wider than that many units at the plots' size of letters.
  static func fitted(_ text: String, to width: Double) -> String {
    let most = max(4, Int(width / 6.4))
    return text.count <= most ? text : text.prefix(most - 1) + "…"
  }

  private static func title(_ text: String?) -> Markup {
    text.map { .element("title", [:], Markup($0)) } ?? Markup()
  }
}
