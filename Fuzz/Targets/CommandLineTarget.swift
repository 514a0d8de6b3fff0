import StintCore

@testable import StintCommands

/// Whole command lines.
///
/// The input's first byte says whether the environment names a jobs folder; the rest is the words
/// after the program's name, with NUL between them.
enum CommandLineTarget {
  // Every byte may be a word of its own, with a Swift string, a C copy and a hit of the scanner.
  // The fixed part of the sum is the advice: a table of 64 by 64 places for each name that may have
  // been meant.
  private static let allowance = Allowance(
    peakBytes: (fixed: 32_768, perByte: 512), totalBytes: (fixed: 2 << 20, perByte: 2048))

  static func examine(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let environment =
      first & 1 == 0 ? ["HOME": "/home/user"] : ["STINT_JOBS": "/jobs", "HOME": "/home/user"]
    let words = input.dropFirst().split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let request = allowance.accepted(input) {
      refusalIsUsage { try CommandLineRequest(arguments: words, environment: environment) }
    }
    guard case .verb(let verb, let parsed) = request else { return }
    Plant.rare(verb.name == "verify" && parsed.operands.contains { $0.contains(where: \.isNumber) })
    checkRoundTrip(verb, parsed, environment: environment)
    let surroundings = Surroundings(
      environment: environment, workingDirectory: "/work",
      wallTime: WallTime(
        nanosecondsSince1970: 1_795_246_242_123_456_789, calendar: .fixed(secondsFromUTC: 3600)))
    allowance.measured(input.count) { checkOptions(verb, parsed, in: surroundings) }
  }

  /// What the body gives, or nil if it refuses; every refusal exits with 64 and says why.
  private static func refusalIsUsage<Result>(_ body: () throws -> Result) -> Result? {
    unlessRefused("a wrong command line", .usage, body: body)
  }

  /// The same options and operands, written out in one way, are read as the same.
  private static func checkRoundTrip(
    _ verb: Verb, _ parsed: ParsedOptions, environment: [String: String]
  ) {
    var words = [verb.name]
    for option in verb.specification.options {
      guard let value = parsed.value(option.name), !value.source.hasPrefix("$") else { continue }
      words.append(value.text.isEmpty ? option.spelling : "\(option.spelling)=\(value.text)")
    }
    words += ["--"] + parsed.operands
    if Plant.spoils { words.append("another") }
    let again = refusalIsUsage {
      try CommandLineRequest(arguments: words, environment: environment)
    }
    require(again == .verb(verb, parsed), "\(parsed)\nwas written as\n\(words)")
  }

  private static func checkOptions(
    _ verb: Verb, _ parsed: ParsedOptions, in surroundings: Surroundings
  ) {
    _ = refusalIsUsage { try DisplayOptions(parsed) }
    let jobs = refusalIsUsage { try JobsDirectory.path(parsed, in: surroundings) }
    require(
      jobs.map { FilePath($0).isAbsolute } == true, "the jobs folder \(jobs ?? "") is not absolute")
    let time = refusalIsUsage { try TimeOptions(parsed, in: surroundings) }
    if let time, let (grant, _) = time.grant() {
      require(grant > .zero, "a grant of \(grant)")
      require(time.systemPolicy.grant == grant, "the policy does not grant what was asked for")
      require(time.systemPolicy.lead < grant, "the lead is not shorter than the grant")
    }
    guard verb.name == "run" else { return }
    let run = refusalIsUsage { try RunOptions(parsed, in: surroundings) }
    guard let run else { return }
    require(run.time.systemPolicy == time?.systemPolicy, "the run has other times")
    require((1...125).contains(run.unfinishedExitCode), "the exit status is out of range")
  }
}
