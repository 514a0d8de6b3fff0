/// A line of a batch with placeholders, as GNU parallel writes them, in place of values.
///
/// `{}` is the value, `{.}` the value without its extension, `{/}` the name in a path, `{//}` its
/// folder, `{/.}` the name without its extension, and `{#}` the number of the line. With several
/// lists `{2}` is the value of the second one, and `{2.}`, `{2/}`, `{2//}` and `{2/.}` are parts
/// of it; a placeholder without a number is all values, with spaces between them.
///
/// The words of the line are found before the values are filled in, so no value is split. A shell
/// gets the values as arguments.
package struct BatchTemplate: Hashable, Sendable {
  /// Why a text is no template.
  package struct Fault: Error, Hashable, Sendable {
    /// What is wrong, as a clause.
    package var reason: String
    /// Whether a shell would read a value as a part of its script.
    package var isOfScript = false
  }

  private enum Form: String, Hashable, Sendable, CaseIterable {
    case whole = ""
    case withoutExtension = "."
    case name = "/"
    case folder = "//"
    case nameWithoutExtension = "/."

    func part(of value: String) -> String {
      let slash = value.lastIndex(of: "/")
      let name = slash.map { value[value.index(after: $0)...] } ?? value[...]
      switch self {
      case .whole: return value
      case .name: return String(name)
      case .folder:
        guard let slash else { return "." }
        return slash == value.startIndex ? "/" : String(value[..<slash])
      case .withoutExtension: return String(value[..<name.endOfStem])
      case .nameWithoutExtension: return String(name[..<name.endOfStem])
      }
    }
  }

  private enum Placeholder: Hashable, Sendable {
    /// A value by the number of its list, or all of them.
    case value(list: Int?, Form)
    case number

    func text(_ values: [String], number: Int) -> String {
      switch self {
      case .number: String(number)
      case .value(let list?, let form): form.part(of: values[list - 1])
      case .value(nil, let form): values.map(form.part).joined(separator: " ")
      }
    }
  }

  private enum Part: Hashable, Sendable {
    case text(String)
    case placeholder(Placeholder)

    var isPlaceholder: Bool {
      if case .placeholder = self { true } else { false }
    }
  }

  /// The words of a line, each of its parts.
  private var words: [[Part]]

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - text: The line.
  ///   - isShell: Whether a shell runs the line.
  ///   - lists: How many lists of values there are.
  /// - Throws: ``Fault``.
  package init(_ text: String, isShell: Bool, lists: Int) throws(Fault) {
    if isShell {
      words = try Self.shellWords(text)
    } else {
      do throws(BatchWords.Fault) {
        words = try BatchWords.split(text[...]).map { Self.parts(of: $0[...]) }
      } catch {
        throw Fault(reason: "column \(error.column) of the template: \(error.reason)")
      }
      if words.isEmpty { throw Fault(reason: "the template is empty") }
      try checkScripts()
      if !words.joined().contains(where: \.isPlaceholder) {
        words.append([.placeholder(.value(list: nil, .whole))])
      }
    }
    for case .placeholder(.value(let list?, _)) in words.joined() where !(1...lists ~= list) {
      throw Fault(
        reason: "the template names list \(list), and there \(lists == 1 ? "is 1" : "are \(lists)")"
      )
    }
  }

  /// The words of the line with these values.
  package func words(_ values: [String], number: Int) -> [String] {
    words.map { parts in
      parts.reduce(into: "") { word, part in
        switch part {
        case .text(let text): word += text
        case .placeholder(let placeholder): word += placeholder.text(values, number: number)
        }
      }
    }
  }

  // MARK: Placeholders

  private static func parts(of text: Substring) -> [Part] {
    var parts: [Part] = []
    var (plain, rest) = ("", text)
    while let character = rest.first {
      if character == "{", let (placeholder, length) = placeholder(in: rest) {
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        parts.append(.placeholder(placeholder))
        rest = rest.dropFirst(length)
      } else {
        plain.append(character)
        rest = rest.dropFirst()
      }
    }
    if !plain.isEmpty || parts.isEmpty { parts.append(.text(plain)) }
    return parts
  }

  /// The placeholder with which a text begins, and its length in characters; nil if that is none.
  private static func placeholder(in text: Substring) -> (Placeholder, length: Int)? {
    let inside = text.dropFirst().prefix(12).prefix { $0 != "}" }
    guard text.dropFirst(inside.count + 1).first == "}" else { return nil }
    let length = inside.count + 2
    if inside == "#" { return (.number, length) }
    let digits = inside.prefix { $0.isASCII && $0.isNumber }
    guard digits.first != "0", let form = Form(rawValue: String(inside.dropFirst(digits.count)))
    else { return nil }
    return (.value(list: digits.isEmpty ? nil : Int(digits) ?? .max, form), length)
  }

  // MARK: Shells

  /// Refuses a placeholder in the script of a shell: it would read the value as a part of the
  /// script.
  private func checkScripts() throws(Fault) {
    let plain = words.map { parts -> String? in
      if parts.count == 1, case .text(let text) = parts[0] { text } else { nil }
    }
    for (index, word) in plain.enumerated().dropLast(2) {
      guard let word, let options = plain[index + 1],
        Self.shells.contains(String(word.split(separator: "/").last ?? "")),
        options.hasPrefix("-"), options.hasSuffix("c"), plain[index + 2] == nil
      else { continue }
      throw Fault(
        reason:
          "the script after \(word) \(options) has a placeholder, and the shell would read the value as "
          + "part of the script; give it as an argument: "
          + "\(word) \(options) '... \"$1\"' sh {}",
        isOfScript: true)
    }
  }

  private static let shells: Set<String> = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"]

  /// The words that run a script: each placeholder is an argument of the shell, and the script has
  /// the parameter in its place, in quotes that fit where it stands.
  private static func shellWords(_ text: String) throws(Fault) -> [[Part]] {
    var parts = parts(of: text[...])
    if !parts.contains(where: \.isPlaceholder) {
      parts += [.text(" "), .placeholder(.value(list: nil, .whole))]
    }
    var quotes = ShellQuotes()
    var script = ""
    var arguments: [Placeholder] = []
    for part in parts {
      switch part {
      case .text(let text):
        try quotes.read(text)
        script += text
      case .placeholder(let placeholder):
        if !arguments.contains(placeholder) { arguments.append(placeholder) }
        let number = (arguments.firstIndex(of: placeholder) ?? 0) + 1
        script += try quotes.quoted(parameter: number)
      }
    }
    return [[.text("sh")], [.text("-c")], [.text(script)], [.text("sh")]]
      + arguments.map { [.placeholder($0)] }
  }
}

