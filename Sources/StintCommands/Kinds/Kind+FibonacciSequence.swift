import StintCore
import StintFibonacci
import StintRuntime

extension Kind {
  /// The numbers of Fibonacci of a range.
  static let fibonacciSequence = Kind(
    name: FibonacciSequence.kind, form: .fibonacci, option: KindForm.sequence.name,
    runner: .here(
      words: { parsed, _ in try FibonacciSequenceWork(parsed) },
      record: { record, _ in try FibonacciSequenceWork(record.parameters) })
  ) { parameters in
    "fibonacci \(parameters["from"] ?? "?")..\(parameters["to"] ?? "?")"
  }
}

/// F(i) for each i of a range, as `stint run fibonacci --sequence` computes them.
struct FibonacciSequenceWork: ComputedWork, Hashable {
  let range: FibonacciRange

  /// Reads and validates a command line.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    guard try FibonacciWork.number(parsed) == nil else {
      throw StintError(.usage, "Give either N or --sequence FROM..TO, not both.")
    }
    range = try parsed.naming("--sequence") {
      try FibonacciRange(text: parsed.text("sequence") ?? "")
    }
    if try parsed.choice("format", as: FibonacciFormat.self) ?? .decimal != .decimal {
      throw StintError(.usage, "--sequence writes decimal lines; leave --format out.")
    }
  }

  /// Reads the parameters of a job; nil if one is missing.
  ///
  /// - Throws: ``StintError`` with the code `usage` for numbers out of range.
  init?(_ parameters: [String: String]) throws {
    guard let first = parameters["from"], let last = parameters["to"] else { return nil }
    range = try FibonacciRange(text: "\(first)..\(last)")
  }

  func estimate(threads: Int) -> FibonacciEstimate { FibonacciEstimate(range) }

  func computation(threads: Int, deliver: @escaping ResultSink) -> FibonacciSequence {
    FibonacciSequence(range, deliver: deliver)
  }

  func run(_ options: RunOptions, _ launch: Launch) throws {
    if options.allowsStreaming, try OutputDestination(options.output).isStream {
      try OpenFiles.check()
      try SequenceStream(range: range, options: options).run()
    }
    try compute(options, launch)
  }
}

extension RunOptions {
  /// Whether nothing was asked for that needs a worker.
  fileprivate var allowsStreaming: Bool {
    time.isUnlimited && time.checkpointEvery == nil && !isDryRun && !isIsolated && !keep
      && !display.json && display.events == nil
  }
}
