/// HTML or SVG that is safe to put into a page: whatever came from outside went in as text and was
/// escaped.
package struct Markup: Hashable, Sendable {
  /// The markup itself.
  package private(set) var text: String

  /// Nothing.
  package init() {
    text = ""
  }

  /// Text, escaped.
  package init(_ plain: String) {
    text = Self.escaped(plain)
  }

  /// Markup that stands in this module's source.
  init(trusted text: String) {
    self.text = text
  }

  /// Several pieces, one after another.
  package init(_ pieces: [Markup]) {
    text = pieces.map(\.text).joined()
  }

  /// An element with its contents; attributes that are nil are left out.
  ///
  /// Its name stands in this module's source.
  package static func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ contents: Markup...
  ) -> Markup {
    Markup(
      trusted: open(name, attributes) + ">" + contents.map(\.text).joined() + "</\(name)>")
  }

  /// An element without contents: an SVG shape, or one of HTML's void elements.
  package static func void(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:]
  ) -> Markup {
    Markup(trusted: open(name, attributes) + "/>")
  }

  package static func + (left: Markup, right: Markup) -> Markup {
    Markup(trusted: left.text + right.text)
  }

  package static func += (left: inout Markup, right: Markup) {
    left.text += right.text
  }

  private static func open(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>
  ) -> String {
    var text = "<\(name)"
    for (name, value) in attributes {
      if let value { text += " \(name)=\"\(escaped(value))\"" }
    }
    return text
  }

  /// The text with nothing in it that a parser could take for markup, in contents or in quoted
  /// attributes.
  ///
  /// Control characters are no characters of XML, and those that turn the direction of writing make
  /// a name look like another: all of them become the replacement character.
  package static func escaped(_ plain: String) -> String {
    var result = ""
    for scalar in plain.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where isUnwanted(scalar): result += "\u{FFFD}"
      case _: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfdd0...0xfdef:
      true
    case let value: value & 0xfffe == 0xfffe
    }
  }
}
