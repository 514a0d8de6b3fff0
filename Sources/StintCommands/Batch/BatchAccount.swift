import Glibc
import StintCore
import StintRuntime

/// How a batch's process ended.
struct BatchAccount: Hashable, Sendable {
  var key: String
  var path: String
  var progress: BatchProgress
  /// How many lines were done before this process began.
  var finishedBefore: Int
  /// Which part of the file its lines are; nil if they are all of it.
  var shard: Shard?
  /// Why it was stopped; nil if it was not.
  var stopReason: ExpiryReason?
  /// Whether too many lines have failed (`--halt`).
  var isHalted = false
  /// Whether the lines that are not done have asked by themselves to be run again, with time left.
  var hadTimeLeft = false
  /// The numbers of the lines that failed.
  var failures: [Int] = []
  /// The numbers of the lines that were begun, keep nothing of their work and will begin anew.
  var startingOver: [Int] = []
  /// Whether a line that is not done has been begun and goes on from what it has saved.
  var hasSaved = false
  /// Why the log is incomplete; nil if it is not.
  var logFailure: StintError?
  /// Why the same command would not go on from here; nil if it would.
  var displacement: String?
  /// Why nothing could be done; nil if something could.
  var error: StintError?

  /// How many lines are neither finished nor failed.
  var unfinished: Int { progress.total - progress.finished - progress.failed }

  var isFinished: Bool { progress.finished == progress.total }

  /// The exit status of `--unfinished-exit-code`, or what else became of it.
  func exitStatus(unfinished code: Int32) -> Int32 {
    if stopReason == .signal(SIGINT) { return 128 + SIGINT }
    if let error { return ExitStatus.of(error) }
    if isHalted { return ExitStatus.linesFailed }
    if unfinished > 0 { return code }
    if progress.failed > 0 { return ExitStatus.linesFailed }
    if let logFailure { return ExitStatus.of(logFailure) }
    return ExitStatus.finished
  }

  /// The outcome in one word, as the JSON has it.
  var outcome: String {
    if isFinished { return "finished" }
    if stopReason == .signal(SIGINT) { return "interrupted" }
    if let error { return error.code == .busy ? "failed" : "noTime" }
    if unfinished == 0 || isHalted { return "failed" }
    return stopReason == nil ? "unfinished" : "stopped"
  }

  var stintEnd: StintEnd {
    if isFinished { return .finished }
    if isHalted { return .failed }
    // A stop that comes when every line has ended stops nothing.
    if unfinished == 0 { return .failed }
    return stopReason == nil ? .expired : .stopRequested
  }

  /// The account in one sentence or two.
  func sentence(elapsed: Duration) -> String {
    let time = elapsed.compactText
    if let error { return Sentence.of(error) }
    let before = finishedBefore > 0 ? ", \(finishedBefore) of them before" : ""
    let all = Self.lines(progress.total) + (shard.map { " of \($0)" } ?? "")
    if isFinished {
      return finishedBefore == progress.total && finishedBefore > 0
        ? "Finished before: all \(all). --fresh runs them again."
        : "Finished: all \(all)\(before); \(time) in this run."
    }
    let failed = progress.failed > 0 ? ", \(progress.failed) failed" : ""
    let account = "\(progress.finished) of \(all) done\(before)\(failed)"
    if unfinished == 0 {
      return
        "\(account) (\(Self.numbers(failures))); \(time) in this run. \(again("retry"))"
    }
    if isHalted {
      return "\(account) (\(Self.numbers(failures))), so the batch was ended after \(time)"
        + "\(whatIsKept). \(again("continue"))"
    }
    if stopReason == nil, hadTimeLeft {
      return "\(account); \(Self.lines(unfinished)) exited with 75 and must run again; "
        + "\(time) in this run. \(again("continue"))"
    }
    let why = stopReason.map { $0 == .signal(SIGINT) ? "Interrupted" : "Stopped because \($0)" }
    return "\(why ?? "Time is up") after \(time); \(account)\(whatIsKept). "
      + again("continue")
  }

  private func again(_ why: String) -> String {
    displacement ?? "Run the same command again to \(why)."
  }

  /// What the next run finds of the lines that are not done, as the end of a sentence.
  private var whatIsKept: String {
    let rest = hasSaved ? ", and the rest is saved" : ""
    return startingOver.isEmpty ? rest : "; \(Self.numbers(startingOver)) will start over\(rest)"
  }

  private static func numbers(_ lines: [Int]) -> String {
    let shown = lines.prefix(10).map(String.init).joined(separator: ", ")
    return "line\(lines.count == 1 ? "" : "s") \(shown)" + (lines.count > 10 ? ", ..." : "")
  }

  static func lines(_ count: Int) -> String { "\(count) line\(count == 1 ? "" : "s")" }

  /// The account of `--json`, with its newline.
  func json(exitStatus: Int32, elapsed: Duration) -> String {
    var json = JSONLine()
    json.add("event", "batchEnded")
    json.add("job", key)
    json.add("jobPath", path)
    json.add("outcome", outcome)
    json.add("exitStatus", exitStatus)
    json.add("error", (error ?? logFailure).map { Sentence.of($0) })
    json.add("shard", shard?.number)
    json.add("shards", shard?.count)
    json.add("lines", progress.total)
    json.add("finished", progress.finished)
    json.add("finishedBefore", finishedBefore)
    json.add("failed", progress.failed)
    json.add("unfinished", unfinished)
    json.add("fraction", progress.fraction)
    json.add("elapsedSeconds", seconds: elapsed)
    return json.line
  }
}