extension Substring {
  /// Where a name's extension begins: at its last point, but not at its first character.
  fileprivate var endOfStem: Index {
    guard let point = lastIndex(of: "."), point != startIndex else { return endIndex }
    return point
  }
}

/// Follows which quotes are open in a script of a POSIX shell ("Shell Command Language", section
/// 2.2).
private struct ShellQuotes {
  private enum Context: Hashable {
    case plain, single, double, substitution, braces
  }

  private var open: [Context] = []
  private var isEscaped = false
  private var last: Character = " "
  private var hasHereDocument = false

  private var context: Context { open.last ?? .plain }

  /// - Throws: ``BatchTemplate/Fault`` for what cannot be followed.
  mutating func read(_ text: String) throws(BatchTemplate.Fault) {
    for character in text {
      defer { last = character }
      if isEscaped {
        isEscaped = false
        continue
      }
      switch (context, character) {
      case (.single, "'"): open.removeLast()
      case (.single, _): break
      case (_, "\\"): isEscaped = true
      case (_, "`"):
        throw BatchTemplate.Fault(reason: "the template has a backquote; write $(...) in its place")
      case (.double, "\""): open.removeLast()
      case (_, "\""): open.append(.double)
      case (.plain, "'"), (.substitution, "'"), (.braces, "'"): open.append(.single)
      case (_, "(") where last == "$": open.append(.substitution)
      case (.plain, "("), (.substitution, "("): open.append(.substitution)
      case (.substitution, ")"): open.removeLast()
      case (_, "{") where last == "$": open.append(.braces)
      case (.braces, "}"): open.removeLast()
      case (.plain, "<"), (.substitution, "<"): hasHereDocument = hasHereDocument || last == "<"
      case _: break
      }
    }
  }

  /// A parameter as it is written at this place to stand for one word, or for a part of one.
  mutating func quoted(parameter number: Int) throws(BatchTemplate.Fault) -> String {
    if hasHereDocument {
      throw BatchTemplate.Fault(
        reason: "the template has a placeholder after <<; write printf '%s' {} | ... in its place")
    }
    // What was escaped is the first character of the value, which needs no escape.
    if isEscaped {
      throw BatchTemplate.Fault(
        reason: "the template has a backslash before a placeholder; leave it out")
    }
    last = "}"
    switch context {
    case .single: return "'\"${\(number)}\"'"
    case .double: return "${\(number)}"
    case .plain, .substitution: return "\"${\(number)}\""
    case .braces:
      return open.contains(.double) ? "${\(number)}" : "\"${\(number)}\""
    }
  }
}
