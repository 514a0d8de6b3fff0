import StintCore
import StintRuntime

/// A validated `stint batch`.
struct BatchOptions: Sendable {
  /// The file of the lines; nil is standard input.
  var file: String?
  /// What tells two batches of one file or of standard input apart.
  var name: String?
  /// How many lines run at a time; nil is as many as there are processors.
  var places: Int?
  /// Which part of the lines to run; nil is all of them.
  var shard: Shard?
  /// How many threads a line may use; nil divides the processors.
  var threads: Int?
  var time: TimeOptions
  /// Start over, including finished lines.
  var fresh: Bool
  /// A file that gets a JSON line for each end of a line.
  var jobLog: String?
  var display: DisplayOptions
  var jobsDirectory: String
  /// The exit status that says "run me again".
  var unfinishedExitCode: Int32

  /// Reads and validates the command line of `batch`.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions, in surroundings: Surroundings) throws {
    file = parsed.operands.first.flatMap { $0 == "-" ? nil : $0 }
    name = parsed.text("name")
    shard = try parsed.shard("shard")
    places = try parsed.integer("jobs", in: 1...256)
    threads = try parsed.integer("threads", in: 1...1024)
    time = try TimeOptions(parsed, in: surroundings)
    fresh = parsed.has("fresh")
    jobLog = parsed.text("joblog")
    if jobLog == "-" {
      throw StintError(
        .usage, "--joblog needs a file; --json writes the same lines to standard output.")
    }
    display = try DisplayOptions(parsed)
    jobsDirectory = try JobsDirectory.path(parsed, in: surroundings)
    unfinishedExitCode = Int32(try parsed.integer("unfinished-exit-code", in: 1...125) ?? 75)
  }
}
