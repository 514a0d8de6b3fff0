import StintCore
import StintRuntime

/// The lines of an array of chains: each of them is the command line of a chain.
///
/// A line is what follows `stint submit` for that chain: the words of the work, or options and then
/// the words after two hyphens. Blank lines and comments count for nothing.
struct ChainLines: Sendable {
  /// The most bytes of a file, and lines in it.
  static let mostBytes = 256 << 20
  static let most = 1_000_000

  /// One line.
  struct Line: Hashable, Sendable {
    /// Its number in the file, from 1.
    let number: Int
    let text: String
  }

  /// The options that a line can have: they add to those of all lines, or replace them.
  static let options = [
    OptionTable.slurmTime, OptionTable.links, OptionTable.sbatch, OptionTable.slurmName,
  ]

  let lines: [Line]

  /// Reads a file.
  ///
  /// - Throws: ``StintError`` with the code `usage` if it has no lines or too many.
  init(_ bytes: [UInt8], of name: String) throws(StintError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StintError(.usage, "The file \(name) is not UTF-8, which Stint needs.")
    }
    var lines: [Line] = []
    // Not by characters: a return and a newline are one of them.
    let all = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in all.enumerated() {
      let line = Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
      let start = line.drop { $0 == " " || $0 == "\t" }
      if start.isEmpty || start.first == "#" { continue }
      lines.append(Line(number: index + 1, text: String(line)))
    }
    guard !lines.isEmpty else {
      throw StintError(.usage, "The file \(name) has no lines with work in it.")
    }
    guard lines.count <= Self.most else {
      throw StintError(
        .usage, "The file \(name) has \(lines.count) lines; the most is \(Self.most).")
    }
    self.lines = lines
  }

  /// The chain of a line, with what all lines have in common.
  ///
  /// - Parameters:
  ///   - place: Which line, from 1.
  ///   - common: The record of the array.
  /// - Returns: Its record before it is submitted.
  /// - Throws: ``StintError`` with the code `usage` that names the line.
  func chain(at place: Int, of common: ChainRecord) throws -> ChainRecord {
    let line = lines[place - 1]
    do {
      var words = try SbatchWords.split(line.text, of: "The line")
      var record = common
      (record.members, record.unfinished, record.followers) = (nil, [], ChainFollowers())
      record.place = place
      if words.first?.hasPrefix("-") ?? false {
        let parsed = try OptionScanner.scan(words, options: Self.options, stopsAtOperand: true)
        record.options += try ChainOptions.words(parsed)
        record.links = try ChainOptions.links(parsed) ?? record.links
        words = parsed.operands
      }
      if words.first == "stint" { words.removeFirst() }
      guard let verb = words.first, ["run", "exec"].contains(verb) else {
        throw StintError(
          .usage,
          "it is to be the words after stint submit: run or exec with their words, or options, two hyphens and "
            + "then these")
      }
      record.words = words
      return record
    } catch let error as StintError {
      throw error.about("line \(line.number)")
    }
  }
}
