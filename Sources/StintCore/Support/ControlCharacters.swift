extension StringProtocol {
  /// This text, safe for a terminal: control characters, and those that change the direction of
  /// writing, become escapes.
  ///
  /// File names come from other people, and a terminal obeys control characters.
  package var showingControlCharacters: String {
    guard unicodeScalars.contains(where: \.isControl) else { return String(self) }
    var result = ""
    for scalar in unicodeScalars {
      guard scalar.isControl else {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch scalar {
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where scalar.value < 0x10: result += "\\x0" + String(scalar.value, radix: 16)
      case _ where scalar.value < 0x100: result += "\\x" + String(scalar.value, radix: 16)
      case _: result += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether a terminal takes it for a command, or writes in another direction from it on.
  var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
