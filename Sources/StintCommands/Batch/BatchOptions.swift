import Glibc
import StintCore
import StintRuntime

/// A validated `stint batch`.
struct BatchOptions: Sendable {
  /// The form of the records in the job log.
  enum JobLogFormat: String, CaseIterable {
    case json, parallel
  }

  /// The file of the lines, or of the values; nil is standard input, or no file with a template.
  var file: String?
  /// Whether lines or values come from standard input.
  var readsStandardInput: Bool
  /// What else is said of the job.
  var terms: JobTerms
  /// The jobs directory as it was given, if that was a relative path.
  var relativeJobsDirectory: String?
  /// The text of a template; nil if the lines are those of the file.
  var template: String?
  /// The lists of values of a template.
  var lists: BatchLists
  var isShell: Bool
  var keepsDuplicates: Bool
  /// How many lines run at a time; nil is as many as there are processors.
  var places: Int?
  /// Which part of the lines to run; nil is all of them.
  var shard: Shard?
  /// How many threads a line may use; nil divides the processors.
  var threads: Int?
  var time: TimeOptions
  /// How often a line that fails is run, and when the failures end the batch.
  var runs: Int
  var halt: BatchMachine.Halt?
  var pace: BatchPace
  /// The file that is each line's standard input.
  var standardInput: String
  /// Start over, including finished lines.
  var fresh: Bool
  var keepsOrder: Bool
  var isTagged: Bool
  /// A folder that keeps the output of each line; nil if there is none.
  var results: String?
  /// A file that gets a record for each end of a line.
  var jobLog: String?
  var jobLogFormat: JobLogFormat
  var display: DisplayOptions
  var jobsDirectory: String
  /// The exit status that says "run me again".
  var unfinishedExitCode: Int32

  /// Reads and validates the command line of `batch`.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions, in surroundings: Surroundings) throws {
    template = parsed.text("template")
    lists = try BatchLists(parsed)
    file = parsed.operands.first.flatMap { $0 == "-" ? nil : $0 }
    readsStandardInput = parsed.operands.first == "-" || lists.readsStandardInput
    try Self.checkSource(parsed, lists)
    isShell = parsed.has("shell")
    keepsDuplicates = parsed.has("keep-duplicates")
    shard = try parsed.shard("shard")
    places = try parsed.integer("jobs", in: 1...256)
    threads = try parsed.integer("threads", in: 1...1024)
    time = try TimeOptions(parsed, in: surroundings)
    runs = try parsed.integer("retries", in: 1...1000) ?? 1
    halt = try Self.halt(parsed)
    pace = try BatchPace(parsed, runs: runs)
    standardInput = parsed.text("stdin-from") ?? "/dev/null"
    if standardInput == "-" {
      throw StintError(.usage, "--stdin-from needs a file that each line reads from its beginning.")
    }
    fresh = parsed.has("fresh")
    keepsOrder = parsed.has("keep-order")
    isTagged = parsed.has("tag")
    results = parsed.text("results")
    jobLog = parsed.text("joblog")
    if jobLog == "-" {
      throw StintError(
        .usage, "--joblog needs a file; --json writes the same lines to standard output.")
    }
    jobLogFormat = try parsed.choice("joblog-format") ?? .json
    if parsed.has("joblog-format"), jobLog == nil {
      throw StintError(.usage, "--joblog-format is the form of --joblog; give that, too.")
    }
    display = try DisplayOptions(parsed)
    jobsDirectory = try JobsDirectory.path(parsed, in: surroundings)
    relativeJobsDirectory = try JobsDirectory.relativePath(parsed, in: surroundings)
    terms = try JobTerms(parsed, in: surroundings, takesAnyName: true)
    unfinishedExitCode = Int32(try parsed.integer("unfinished-exit-code", in: 1...125) ?? 75)
  }

  /// Refuses lines from nowhere, and values without a template.
  private static func checkSource(_ parsed: ParsedOptions, _ lists: BatchLists) throws(StintError) {
    if parsed.has("template") {
      guard parsed.operands.isEmpty, lists.isEmpty else { return }
      throw StintError(
        .usage, "--template needs values: write ::: VALUE..., :::: FILE, or - for standard input.")
    }
    if !lists.isEmpty {
      throw StintError(.usage, "Lists of values fill a template; give --template TEXT, too.")
    }
    guard parsed.operands.isEmpty else { return }
    throw StintError(.usage, "FILE is missing; write stint \(Verb.batch.specification.usage[0]).")
  }

  private static func halt(_ parsed: ParsedOptions) throws(StintError) -> BatchMachine.Halt? {
    guard let value = parsed.value("halt"), value.text != "never" else { return nil }
    let parts = value.text.split(separator: ",", omittingEmptySubsequences: false)
    let wrong = value.refusal(
      "says no end; write soon,fail=3, now,fail=1, soon,fail=10% or never.")
    guard parts.count == 2, ["soon", "now"].contains(parts[0]), parts[1].hasPrefix("fail=") else {
      throw wrong
    }
    let number = parts[1].dropFirst(5)
    if number.last == "%" {
      guard let share = Double(number.dropLast()), share > 0, share <= 100 else { throw wrong }
      return BatchMachine.Halt(.percent(share), isNow: parts[0] == "now")
    }
    guard number.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(number), count > 0
    else { throw wrong }
    return BatchMachine.Halt(.count(count), isNow: parts[0] == "now")
  }
}
