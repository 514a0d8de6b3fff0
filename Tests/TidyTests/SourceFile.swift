import Foundation

/// A Swift file of the tree, as written and with comments and literals blanked out.
struct SourceFile: Sendable {
  /// The path from the root of the tree.
  let path: String
  /// The file as written.
  let text: String
  /// The same lines, in which comments and the insides of string literals are blanks.
  let code: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    code = Self.withoutCommentsAndLiterals(text)
  }

  var lineCount: Int { text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 }

  /// The lines of the code that contain a pattern, as "path:line: what stands there".
  func places(of pattern: String, inComments: Bool = false) -> [String] {
    // Most files have none: one look at the whole is much faster than one at each line.
    let subject = inComments ? text : code
    let expression = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    let whole = NSRange(location: 0, length: subject.utf16.count)
    guard expression?.firstMatch(in: subject, range: whole) != nil else { return [] }
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    let written = text.split(separator: "\n", omittingEmptySubsequences: false)
    return (inComments ? written : lines).enumerated().compactMap { index, line in
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

  /// Blanks out comments and the insides of literals, keeping every newline.
  ///
  /// Interpolations count as literal.
  static func withoutCommentsAndLiterals(_ text: String) -> String {
    enum Place { case code, lineComment, blockComment(Int), literal([UInt8]) }
    // Bytes and not characters: the whole tree is read by every run of the tests.
    let bytes = Array(text.utf8)
    var (place, index, result) = (Place.code, 0, [UInt8]())
    result.reserveCapacity(bytes.count)
    func stands(_ word: [UInt8]) -> Bool {
      bytes[index] == word[0] && bytes[index...].starts(with: word)
    }
    func take(_ count: Int, blank: Bool) {
      for byte in bytes[index..<min(index + count, bytes.count)] {
        result.append(blank && byte != UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte)
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
          take(2, blank: true)
        } else if let quote = Mark.quotes.first(where: stands) {
          place = .literal(quote == Mark.rawQuote ? Mark.rawEnd : quote)
          take(quote.count, blank: false)
        } else {
          take(1, blank: false)
        }
      case .lineComment:
        if bytes[index] == UInt8(ascii: "\n") { place = .code }
        take(1, blank: true)
      case .blockComment(let depth):
        let (opens, closes) = (stands(Mark.open), stands(Mark.close))
        if opens { place = .blockComment(depth + 1) }
        if closes { place = depth == 1 ? .code : .blockComment(depth - 1) }
        take(opens || closes ? 2 : 1, blank: true)
      case .literal(let end):
        if bytes[index] == UInt8(ascii: "\\"), end != Mark.rawEnd {
          take(2, blank: true)
        } else if stands(end) {
          place = .code
          take(end.count, blank: false)
        } else {
          take(1, blank: true)
        }
      }
    }
    return String(decoding: result, as: UTF8.self)
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
