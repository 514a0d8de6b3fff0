/// A colour of the page.
package struct Colour: Hashable, Sendable, CustomStringConvertible {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  /// Red, green and blue as one number: `0x0072b2`.
  package init(_ number: UInt32) {
    red = UInt8(truncatingIfNeeded: number >> 16)
    green = UInt8(truncatingIfNeeded: number >> 8)
    blue = UInt8(truncatingIfNeeded: number)
  }

  /// As style sheets write it.
  package var description: String {
    "#"
      + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// The colours of the page in one scheme, by what they mean.
///
/// The five of the plots are after Okabe and Ito ("Color universal design", 2008), moved in
/// lightness until each has a contrast of at least 3 with both grounds (WCAG 2.2, 1.4.11), and
/// texts 4.5 (1.4.3); tests compute both, and how far those who do not see red, green or blue see
/// them apart. No meaning hangs on a colour alone.
package struct ColourScheme: Hashable, Sendable {
  /// Behind everything.
  package var ground: Colour
  /// Behind tables' heads and figures.
  package var raised: Colour
  package var text: Colour
  /// Text of less weight.
  package var quiet: Colour
  /// Lines of grids and tables; decoration.
  package var rule: Colour
  package var link: Colour
  /// What was kept.
  package var kept: Colour
  /// What was lost.
  package var lost: Colour
  /// An expiry.
  package var expiry: Colour
  /// The first to the fourth of several groups.
  package var series: [Colour]

  package static let light = ColourScheme(
    ground: Colour(0xfdfdfb), raised: Colour(0xf3f4f1), text: Colour(0x1d2125),
    quiet: Colour(0x565d64), rule: Colour(0xd4d7d2), link: Colour(0x0a5a94),
    kept: Colour(0x0072b2), lost: Colour(0xc44a00), expiry: Colour(0x9a3d78),
    series: [Colour(0x0072b2), Colour(0xc44a00), Colour(0x004d38), Colour(0x9a3d78)])

  package static let dark = ColourScheme(
    ground: Colour(0x15181b), raised: Colour(0x1f2327), text: Colour(0xe8eaec),
    quiet: Colour(0xa7afb6), rule: Colour(0x3a4046), link: Colour(0x7cc0f2),
    kept: Colour(0x56b4e9), lost: Colour(0xf0812f), expiry: Colour(0xd77ab4),
    series: [Colour(0x56b4e9), Colour(0xf0812f), Colour(0x9fe3b0), Colour(0xd77ab4)])

  /// What a style sheet declares.
  var declarations: String {
    var lines = [
      "--ground:\(ground)", "--raised:\(raised)", "--text:\(text)", "--quiet:\(quiet)",
      "--rule:\(rule)", "--link:\(link)", "--kept:\(kept)", "--lost:\(lost)", "--expiry:\(expiry)",
    ]
    lines += series.enumerated().map { "--series-\($0.offset):\($0.element)" }
    return lines.joined(separator: ";")
  }
}
