import CStint
import Glibc
import StintCore

/// Splits a command line into options and operands by `getopt_long`.
package enum OptionScanner {
  /// Reads the words of a command line.
  ///
  /// - Parameters:
  ///   - words: The words after the verb.
  ///   - options: The verb's options.
  ///   - stopsAtOperand: Whether the first operand ends the options, for a verb that runs a
  ///     command.
  ///   - environment: For options that a variable can give.
  /// - Returns: What was given; nothing of it is validated beyond its form.
  /// - Throws: ``StintError`` with the code `usage`.
  package static func scan(
    _ words: [String], options: [OptionSpecification], stopsAtOperand: Bool = false,
    environment: [String: String] = [:]
  ) throws -> ParsedOptions {
    for word in words where word.utf8.contains(0) {
      throw StintError(.usage, "An argument contains a NUL byte, which no program can be given.")
    }
    var parsed = ParsedOptions(specifications: options, environment: environment)
    for hit in try rawHits(words, options: options, stopsAtOperand: stopsAtOperand) {
      switch hit {
      case .operand(let text):
        // The words of a command are its own, and are handed on byte by byte.
        if !stopsAtOperand { try checkText(text, of: "The argument") }
        parsed.operands.append(text)
      case .found(let index, let text):
        if let text { try checkText(text, of: options[index].spelling) }
        try parsed.note(options[index], text: text)
      case .argumentMissing(let index, let word):
        let option = options[index]
        throw StintError(
          .usage, "\(word) needs an argument: write \(option.spelling) \(option.argument ?? "").")
      case .argumentRefused(let index, let word):
        throw StintError(
          .usage, "\(options[index].spelling) takes no argument; \"\(word)\" gives it one.")
      case .unknown(let word, let letter):
        throw unknown(word, letter: letter, options: options)
      }
    }
    return parsed
  }

  /// Refuses what was no text: bytes that are not UTF-8 have become U+FFFD, and name another file.
  private static func checkText(_ text: String, of what: String) throws {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return }
    throw StintError(
      .usage, "\(what) \"\(text.prefix(60))\" is not UTF-8, which Stint needs.")
  }

  private enum Hit {
    case found(Int, text: String?)
    case operand(String)
    case argumentMissing(Int, word: String)
    case argumentRefused(Int, word: String)
    case unknown(word: String, letter: Character?)
  }

  private static func unknown(
    _ word: String, letter: Character?, options: [OptionSpecification]
  ) -> StintError {
    if let letter {
      if letter.isNumber, word.dropFirst().first?.isNumber == true {
        return StintError(.usage, "\(word) is negative; nothing here can be less than zero.")
      }
      return StintError(.usage, "Unknown option -\(letter) in \"\(word)\"; see --help.")
    }
    let name = String(word.dropFirst(2).prefix { $0 != "=" })
    let candidates = options.map(\.name).filter { $0.hasPrefix(name) }
    if candidates.count > 1 {
      let list = candidates.map { "--" + $0 }.joined(separator: ", ")
      return StintError(.usage, "--\(name) is ambiguous; it could be \(list).")
    }
    let advice =
      NearestName.find(name, among: options.map(\.name))
      .map { "did you mean --\($0)?" } ?? "see --help."
    return StintError(.usage, "Unknown option --\(name); \(advice)")
  }

  private static func rawHits(
    _ words: [String], options: [OptionSpecification], stopsAtOperand: Bool
  ) throws -> [Hit] {
    // The scanner keeps pointers into these copies, so they live until the hits are read.
    var vector: [UnsafeMutablePointer<CChar>?] = (["stint"] + words).map { strdup($0) }
    vector.append(nil)
    let names = options.map { strdup($0.name) }
    defer { (vector + names).forEach { free($0) } }

    let table = zip(options, names).map { option, name in
      stint_option(
        name: UnsafePointer(name), letter: Int32(option.letter?.asciiValue ?? 0),
        takes_argument: option.argument == nil ? 0 : option.isArgumentOptional ? 2 : 1)
    }
    let capacity = words.reduce(1) { $0 + $1.utf8.count + 1 }
    var hits = [stint_option_hit](repeating: stint_option_hit(), count: capacity)
    let count = stint_scan_options(
      Int32(words.count + 1), &vector, table, Int32(table.count), stopsAtOperand ? 1 : 0, &hits,
      Int32(capacity))
    guard count >= 0 else {
      throw StintError(.usage, "The command line cannot be read.", errno: -count)
    }
    return upToFirstFault(hits.prefix(Int(count)))
  }

  /// The hits up to the first that is refused; no more are needed.
  ///
  /// A word of a thousand unknown letters would give a thousand hits, each with the whole word.
  private static func upToFirstFault(_ raw: ArraySlice<stint_option_hit>) -> [Hit] {
    var hits: [Hit] = []
    for raw in raw {
      hits.append(hit(raw))
      switch Int(raw.kind) {
      case STINT_OPTION_FOUND, STINT_OPTION_OPERAND: continue
      default: return hits
      }
    }
    return hits
  }

  private static func hit(_ raw: stint_option_hit) -> Hit {
    let word = raw.word.map { String(cString: $0) } ?? ""
    let text = raw.text.map { String(cString: $0) }
    switch Int(raw.kind) {
    case STINT_OPTION_FOUND: return .found(Int(raw.option), text: text)
    case STINT_OPTION_OPERAND: return .operand(text ?? "")
    case STINT_OPTION_ARGUMENT_MISSING: return .argumentMissing(Int(raw.option), word: word)
    case STINT_OPTION_ARGUMENT_REFUSED: return .argumentRefused(Int(raw.option), word: word)
    default:
      let letter = raw.letter == 0 ? nil : Character(Unicode.Scalar(UInt8(raw.letter & 0x7f)))
      return .unknown(word: word, letter: letter)
    }
  }
}
