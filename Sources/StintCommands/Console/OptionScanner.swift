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
  ///   - checksOperands: Whether an operand that is not UTF-8 is refused; the words of a command
  ///     are its own in any case.
  ///   - environment: For options that a variable can give.
  /// - Returns: What was given; nothing of it is validated beyond its form.
  /// - Throws: ``StintError`` with the code `usage`.
  package static func scan(
    _ words: [String], options: [OptionSpecification], stopsAtOperand: Bool = false,
    checksOperands: Bool = true, environment: [String: String] = [:]
  ) throws -> ParsedOptions {
    for word in words where word.utf8.contains(0) {
      throw StintError(.usage, "An argument contains a NUL byte, which no program can be given.")
    }
    // The hits point into these copies.
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
    var parsed = ParsedOptions(specifications: options, environment: environment)
    for hit in hits.prefix(Int(count)) {
      if Int(hit.kind) == STINT_OPTION_OPERAND {
        let text = hit.text.map { String(cString: $0) } ?? ""
        if !stopsAtOperand, checksOperands { try checkText(text, of: "The argument") }
        parsed.operands.append(text)
      } else {
        try note(hit, options, in: &parsed)
      }
    }
    return parsed
  }

  /// Takes up an option, or refuses what is none.
  private static func note(
    _ hit: stint_option_hit, _ options: [OptionSpecification], in parsed: inout ParsedOptions
  ) throws {
    let word = hit.word.map { String(cString: $0) } ?? ""
    switch Int(hit.kind) {
    case STINT_OPTION_FOUND:
      let option = options[Int(hit.option)]
      let text = hit.text.map { String(cString: $0) }
      if let text { try checkText(text, of: option.spelling) }
      try parsed.note(option, text: text)
    case STINT_OPTION_ARGUMENT_MISSING:
      let option = options[Int(hit.option)]
      throw StintError(.usage, "\(word) needs an argument: write \(option.usage).")
    case STINT_OPTION_ARGUMENT_REFUSED:
      throw StintError(
        .usage,
        "\(options[Int(hit.option)].spelling) takes no argument; \"\(word)\" gives it one.")
    default:
      let letter = hit.letter == 0 ? nil : Character(Unicode.Scalar(UInt8(hit.letter & 0x7f)))
      throw unknown(word, letter: letter, options: options)
    }
  }

  /// Refuses what was no text: bytes that are not UTF-8 have become U+FFFD, and name another file.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  static func checkText(_ text: String, of what: String) throws {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return }
    throw StintError(
      .usage, "\(what) \"\(text.prefix(60))\" is not UTF-8, which Stint needs.")
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
}
