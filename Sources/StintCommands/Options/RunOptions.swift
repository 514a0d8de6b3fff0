import StintCore
package import StintFibonacci

/// A validated `stint run`.
package struct RunOptions: Hashable, Sendable {
  /// What to compute.
  package enum Computation: Hashable, Sendable {
    /// F(n).
    case fibonacci(FibonacciIndex)
    /// F(i) for each i of a range, one line each.
    case fibonacciSequence(FibonacciRange)
  }

  package var computation: Computation
  package var format: FibonacciFormat
  /// Where the result goes; nil is standard output.
  package var output: String?
  package var time: TimeOptions
  /// How many threads a chunk may use; nil is what affinity and quota allow.
  package var threads: Int?
  /// Work in a child process of a supervisor.
  package var isIsolated: Bool
  /// Say what it would take and stop.
  package var isDryRun: Bool
  /// Replace an output file that is not this job's.
  package var force: Bool
  /// Start over although the job has checkpoints.
  package var fresh: Bool
  /// Keep the checkpoints of the finished job.
  package var keep: Bool
  package var display: DisplayOptions
  package var jobsDirectory: String
  /// The exit status that says "run me again".
  package var unfinishedExitCode: Int32

  /// Reads and validates the command line of `run`.
  ///
  /// - Parameters:
  ///   - parsed: The command line.
  ///   - surroundings: Environment, directory and wall clock.
  /// - Throws: ``StintError`` with the code `usage`.
  package init(_ parsed: ParsedOptions, in surroundings: Surroundings) throws {
    computation = try Self.computation(parsed)
    format = try parsed.choice("format") ?? .decimal
    // A hyphen is standard output by custom.
    output = parsed.text("output").flatMap { $0 == "-" ? nil : $0 }
    time = try TimeOptions(parsed, wallTime: surroundings.wallTime)
    threads = try parsed.integer("threads", in: 1...1024)
    isIsolated = parsed.has("isolated")
    isDryRun = parsed.has("dry-run")
    force = parsed.has("force")
    fresh = parsed.has("fresh")
    keep = parsed.has("keep")
    display = try DisplayOptions(parsed)
    jobsDirectory = try JobsDirectory.path(
      parsed, environment: surroundings.environment,
      workingDirectory: surroundings.workingDirectory)
    // Above 125 a shell means something else: 126 and 127 its own errors, then signals.
    unfinishedExitCode = Int32(try parsed.integer("unfinished-exit-code", in: 1...125) ?? 75)
    if case .fibonacciSequence = computation, parsed.has("format"), format != .decimal {
      throw StintError(.usage, "--sequence writes decimal lines; leave --format out.")
    }
  }

  private static func computation(_ parsed: ParsedOptions) throws -> Computation {
    guard let kind = parsed.operands.first else {
      throw StintError(.usage, "Say what to compute, for example: stint run fibonacci 1000.")
    }
    guard kind == "fibonacci" else {
      let advice = NearestName.find(kind, among: ["fibonacci"]).map { " Did you mean \($0)?" } ?? ""
      throw StintError(
        .usage, "\"\(kind.prefix(60))\" is not a computation; fibonacci is.\(advice)")
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
      throw StintError(error.code, "\(name): \(error.message)", errno: error.errno)
    }
  }
}

/// What a command line is read in: nothing of it is asked from the process inside the parser.
package struct Surroundings: Sendable {
  package var environment: [String: String]
  package var workingDirectory: String
  package var wallTime: WallTime

  package init(environment: [String: String], workingDirectory: String, wallTime: WallTime) {
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.wallTime = wallTime
  }
}
