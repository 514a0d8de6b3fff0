import StintCore
import StintFibonacci
import StintRuntime

extension Kind {
  /// One number of Fibonacci.
  static let fibonacci = Kind(
    name: FibonacciComputation.kind, form: .fibonacci,
    runner: .here(
      words: { parsed, _ in try FibonacciWork(parsed) },
      record: { record, _ in try FibonacciWork(record.parameters) })
  ) { parameters in
    let format = parameters["format"] ?? "decimal"
    return "fibonacci \(parameters["n"] ?? "?")" + (format == "decimal" ? "" : " \(format)")
  }
}

extension KindForm {
  static let sequence = OptionSpecification(
    "sequence", argument: "FROM..TO", group: .work,
    help: "Compute every number of a range instead of N, one line each: position and value")
  private static let format = OptionSpecification(
    "format", argument: "FORMAT", group: .output,
    help: "Form of the number: decimal, hex, raw, digits (default decimal)")

  /// `stint run fibonacci`, which the page of help on `run` explains.
  static let fibonacci = KindForm(
    run: "fibonacci", operands: "N", page: "run",
    summary: "Run a computation; run it again to continue where it stopped",
    usage: ["run fibonacci N [OPTIONS]", "run fibonacci --sequence FROM..TO [OPTIONS]"],
    work: [sequence], output: [OptionTable.output, OptionTable.force, format],
    examples: [
      .init(command: "stint run fibonacci 1000", meaning: "F(1000) on standard output"),
      .init(
        command: "stint run fibonacci 100000000 --budget 10s --output f.txt",
        meaning: "runs for ten seconds; exits with 75 until the file is complete"),
      .init(
        command: "stint run fibonacci 100000000 --budget 10s --until-done -o f.txt",
        meaning: "the same in one process, budget after budget"),
    ])
}

/// One number, as `stint run fibonacci N` computes it.
struct FibonacciWork: ComputedWork, Hashable {
  let index: FibonacciIndex
  let format: FibonacciFormat

  /// Reads and validates a command line.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    guard let number = try Self.number(parsed) else {
      throw StintError(.usage, "N is missing; write, for example: stint run fibonacci 1000.")
    }
    index = try parsed.naming("N") { try FibonacciIndex(text: number) }
    format = try parsed.choice("format") ?? .decimal
  }

  /// Reads the parameters of a job; nil if one is missing.
  ///
  /// - Throws: ``StintError`` with the code `usage` for a number out of range.
  init?(_ parameters: [String: String]) throws {
    guard let n = parameters["n"],
      let format = parameters["format"].flatMap(FibonacciFormat.init(rawValue:))
    else { return nil }
    index = try FibonacciIndex(text: n)
    self.format = format
  }

  /// The operand after the word `fibonacci`; nil if there is none.
  static func number(_ parsed: ParsedOptions) throws(StintError) -> String? {
    let numbers = parsed.operands.dropFirst()
    if let extra = numbers.dropFirst().first {
      throw StintError(.usage, "\"\(extra.prefix(60))\" is one argument too many; N is one number.")
    }
    return numbers.first
  }

  var showsEnds: Bool { format == .decimal }

  func estimate(threads: Int) -> FibonacciEstimate {
    FibonacciEstimate(index, format: format, threads: threads)
  }

  func computation(
    threads: Int, deliver: @escaping ResultSink
  ) -> FibonacciComputation {
    FibonacciComputation(index, format: format, threads: threads, deliver: deliver)
  }

  func run(_ options: RunOptions, _ launch: Launch) throws {
    FibonacciMemory.prepare(index, format: format, threads: options.threadCount)
    try compute(options, launch)
  }
}

extension FibonacciEstimate: RunEstimate {}
