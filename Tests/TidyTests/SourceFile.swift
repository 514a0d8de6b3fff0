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
      line.firstMatch(
        of:
          /^\s*(?:@\w+\s+)*(?:public |package |internal |private |fileprivate )?import (?:\w+ )?(\w+)/
      ).map { String($0.1) }
    }
  }

  /// Blanks out comments and the insides of literals, keeping every newline.
  ///
  /// Interpolations count as literal.
  static func withoutCommentsAndLiterals(_ text: String) -> String {
    enum Place { case code, lineComment, blockComment(Int), literal(String) }
    var place = Place.code
    var result = ""
    var rest = text[...]
    func take(_ count: Int, blank: Bool) {
      for character in rest.prefix(count) {
        result.append(blank && !character.isNewline ? " " : character)
      }
      rest = rest.dropFirst(count)
    }
    while !rest.isEmpty {
      switch place {
      case .code:
        if rest.hasPrefix("//") {
          place = .lineComment
        } else if rest.hasPrefix("/*") {
          place = .blockComment(1)
          take(2, blank: true)
        } else if let quote = ["\"\"\"", "#\"", "\""].first(where: rest.hasPrefix) {
          place = .literal(quote == "#\"" ? "\"#" : quote)
          take(quote.count, blank: false)
        } else {
          take(1, blank: false)
        }
      case .lineComment:
        if rest.first?.isNewline == true { place = .code }
        take(1, blank: true)
      case .blockComment(let depth):
        let (opens, closes) = (rest.hasPrefix("/*"), rest.hasPrefix("*/"))
        if opens { place = .blockComment(depth + 1) }
        if closes { place = depth == 1 ? .code : .blockComment(depth - 1) }
        take(opens || closes ? 2 : 1, blank: true)
      case .literal(let end):
        if rest.hasPrefix("\\"), end != "\"#" {
          take(2, blank: true)
        } else if rest.hasPrefix(end) {
          place = .code
          take(end.count, blank: false)
        } else {
          take(1, blank: true)
        }
      }
    }
    return result
  }
}
