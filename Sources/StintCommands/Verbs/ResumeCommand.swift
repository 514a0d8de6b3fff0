import Glibc
import Stint
import StintCore
import StintFibonacci

/// `stint resume JOB`: continues a process that is stopped or waits, or runs the job again from what its directory says.
struct ResumeCommand {
  /// What is to be done.
  enum Step {
    /// A process goes on; this is all.
    case done(VerbResult)
    /// The job has to be run by this process.
    case run(RunOptions)
  }

  let context: VerbContext

  func next() throws -> Step {
    let key = try context.key()
    let view = context.view(of: key)
    guard !view.summary.isRunning else { return .done(try goOn(view)) }
    if let problem = view.summary.problem {
      let isForeign = view.state == .foreign
      throw StintError(isForeign ? .unavailable : .damaged, "\(key) cannot go on: \(problem).")
    }
    guard let record = view.summary.record else {
      throw StintError(.damaged, "\(key) has no job.json; run it again by its command line.")
    }
    // This is the wish that ends a pause, whoever obeyed it last.
    if view.summary.markers.contains(.pause) {
      try context.catalog.set(.pause, to: false, for: key)
    }
    return .run(try RunOptions(resuming: record, context.parsed, in: context.surroundings))
  }

  private func goOn(_ view: JobView) throws -> VerbResult {
    let isAsked = view.summary.markers.contains(.pause)
    // Before the process is continued, so that it finds nothing to obey.
    if isAsked { try context.catalog.set(.pause, to: false, for: view.key) }
    if !view.isStopped, isAsked { return leftFile(view) }
    let process = try context.process(of: view)
    guard process.isStopped else {
      throw StintError(
        .busy,
        "Process \(process.pid) works on \(view.key) and is not paused; stint watch "
          + "\(view.key) follows it.")
    }
    try process.send(SIGCONT)
    switch process.wait(atMost: PauseCommand.patience, until: { !process.isStopped }) {
    case .met, .ended:
      return VerbResult(output: "Process \(process.pid) goes on with \(view.key).\n")
    case .timedOut:
      throw StintError(
        .unavailable,
        "Process \(process.pid) was continued and is stopped all the same; "
          + "something else stops it.")
    }
  }

  /// The pause file is gone, and its worker sees that within a second or two.
  private func leftFile(_ view: JobView) -> VerbResult {
    let who = view.summary.holder.map { " (\($0.text(seenBy: context.identity)))" } ?? ""
    return VerbResult(output: "The process that holds \(view.key)\(who) goes on.\n")
  }
}

extension RunOptions {
  /// The command line that a job was made by, with the time options of another one.
  ///
  /// - Parameters:
  ///   - record: What the job is.
  ///   - parsed: The command line of `resume`.
  ///   - surroundings: Environment, directory and wall clock.
  /// - Throws: ``StintError``: `usage`, or `damaged` if the record is of no computation that this program knows.
  init(resuming record: JobRecord, _ parsed: ParsedOptions, in surroundings: Surroundings) throws {
    (computation, format) = try Self.work(of: record)
    output = record.outputPath
    time = try TimeOptions(parsed, wallTime: surroundings.wallTime)
    threads = try parsed.integer("threads", in: 1...1024)
    isIsolated = false
    isDryRun = false
    force = false
    fresh = false
    keep = parsed.has("keep")
    display = try DisplayOptions(parsed)
    jobsDirectory = try JobsDirectory.path(
      parsed, environment: surroundings.environment,
      workingDirectory: surroundings.workingDirectory)
    unfinishedExitCode = Int32(try parsed.integer("unfinished-exit-code", in: 1...125) ?? 75)
  }

  private static func work(of record: JobRecord) throws -> (Computation, FibonacciFormat) {
    let values = record.parameters
    switch record.kind {
    case FibonacciComputation.kind:
      if let n = values["n"], let format = values["format"].flatMap(FibonacciFormat.init(rawValue:))
      {
        return (.fibonacci(try FibonacciIndex(text: n)), format)
      }
    case FibonacciSequence.kind:
      if let first = values["from"], let last = values["to"] {
        return (.fibonacciSequence(try FibonacciRange(text: "\(first)..\(last)")), .decimal)
      }
    case ExecJob.kind:
      throw StintError(
        .usage,
        "\(record.key) is a command; run it again as it was run: stint exec ... -- "
          + "\(values["command"] ?? "COMMAND").")
    case BatchDirectory.kind:
      throw StintError(
        .usage,
        "\(record.key) is a batch; run it again where it was run: cd \(values["directory"] ?? "/") && stint batch "
          + "\(values["file"] ?? "FILE").")
    case _:
      break
    }
    throw StintError(
      .damaged,
      "\(record.key) is of the kind \(record.kind) with parameters that this program cannot run.")
  }
}
