import StintCore
import Testing

@testable import StintCommands

/// Command lines as a test writes them.
enum CommandLine {
  /// 2026-11-21 05:00:00 UTC.
  static let now: Int64 = 1_795_237_200_000_000_000

  static let surroundings = Surroundings(
    environment: ["HOME": "/home/somebody"], workingDirectory: "/somewhere",
    wallTime: WallTime(nanosecondsSince1970: now, calendar: .fixed(secondsFromUTC: 3600)))

  /// What a command line asks for that is neither help nor the version.
  static func parsed(
    _ arguments: [String], environment: [String: String] = [:], kinds: KindTable = .stint
  ) throws -> (verb: Verb, options: ParsedOptions) {
    guard
      case .verb(let verb, let options) = try CommandLineRequest(
        arguments: arguments, environment: environment, kinds: kinds)
    else { throw StintError(.usage, "no verb in \(arguments)") }
    return (verb, options)
  }

  /// The options of `run`, from words.
  static func run(
    _ words: [String], environment: [String: String] = [:]
  ) throws -> RunOptions {
    let parsed = try parsed(["run"] + words, environment: environment).options
    _ = try work(parsed)
    return try RunOptions(parsed, in: surroundings)
  }

  /// The options of `batch`, from words.
  static func batch(_ words: [String]) throws -> BatchOptions {
    try BatchOptions(parsed(["batch", "jobs.txt"] + words).options, in: surroundings)
  }

  /// The settings of `batch` on a machine with one processor, from words.
  static func settings(
    ofBatch words: [String], launchedAt: Instant = Instant(nanoseconds: 0)
  ) throws -> BatchSettings {
    try BatchSettings(batch(words), processors: 1, launchedAt: launchedAt)
  }

  /// What `run` is to compute, from words.
  static func work(_ words: [String]) throws -> (any KindWork)? {
    try work(parsed(["run"] + words).options)
  }

  private static func work(_ parsed: ParsedOptions) throws -> (any KindWork)? {
    try KindTable.stint.kind(askedForBy: parsed, in: surroundings).runner.work(
      parsed, in: surroundings)
  }

  /// The sentence with which a command line is refused, or nil if it is accepted.
  static func refusal(_ arguments: [String]) -> StintError? {
    do {
      let request = try CommandLineRequest(arguments: arguments, environment: [:])
      if case .verb(.help, let parsed) = request {
        _ = try CommandLineRequest.subject(ofHelp: parsed.operands)
      }
      if case .verb(let verb, let parsed) = request, verb.name == "run" {
        _ = try work(parsed)
        _ = try RunOptions(parsed, in: surroundings)
      }
      return nil
    } catch let error as StintError {
      return error
    } catch {
      Issue.record("not a StintError: \(error)")
      return nil
    }
  }
}
