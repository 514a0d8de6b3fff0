import Glibc
import StintCore
import StintRuntime

/// Where the values of a template come from, as it stands on the command line.
struct BatchLists: Hashable, Sendable {
  /// The words that begin a list, as GNU parallel has them.
  enum Beginning: String {
    case values = ":::"
    case files = "::::"
    /// The list belongs to the one before, value by value.
    case linkedValues = ":::+"
    case linkedFiles = "::::+"
  }

  private enum List: Hashable {
    case values([String])
    /// A file with one value a line, or with NUL between them; `-` is standard input.
    case file(String)
  }

  private var lists: [(list: List, isLinked: Bool)] = []

  static func == (one: Self, other: Self) -> Bool {
    one.lists.elementsEqual(other.lists) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    for list in lists { hasher.combine(list.list) }
  }

  var isEmpty: Bool { lists.isEmpty }

  /// How many lists there are.
  var count: Int { lists.count }

  var readsStandardInput: Bool { lists.contains { $0.list == .file("-") } }

  /// Reads the lists of a command line: the operand of a template and `--files-from`, then what
  /// stands behind the first `:::`.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws(StintError) {
    if parsed.has("template"), let file = parsed.operands.first {
      lists.append((.file(file), false))
    }
    if let file = parsed.text("files-from") { lists.append((.file(file), false)) }
    var rest = parsed.lists[...]
    while let word = rest.popFirst(), let beginning = Beginning(rawValue: word) {
      let values = Array(rest.prefix { Beginning(rawValue: $0) == nil })
      rest = rest.dropFirst(values.count)
      let isLinked = [.linkedValues, .linkedFiles].contains(beginning)
      if isLinked, lists.isEmpty {
        throw StintError(.usage, "\(word) belongs to a list before it, and there is none.")
      }
      switch beginning {
      case .values, .linkedValues:
        lists.append((.values(values), isLinked))
      case .files, .linkedFiles:
        guard !values.isEmpty else {
          throw StintError(.usage, "A file is missing behind \(word).")
        }
        for file in values { lists.append((.file(file), isLinked)) }
      }
    }
    if lists.count(where: { $0.list == .file("-") }) > 1 {
      throw StintError(.usage, "Standard input can be one list only.")
    }
  }

  /// The values, as far as the files can be read.
  ///
  /// - Throws: ``StintError``: `io`, or `usage` for what is no text.
  func values() throws(StintError) -> BatchValues {
    var values = BatchValues()
    for (list, isLinked) in lists {
      switch list {
      case .values(let texts): values.add(PackedTexts(texts), isLinked: isLinked)
      case .file(let path): values.add(try Self.texts(in: path), isLinked: isLinked)
      }
    }
    return values
  }

  private static func texts(in path: String) throws(StintError) -> PackedTexts {
    let source = try BatchSource(file: path == "-" ? nil : path)
    let bytes = try source.read()
    guard bytes.count <= BatchText.Limits.fileBytes else {
      throw StintError(
        .usage, "\(source.name) has more than \(BatchText.Limits.fileBytes) bytes; split it.")
    }
    let separator = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
    var texts = PackedTexts()
    var rest = bytes[...]
    while !rest.isEmpty {
      let value = rest.prefix { $0 != separator }
      rest = rest[value.endIndex...].dropFirst()
      guard let text = String(validating: value, as: UTF8.self) else {
        throw StintError(
          .usage, "\(source.name): value \(texts.count + 1) is not UTF-8, which Stint needs.")
      }
      texts.append(text)
    }
    return texts
  }
}
