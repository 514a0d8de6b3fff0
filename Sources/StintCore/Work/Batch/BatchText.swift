/// Reads the text of a batch file: one job a line, blank lines and comments between them.
///
/// All faults of a text are found before any job is started, each with its line.
package struct BatchText: Hashable, Sendable {
  /// A line that is a job.
  package struct Line: Hashable, Sendable {
    /// The line's number in the file, from 1.
    package var number: Int
    /// Its words, at least one.
    package var words: [String]
  }

  /// A line that cannot be read.
  package struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// The line's number in the file, from 1; nil for the file as a whole.
    package var line: Int?
    /// What is wrong, as a clause.
    package var reason: String

    package init(line: Int?, reason: String) {
      self.line = line
      self.reason = reason
    }

    /// The fault with its line.
    package var description: String { line.map { "line \($0): \(reason)" } ?? reason }
  }

  /// What a text may hold; more is refused rather than kept in memory.
  package enum Limits {
    /// The most bytes of a file.
    package static let fileBytes = 64 << 20
    /// The most bytes of a line: half of what the kernel takes for one argument.
    package static let lineBytes = 64 << 10
    /// The most jobs of a file.
    package static let jobs = 20_000
    /// The most faults that are told.
    package static let faults = 20
  }

  /// The jobs in the order of the file.
  package private(set) var lines: [Line] = []
  /// What is wrong; with any fault nothing should be started.
  package private(set) var faults: [Fault] = []
  /// How many faults there are, told or not.
  package private(set) var faultCount = 0

  /// Reads a text.
  ///
  /// - Parameter bytes: The whole file; a byte order mark and carriage returns before newlines are
  ///   passed over.
  package init(_ bytes: [UInt8]) {
    guard bytes.count <= Limits.fileBytes else {
      add(nil, "the text has \(bytes.count) bytes, and the most is \(Limits.fileBytes); split it")
      return
    }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    var rest = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    var number = 0
    while !rest.isEmpty {
      number += 1
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      read(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, number)
      guard lines.count <= Limits.jobs else {
        add(number, "there are more than \(Limits.jobs) jobs; split the file")
        return
      }
    }
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
    guard line.count <= Limits.lineBytes else {
      return add(number, "it has \(line.count) bytes, and the most is \(Limits.lineBytes)")
    }
    if line.contains(0) {
      return add(number, "it contains a NUL byte, which no program can be given")
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      return add(number, "it is not UTF-8")
    }
    do throws(BatchWords.Fault) {
      let words = try BatchWords.split(text[...])
      if !words.isEmpty { lines.append(Line(number: number, words: words)) }
    } catch {
      add(number, "column \(error.column): \(error.reason)")
    }
  }

  /// Notes a fault of a line, found here or by whoever reads the words.
  package mutating func add(_ line: Int?, _ reason: String) {
    faultCount += 1
    faults.append(Fault(line: line, reason: reason))
    faults.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    if faults.count > Limits.faults { faults.removeLast() }
  }
}
