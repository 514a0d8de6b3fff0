/// Reads the text of a batch file: one job a line, blank lines and comments between them.
///
/// The text comes in pieces, so that no more than a line of it is kept. All faults of a text are
/// found before any job is started, each with its line.
package struct BatchText: Hashable, Sendable {
  /// How a line is read.
  package enum Form: Hashable, Sendable {
    /// As the words of a command line.
    case words
    /// As a script of a shell, which is one word.
    case script
  }

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
    package static let fileBytes = 256 << 20
    /// The most bytes of a line.
    package static let lineBytes = 1 << 20
    /// The most jobs of a file.
    package static let jobs = 1_000_000
    /// The most faults that are told.
    package static let faults = 20
  }

  /// What is wrong; with any fault nothing should be started.
  package private(set) var faults: [Fault] = []
  /// How many faults there are, told or not.
  package private(set) var faultCount = 0
  /// Whether the text has more than it may have, so that the rest need not be read.
  package private(set) var isTooMuch = false

  private let form: Form
  /// The beginning of a line whose end has not come yet.
  private var begun: [UInt8] = []
  /// How many bytes of that line were left out, because there are too many.
  private var leftOut = 0
  private var number = 0
  private var byteCount = 0
  private var jobCount = 0

  package init(form: Form = .words) {
    self.form = form
  }

  /// Reads the next piece of the text; a byte order mark and carriage returns before newlines are
  /// passed over.
  ///
  /// - Returns: The jobs whose lines end in it.
  package mutating func read(_ piece: ArraySlice<UInt8>) -> [Line] {
    var lines: [Line] = []
    var rest = piece
    byteCount += piece.count
    if byteCount > Limits.fileBytes, !isTooMuch {
      isTooMuch = true
      add(nil, "the text has more than \(Limits.fileBytes) bytes; split it")
    }
    while !isTooMuch, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      keep(rest[..<end])
      rest = rest[(end + 1)...]
      if let line = takeLine() { lines.append(line) }
    }
    if !isTooMuch { keep(rest) }
    return lines
  }

  /// The job of the last line, if it has no newline at its end.
  package mutating func finish() -> Line? {
    begun.isEmpty && leftOut == 0 || isTooMuch ? nil : takeLine()
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    // A carriage return or a byte order mark is no part of the line.
    let kept = bytes.prefix(Limits.lineBytes + 4 - begun.count)
    begun += kept
    leftOut += bytes.count - kept.count
  }

  private mutating func takeLine() -> Line? {
    number += 1
    defer {
      begun.removeAll(keepingCapacity: true)
      leftOut = 0
    }
    var line = begun[...]
    if number == 1, line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    let size = line.count + leftOut
    guard size <= Limits.lineBytes else {
      add(number, "it has \(size) bytes, and the most is \(Limits.lineBytes)")
      return nil
    }
    guard let words = words(of: line), !words.isEmpty else { return nil }
    jobCount += 1
    guard jobCount <= Limits.jobs else {
      isTooMuch = true
      add(number, "there are more than \(Limits.jobs) jobs; split the file")
      return nil
    }
    return Line(number: number, words: words)
  }

  private mutating func words(of line: ArraySlice<UInt8>) -> [String]? {
    if line.contains(0) {
      add(number, "it contains a NUL byte, which no program can be given")
      return nil
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      add(number, "it is not UTF-8")
      return nil
    }
    if form == .script {
      let first = text.first { $0 != " " && $0 != "\t" }
      return first == nil || first == "#" ? [] : [text]
    }
    do throws(BatchWords.Fault) {
      return try BatchWords.split(text[...])
    } catch {
      add(number, "column \(error.column): \(error.reason)")
      return nil
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
