#if Images
/// A colour as it is written: red, green and blue of 8 bits each.
package struct FilterColour: Hashable, Sendable {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8

  /// White, the colour of paper.
  static let white = FilterColour(red: 255, green: 255, blue: 255)

  private init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Reads a colour: one of the sixteen names, or three or six hexadecimal digits with or without
  /// `#`, as in CSS (CSS Color Module Level 4, sections 5.2 and 6.1).
  ///
  /// - Parameter text: What the user wrote.
  package init?(_ text: String) {
    let text = text.lowercased()
    var digits = Self.names.first { $0.name == text }?.digits ?? text
    if digits.hasPrefix("#") { digits.removeFirst() }
    guard digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else { return nil }
    if digits.utf8.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
    guard digits.utf8.count == 6, let number = UInt32(digits, radix: 16) else { return nil }
    self.init(
      red: UInt8(number >> 16), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
  }

  /// Six hexadecimal digits.
  package var canonicalText: String {
    [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Whether it is a shade of grey.
  var isGrey: Bool { red == green && green == blue }

  /// The names, each with its digits.
  static let names: [(name: String, digits: String)] = [
    ("white", "ffffff"), ("black", "000000"), ("gray", "808080"), ("silver", "c0c0c0"),
    ("red", "ff0000"), ("maroon", "800000"), ("yellow", "ffff00"), ("olive", "808000"),
    ("lime", "00ff00"), ("green", "008000"), ("aqua", "00ffff"), ("teal", "008080"),
    ("blue", "0000ff"), ("navy", "000080"), ("fuchsia", "ff00ff"), ("purple", "800080"),
  ]
}
#endif
