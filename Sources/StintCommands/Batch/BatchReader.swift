import StintCore
import StintRuntime

/// Makes jobs of the lines of a batch; every line is understood before anything is started.
struct BatchReader {
  struct Reading: Sendable {
    /// The jobs in the order of the file.
    var lines: BatchLines
    /// Sentences for the user that are no faults.
    var notices: [String] = []

    var jobs: [BatchJob] { lines.indices.compactMap { try? lines.job(of: $0) } }
  }

  let lines: LineReader
  /// Whether a shell runs each line.
  var isShell = false
  /// Whether lines that are the same job run as often as they are there.
  var keepsDuplicates = false

  /// Reads a text: its jobs, each once.
  ///
  /// - Throws: ``StintError``: `usage`, which names every line that is wrong, or `io` for an error
  ///   of the device.
  func read(_ bytes: [UInt8], from name: String) throws(StintError) -> Reading {
    try read(from: name) { (take) throws(StintError) in _ = try take(bytes[...]) }
  }

  /// Reads a text that comes in pieces, each of which is given to an argument of `pieces`, until
  /// that returns false.
  ///
  /// - Throws: As of ``read(_:from:)``.
  func read(
    from name: String,
    _ pieces: ((ArraySlice<UInt8>) throws(StintError) -> Bool) throws(StintError) -> Void
  ) throws(StintError) -> Reading {
    var text = BatchText(form: isShell ? .script : .words)
    var collection = Collection(reader: self, name: name)
    try pieces { (piece) throws(StintError) in
      for line in text.read(piece) {
        let words = isShell ? ["sh", "-c"] + line.words : line.words
        try collection.add(words, line.number, faults: &text)
      }
      return !text.isTooMuch
    }
    if let line = text.finish() {
      let words = isShell ? ["sh", "-c"] + line.words : line.words
      try collection.add(words, line.number, faults: &text)
    }
    return try collection.reading(text)
  }

  /// Fills a template with values: a line for each combination.
  ///
  /// - Throws: As of ``read(_:from:)``.
  func read(_ template: BatchTemplate, _ values: BatchValues) throws(StintError) -> Reading {
    var text = BatchText()
    guard values.count <= BatchText.Limits.jobs else {
      throw StintError(
        .usage,
        "The lists have more than \(BatchText.Limits.jobs) combinations; split them.")
    }
    var collection = Collection(reader: self, name: "the template")
    collection.lines.values = values
    for index in 0..<values.count {
      let words = template.words(values[index], number: index + 1)
      guard collection.lines.byteCount <= BatchText.Limits.fileBytes else {
        throw StintError(
          .usage, "The lines have more than \(BatchText.Limits.fileBytes) bytes; split the lists.")
      }
      try collection.add(words, index + 1, faults: &text)
    }
    return try collection.reading(text)
  }

  /// The lines that were understood so far.
  private struct Collection {
    let reader: BatchReader
    let name: String
    var lines: BatchLines
    private var outputs: [FilePath: Int] = [:]
    private var names: [String: (line: Int, job: BatchJob)] = [:]
    private var sets: [String: Int] = [:]
    private var repeated: [(line: Int, first: Int)] = []
    private var repeatedCount = 0
    private var copies: [String: Int] = [:]

    init(reader: BatchReader, name: String) {
      self.reader = reader
      self.name = name
      lines = BatchLines(reader: reader.lines)
    }

    mutating func add(
      _ words: [String], _ number: Int, faults text: inout BatchText
    ) throws(StintError) {
      do throws(StintError) {
        var job = try job(of: words)
        job.number = number
        if let name = job.name {
          if let other = names[name], !other.job.isSame(as: job) {
            throw StintError(
              .usage, "\(name) is the name of line \(other.line) too; give each job its own.")
          }
          names[name] = names[name] ?? (number, job)
        }
        if let first = lines.index(of: job.key) {
          guard reader.keepsDuplicates, job.outputPath == nil, job.results.isEmpty, job.set == nil
          else {
            repeatedCount += 1
            if repeated.count < 5 { repeated.append((number, lines.number(of: first))) }
            return
          }
          copies[job.key, default: 1] += 1
          job.key =
            reader.lines.keys("exec", [job.key, "\(copies[job.key] ?? 0)"], JobTerms())[0]
        }
        try checkResults(of: job)
        lines.append(job)
      } catch  where error.isOfTheDevice {
        // The line may be right, and the next try says so.
        throw error.about("line \(number) of \(name)")
      } catch {
        text.add(number, error.typed)
      }
    }

    private func job(of words: [String]) throws(StintError) -> BatchJob {
      do {
        return reader.isShell
          ? reader.lines.command(words) : try reader.lines.job(ofLine: words)
      } catch {
        throw StintError(wrapping: error, while: "reading the line")
      }
    }

    private mutating func checkResults(of job: BatchJob) throws(StintError) {
      let results = job.outputPath.map { [$0] } ?? job.results
      for path in results {
        guard let other = outputs[path] else { continue }
        throw StintError(
          .usage, "\(path) is the result of line \(other) too; give each a file of its own.")
      }
      if let set = job.set, let other = sets.updateValue(job.number, forKey: set) {
        throw StintError(
          .usage,
          "This line and line \(other) make one set of images, because folder, filters and format "
            + "are the same. Give all inputs in one line, or another folder.")
      }
      for path in results { outputs[path] = job.number }
    }

    func reading(_ text: BatchText) throws(StintError) -> Reading {
      if text.faultCount > 0 { throw BatchReader.refusal(text, name) }
      var notices = repeated.map {
        "Line \($0.line) is the same job as line \($0.first); it runs once."
      }
      let more = repeatedCount - repeated.count
      if more > 0 { notices.append("\(more) more lines repeat earlier ones.") }
      return Reading(lines: lines, notices: notices)
    }
  }

  private static func refusal(_ text: BatchText, _ name: String) -> StintError {
    let more = text.faultCount - text.faults.count
    let list = text.faults.map { "\n  " + Sentence.of($0.description) }.joined()
    return StintError(
      .usage,
      "\(name) has \(text.faultCount) line\(text.faultCount == 1 ? "" : "s") that cannot be run, so "
        + "nothing was started:\(list)" + (more > 0 ? "\n  And \(more) more." : ""))
  }
}
