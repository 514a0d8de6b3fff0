import StintCore

/// How many columns of a terminal a text takes.
///
/// The C library's `wcwidth` depends on the process's locale, which Stint does not set; these
/// ranges are the East Asian wide and fullwidth ones of Unicode's EastAsianWidth.txt, as coarse as
/// a progress line needs.
enum CellWidth {
  static func of(_ text: String) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  static func of(_ character: Character) -> Int {
    let scalar = character.unicodeScalars.first ?? " "
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0: return 0
    case 0x300..<0x370, 0x200b...0x200f, 0xfe00...0xfe0f: return 0
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }

  /// The text cut to that many columns, with control characters as escapes.
  static func fitted(_ text: String, to width: Int) -> String {
    var (result, used) = ("", 0)
    for character in text.showingControlCharacters {
      let cells = of(character)
      guard used + cells <= width else { break }
      result.append(character)
      used += cells
    }
    return result
  }
}
