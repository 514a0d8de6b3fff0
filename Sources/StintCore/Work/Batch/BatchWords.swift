/// Splits one line of a batch file into words, as a POSIX shell does ("Shell Command Language",
/// sections 2.2 and 2.3).
///
/// Single quotes, double quotes and the backslash mean what they mean there, and `#` at the
/// beginning of a word begins a comment. Nothing is expanded and nothing is an operator: what a
/// shell would do something else with, it must be told to leave alone, by quotes. So every line
/// that is accepted has the same words in a shell.
package struct BatchWords: Sendable {
  /// Why a line has no words.
  package struct Fault: Error, Hashable, Sendable {
    /// The column in characters, from 1.
    package var column: Int
    /// What is wrong and what to do about it, as a clause.
    package var reason: String
  }

  /// The words of a line.
  ///
  /// - Parameter line: One line without its newline.
  /// - Returns: The words without their quotes; none for a blank line or a comment.
  /// - Throws: ``Fault`` at the first place that cannot be read.
  package static func split(_ line: Substring) throws(Fault) -> [String] {
    var reader = BatchWords(rest: line.unicodeScalars[...])
    while reader.skipsToWord() { reader.words.append(try reader.word()) }
    return reader.words
  }

  private var words: [String] = []
  private var rest: Substring.UnicodeScalarView
  private var column = 1

  private init(rest: Substring.UnicodeScalarView) {
    self.rest = rest
  }

  /// Goes to the beginning of the next word; false if there is none.
  private mutating func skipsToWord() -> Bool {
    while let next = rest.first, Self.isBlank(next) { take() }
    return rest.first.map { $0 != "#" } ?? false
  }

  private mutating func word() throws(Fault) -> String {
    var word = String.UnicodeScalarView()
    if rest.first == "~" {
      throw fault("~ at the beginning of a word is expanded in a shell, and not here")
    }
    while let next = rest.first, !Self.isBlank(next) {
      switch next {
      case "'": try takeSingleQuoted(into: &word)
      case "\"": try takeDoubleQuoted(into: &word)
      case "\\": try takeEscaped(into: &word)
      case _:
        if let meaning = Self.meaning(of: next) {
          throw fault("\(next) \(meaning) in a shell, and there is none here")
        }
        word.append(take())
      }
    }
    return String(word)
  }

  private mutating func takeSingleQuoted(into word: inout String.UnicodeScalarView) throws(Fault) {
    let opening = column
    take()
    while let next = rest.first {
      let scalar = take()
      if next == "'" { return }
      word.append(scalar)
    }
    throw Fault(column: opening, reason: "the single quote is not closed")
  }

  private mutating func takeDoubleQuoted(into word: inout String.UnicodeScalarView) throws(Fault) {
    let opening = column
    take()
    while let next = rest.first {
      switch next {
      case "\"":
        take()
        return
      case "$", "`":
        throw fault("\(next) is expanded in a shell, between double quotes too, and not here")
      case "\\":
        take()
        // A backslash escapes only what means something between double quotes; before others it
        // stays.
        if let escaped = rest.first, !["$", "`", "\"", "\\"].contains(escaped) {
          word.append("\\")
        }
        if !rest.isEmpty { word.append(take()) }
      case _:
        word.append(take())
      }
    }
    throw Fault(column: opening, reason: "the double quote is not closed")
  }

  private mutating func takeEscaped(into word: inout String.UnicodeScalarView) throws(Fault) {
    let place = column
    take()
    guard !rest.isEmpty else {
      throw Fault(
        column: place, reason: "a backslash ends the line, and a job cannot go on in the next one")
    }
    word.append(take())
  }

  /// What a shell does at a character that is not quoted; nil for one that stands for itself.
  private static func meaning(of scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "|", "&", ";": "joins commands"
    case "<", ">": "redirects"
    case "(", ")": "groups commands"
    case "$", "`": "is expanded"
    case "*", "?", "[": "stands for the names of files"
    case _: nil
    }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t"
  }

  private func fault(_ what: String) -> Fault {
    Fault(column: column, reason: "\(what); put it between single quotes, or write sh -c '...'")
  }

  @discardableResult
  private mutating func take() -> Unicode.Scalar {
    column += 1
    return rest.removeFirst()
  }
}
