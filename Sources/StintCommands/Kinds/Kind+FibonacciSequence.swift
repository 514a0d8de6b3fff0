import Glibc
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
      try stream(options)
    }
    try compute(options, launch)
  }

  /// Writes the lines into a pipe as they come, then ends the process.
  ///
  /// What a reader has taken cannot be taken back, so there is nothing to resume: a signal ends the
  /// process by its default action, and the next run begins with the first line.
  private func stream(_ options: RunOptions) throws -> Never {
    let computation = FibonacciSequence(range) { _, _ in }
    let stream = try OutputDestination(options.output).openStream()
    OutputFile.widen(stream)
    SignalWatch.unblock(SignalWatch.watched + SignalWatch.warnings)
    do {
      _ = try computation.stream(into: { try stream.writeStream($0) }, stop: StopFlag())
    } catch let error as StintError where error.errno == EPIPE {
      SignalWatch.die(of: SIGPIPE)
    }
    exit(ExitStatus.finished)
  }
}

extension RunOptions {
  /// Whether nothing was asked for that needs a worker.
  fileprivate var allowsStreaming: Bool {
    time.isUnlimited && time.checkpointEvery == nil && !isDryRun && !isIsolated && !keep
      && !display.json && display.events == nil
  }
}
