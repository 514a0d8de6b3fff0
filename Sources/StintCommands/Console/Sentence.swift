package import StintCore

/// Messages as a terminal shows them.
///
/// The libraries word an error as a clause, which may become part of another message; a message
/// that stands alone becomes a sentence.
package enum Sentence {
  /// The text with a capital at its beginning and a full stop at its end, where it lacks them, and
  /// control characters as escapes.
  ///
  /// A path, a key or an option at the beginning stays as it is. Items of a list stand on indented
  /// lines of their own.
  package static func of(_ text: String) -> String {
    let text = safe(text)
    guard let last = text.last else { return text }
    let word = text.prefix { $0 != " " }
    let isWord = word.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    let begun = isWord ? word.prefix(1).uppercased() + text.dropFirst() : text
    return ".!?".contains(last) ? begun : begun + "."
  }

  /// The message of a failure as a sentence, with what to type.
  package static func of(_ error: StintError) -> String { of(error.typed) }

  /// Where an item of a list begins.
  package static let item = "\n  "

  private static func safe(_ text: String) -> String {
    var (result, rest) = ("", text[...])
    while let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) {
      let isItem = rest[end...].utf8.starts(with: item.utf8)
      result += rest[..<end].showingControlCharacters + (isItem ? "\n" : "\\n")
      rest = rest[rest.utf8.index(after: end)...]
    }
    return result + rest.showingControlCharacters
  }
}

/// Writes a message to standard error, as a sentence.
package func complain(_ message: String) {
  writeToStandardError("stint: \(Sentence.of(message))\n")
}

/// Writes the message of a failure to standard error, with what to type.
package func complain(_ error: StintError) { complain(error.typed) }

extension ProgressDisplay {
  /// Writes a message as a sentence that stays; the live line goes on below it.
  package func complain(_ message: String) { say("stint: \(Sentence.of(message))") }

  /// Writes the message of a failure, with what to type; the live line goes on below it.
  package func complain(_ error: StintError) { complain(error.typed) }
}
