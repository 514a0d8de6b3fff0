import StintCore
import StintFibonacci
import StintRuntime

/// Makes jobs of the lines of a batch file; every line is understood before anything is started.
struct BatchReader {
  /// What became of a text.
  struct Reading: Sendable {
    /// The jobs in the order of the file.
    var jobs: [BatchJob] = []
    /// Sentences for the user that are no faults.
    var notices: [String] = []
  }

  let surroundings: Surroundings
  /// Whether results on standard output have nowhere to go.
  let needsOutput: Bool
  /// How long before its end a line is warned; nil without an end.
  var lead: Duration?

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - name: The file's name, for messages.
  /// - Returns: The jobs, each once.
  /// - Throws: ``StintError`` with the code `usage` that names every line that is wrong.
  func read(_ bytes: [UInt8], from name: String) throws(StintError) -> Reading {
    var text = BatchText(bytes)
    var reading = Reading()
    var firstLines: [String: Int] = [:]
    var outputs: [FilePath: Int] = [:]
    var repeated: [(line: Int, first: Int)] = []
    for line in text.lines {
      do throws(StintError) {
        let job = try job(of: line)
        if let first = firstLines[job.key] {
          repeated.append((line.number, first))
          continue
        }
        let results = job.outputPath.map { [$0] } ?? job.results
        for path in results {
          guard let other = outputs[path] else { continue }
          throw StintError(
            .usage, "\(path) is the result of line \(other) too; give each a file of its own.")
        }
        for path in results { outputs[path] = line.number }
        firstLines[job.key] = line.number
        reading.jobs.append(job)
      } catch {
        text.add(line.number, error.typed)
      }
    }
    if text.faultCount > 0 { throw Self.refusal(text, name) }
    reading.notices = Self.notices(repeated)
    return reading
  }

  // MARK: One line

  private func job(of line: BatchText.Line) throws(StintError) -> BatchJob {
    var words = line.words[...]
    // A line copied from a shell's history.
    if words.first == "stint", words.count > 1 { words = words.dropFirst() }
    if words.first == "run", words.count > 1 { words = words.dropFirst() }
    let first = words.first ?? ""
    switch first {
    case "fibonacci": return try fibonacci(Array(words), line.number)
    case "image": return try image(Array(words), line.number)
    case "exec": return try command(Array(words.dropFirst()), line.number)
    case _:
      let advice = NearestName.find(first, among: Self.kinds).map { " Did you mean \($0)?" } ?? ""
      throw StintError(
        .usage,
        "\"\(first.prefix(60))\" is no work of a batch; \(Self.kinds.joined(separator: ", ")) are.\(advice)"
      )
    }
  }

  private static let kinds = ["fibonacci", "image", "exec"]

  /// What a line must not say, because the batch decides it for all lines.
  private static let shared = [
    "budget", "until", "lead", "stop-grace", "until-done", "rest", "policy", "jobs-dir",
    "unfinished-exit-code", "dry-run",
  ]

  private func fibonacci(_ words: [String], _ number: Int) throws(StintError) -> BatchJob {
    do {
      let parsed = try OptionScanner.scan(words, options: VerbTable.run.options)
      try Self.refuseShared(VerbTable.run.options.map(\.name).filter(parsed.has))
      let options = try RunOptions(parsed, in: surroundings)
      let work = try FibonacciWork(parsed)
      let output = try OutputDestination(options.output).path
      if needsOutput, options.output == nil {
        throw StintError(
          .usage, "--json needs --output in the line; standard output carries the JSON.")
      }
      return BatchJob(
        number: number, verb: .run, words: words,
        key: Self.key(of: work, outputPath: output), outputPath: output,
        gives: Set(VerbTable.run.options.map(\.name).filter(parsed.has)))
    } catch {
      throw StintError(wrapping: error, while: "reading the line")
    }
  }

  private static func key(of work: FibonacciWork, outputPath: FilePath?) -> String {
    switch work.computation {
    case .fibonacci(let index):
      let computation = FibonacciComputation(index, format: work.format) { _, _ in }
      return JobKey(
        kind: FibonacciComputation.kind, parameters: computation.parameters, outputPath: outputPath
      ).description
    case .fibonacciSequence(let range):
      let computation = FibonacciSequence(range) { _, _ in }
      return JobKey(
        kind: FibonacciSequence.kind, parameters: computation.parameters, outputPath: outputPath
      ).description
    }
  }

  private func command(_ words: [String], _ number: Int) throws(StintError) -> BatchJob {
    do {
      let verb = VerbTable.exec
      let parsed = try OptionScanner.scan(words, options: verb.options, stopsAtOperand: true)
      let gives = verb.options.map(\.name).filter(parsed.has)
      try Self.refuseShared(gives)
      guard let first = parsed.operands.first else {
        throw StintError(.usage, "The command is missing; write, for example: exec -- make all.")
      }
      if let name = gives.first(where: Self.notInBatch.contains) {
        throw StintError(.usage, "--\(name) has no meaning in a batch; leave it out.")
      }
      if TimeoutDuration(first) != nil {
        throw StintError(
          .usage,
          "\(first.prefix(60)) is a duration, and time is for all lines of a batch; leave it out, or write "
            + "exec -- timeout \(first.prefix(60)) COMMAND.")
      }
      // As it will be run, so that its own numbers are held against the batch's.
      var time: [String] = []
      if let lead {
        time = [
          "--budget", "\((lead * 4 + .seconds(1)).nanoseconds)ns", "--lead",
          "\(lead.nanoseconds)ns",
        ]
      }
      let timed = time + words
      _ = try ExecOptions(
        OptionScanner.scan(timed, options: verb.options, stopsAtOperand: true),
        words: timed.map { Array($0.utf8) }, in: surroundings)
      return BatchJob(
        number: number, verb: .exec, words: words, key: key("exec", words), gives: Set(gives))
    } catch {
      throw StintError(wrapping: error, while: "reading the line")
    }
  }

  /// What makes sense for one command with a terminal and a budget of its own.
  private static let notInBatch = ["suspend", "foreground", "help"]

  static func refuseShared(_ given: [String]) throws(StintError) {
    guard let name = given.first(where: shared.contains) else { return }
    throw StintError(
      .usage, "--\(name) is for all lines of a batch; give it to stint batch and not to a line.")
  }

  func key(_ kind: String, _ words: [String]) -> String {
    var parameters = ["directory": surroundings.workingDirectory]
    for (index, word) in words.enumerated() { parameters["word \(index)"] = word }
    return JobKey(kind: kind, parameters: JobParameters(parameters), outputPath: nil).description
  }

  // MARK: Sentences

  private static func refusal(_ text: BatchText, _ name: String) -> StintError {
    let more = text.faultCount - text.faults.count
    let list = text.faults.map { "\n  " + Sentence.of($0.description) }.joined()
    return StintError(
      .usage,
      "\(name) has \(text.faultCount) line\(text.faultCount == 1 ? "" : "s") that cannot be run, so "
        + "nothing was started:\(list)" + (more > 0 ? "\n  And \(more) more." : ""))
  }

  private static func notices(_ repeated: [(line: Int, first: Int)]) -> [String] {
    let shown = repeated.prefix(5).map {
      "Line \($0.line) is the same job as line \($0.first), and runs once."
    }
    let more = repeated.count - shown.count
    return shown + (more > 0 ? ["\(more) more lines are jobs of earlier ones."] : [])
  }
}
