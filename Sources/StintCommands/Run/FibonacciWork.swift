import StintCore
package import StintFibonacci
package import StintRuntime

/// What `stint run fibonacci` computes.
package struct FibonacciWork: Hashable, Sendable {
  /// What to compute.
  package enum Computation: Hashable, Sendable {
    /// F(n).
    case fibonacci(FibonacciIndex)
    /// F(i) for each i of a range, one line each.
    case fibonacciSequence(FibonacciRange)
  }

  package var computation: Computation
  package var format: FibonacciFormat

  /// Reads and validates the command line of `run`.
  ///
  /// - Parameter parsed: The command line.
  /// - Throws: ``StintError`` with the code `usage`.
  package init(_ parsed: ParsedOptions) throws {
    computation = try Self.computation(parsed)
    format = try parsed.choice("format") ?? .decimal
    if case .fibonacciSequence = computation, parsed.has("format"), format != .decimal {
      throw StintError(.usage, "--sequence writes decimal lines; leave --format out.")
    }
  }

  /// Reads what a job was made by.
  ///
  /// - Parameter record: What the job is.
  /// - Throws: ``StintError`` with the code `damaged` if the record is of no computation that this program knows.
  package init(_ record: JobRecord) throws {
    let values = record.parameters
    switch record.kind {
    case FibonacciComputation.kind:
      if let n = values["n"], let format = values["format"].flatMap(FibonacciFormat.init(rawValue:))
      {
        self.format = format
        computation = .fibonacci(try FibonacciIndex(text: n))
        return
      }
    case FibonacciSequence.kind:
      if let first = values["from"], let last = values["to"] {
        format = .decimal
        computation = .fibonacciSequence(try FibonacciRange(text: "\(first)..\(last)"))
        return
      }
    case ExecJob.kind:
      throw StintError(
        .usage,
        "\(record.key) is a command; run it again as it was run: stint exec ... -- "
          + "\(values["command"] ?? "COMMAND").")
    case BatchDirectory.kind:
      throw StintError(
        .usage,
        "\(record.key) is a batch; run it again where it was run: "
          + "cd \(values["directory"] ?? "/") && stint batch \(values["file"] ?? "FILE").")
    case _:
      break
    }
    throw StintError(
      .damaged,
      "\(record.key) is of the kind \(record.kind) with parameters that this program cannot run.")
  }

  private static func computation(_ parsed: ParsedOptions) throws -> Computation {
    guard let kind = parsed.operands.first else {
      throw StintError(.usage, "Say what to compute, for example: stint run fibonacci 1000.")
    }
    guard kind == "fibonacci" else {
      let advice =
        NearestName.find(kind, among: VerbTable.kinds).map { " Did you mean \($0)?" } ?? ""
      throw StintError(
        .usage, "\"\(kind.prefix(60))\" is not a computation; fibonacci and image are.\(advice)")
    }
    let numbers = parsed.operands.dropFirst()
    if let extra = numbers.dropFirst().first {
      throw StintError(.usage, "\"\(extra.prefix(60))\" is one argument too many; N is one number.")
    }
    switch (parsed.text("sequence"), numbers.first) {
    case (nil, let number?):
      return .fibonacci(try naming("N") { try FibonacciIndex(text: number) })
    case (let range?, nil):
      return .fibonacciSequence(try naming("--sequence") { try FibonacciRange(text: range) })
    case (nil, nil):
      throw StintError(.usage, "N is missing; write, for example: stint run fibonacci 1000.")
    case (_?, _?):
      throw StintError(.usage, "Give either N or --sequence FROM..TO, not both.")
    }
  }

  /// Puts the name of an option or operand before the sentence of the type that read its value.
  private static func naming<Value>(_ name: String, _ read: () throws -> Value) throws -> Value {
    do {
      return try read()
    } catch let error as StintError {
      throw error.about(name)
    }
  }
}
