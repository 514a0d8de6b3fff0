import Foundation

/// A Swift file of the tree, as written and in parts.
struct SourceFile: Sendable {
  /// The path from the root of the tree.
  let path: String
  /// The file as written.
  let text: String
  /// The same lines, in which comments and the insides of string literals are blanks.
  let code: String
  /// The same lines, in which all but the insides of string literals are blanks.
  let literals: String

  /// What of a file is looked at.
  enum Part: Sendable { case code, literals, all }

  init(path: String, text: String) {
    self.path = path
    self.text = text
    (code, literals) = Self.parts(of: text)
  }

  func text(of part: Part) -> String {
    switch part {
    case .code: code
    case .literals: literals
    case .all: text
    }
  }

  var lineCount: Int { text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 }

  /// The lines of the code that contain a pattern, as "path:line: what stands there".
  func places(of pattern: String, in part: Part = .code) -> [String] {
    // Most files have none: one look at the whole is much faster than one at each line.
    let subject = text(of: part)
    let expression = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    let whole = NSRange(location: 0, length: subject.utf16.count)
    guard expression?.firstMatch(in: subject, range: whole) != nil else { return [] }
    let written = text.split(separator: "\n", omittingEmptySubsequences: false)
    return subject.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap
    { index, line in
      guard line.range(of: pattern, options: .regularExpression) != nil else { return nil }
      return "\(path):\(index + 1): \(written[index].trimmingCharacters(in: .whitespaces))"
    }
  }

  /// The modules that the file imports.
  var imports: [String] {
    code.split(separator: "\n").compactMap { line in
      guard line.contains("import ") else { return nil }
      return line.firstMatch(
        of:
          /^\s*(?:@\w+\s+)*(?:public |package |internal |private |fileprivate )?import (?:\w+ )?(\w+)/
      ).map { String($0.1) }
    }
  }

  /// A text without comments and the insides of literals, and one with these insides alone.
  ///
  /// Both keep every newline. Interpolations count as literal.
  private static func parts(of text: String) -> (code: String, literals: String) {
    enum Place { case code, lineComment, blockComment(Int), literal([UInt8]) }
    // Bytes and not characters: the whole tree is read by every run of the tests.
    let bytes = Array(text.utf8)
    var (place, index, code, literals) = (Place.code, 0, [UInt8](), [UInt8]())
    code.reserveCapacity(bytes.count)
    literals.reserveCapacity(bytes.count)
    func stands(_ word: [UInt8]) -> Bool {
      bytes[index] == word[0] && bytes[index...].starts(with: word)
    }
    func take(_ count: Int, as part: Part?) {
      for byte in bytes[index..<min(index + count, bytes.count)] {
        let blank = byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")
        code.append(part == .code ? byte : blank)
        literals.append(part == .literals ? byte : blank)
      }
      index += count
    }
    while index < bytes.count {
      switch place {
      case .code:
        if stands(Mark.line) {
          place = .lineComment
        } else if stands(Mark.open) {
          place = .blockComment(1)
          take(2, as: nil)
        } else if let quote = Mark.quotes.first(where: stands) {
          place = .literal(quote == Mark.rawQuote ? Mark.rawEnd : quote)
          take(quote.count, as: .code)
        } else {
          take(1, as: .code)
        }
      case .lineComment:
        if bytes[index] == UInt8(ascii: "\n") { place = .code }
        take(1, as: nil)
      case .blockComment(let depth):
        let (opens, closes) = (stands(Mark.open), stands(Mark.close))
        if opens { place = .blockComment(depth + 1) }
        if closes { place = depth == 1 ? .code : .blockComment(depth - 1) }
        take(opens || closes ? 2 : 1, as: nil)
      case .literal(let end):
        if bytes[index] == UInt8(ascii: "\\"), end != Mark.rawEnd {
          take(2, as: .literals)
        } else if stands(end) {
          place = .code
          take(end.count, as: .code)
        } else {
          take(1, as: .literals)
        }
      }
    }
    return (String(decoding: code, as: UTF8.self), String(decoding: literals, as: UTF8.self))
  }

  private enum Mark {
    static let line = Array("//".utf8)
    static let open = Array("/*".utf8)
    static let close = Array("*/".utf8)
    static let rawQuote = Array("#\"".utf8)
    static let rawEnd = Array("\"#".utf8)
    static let quotes = [Array("\"\"\"".utf8), rawQuote, Array("\"".utf8)]
  }
}
