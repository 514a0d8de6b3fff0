import Foundation
import StintCore

/// A long list of short lines, of which a budget allows only the first.
struct BatchLines {
  /// The last line of `stint batch --json` (`docs/formats/batch-log.md`).
  private struct Account: Decodable {
    var lines: Int
    var finished: Int
  }

  let stint: String
  let directory: String
  let count: Int
  let budget: Duration

  /// Reads all lines, runs those that the budget allows, and returns the peak memory.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed` if the batch did not end as it should, or
  ///   did not read all lines.
  func figure() throws -> Figure {
    let (file, jobs) = (directory + "/lines", directory + "/jobs")
    try? FileManager.default.removeItem(atPath: jobs)
    var text = Data()
    for number in 1...count { text.append(contentsOf: "true \(number)\n".utf8) }
    try text.write(to: URL(filePath: file))
    let command = ProgramCommand(
      program: stint,
      arguments: [
        "batch", file, "--budget", budget.compactText, "--json", "--quiet", "--jobs-dir", jobs,
      ])
    let run = try CommandRun(command, logs: directory)
    let ends: [ChildProcess.End] = [.exited(0), .exited(75)]
    let last = run.output.split(separator: "\n").last ?? ""
    let account = try? JSONDecoder().decode(Account.self, from: Data(last.utf8))
    guard ends.contains(run.end), let account, account.lines == count, account.finished > 0 else {
      throw StintError(
        .checkFailed,
        "stint batch did not read \(count) lines and run the first in \(budget.compactText); it "
          + "ended with \(run.end) and said: \(last.prefix(200)) \(run.errors.suffix(400))")
    }
    let note = "\(account.finished) of \(count) lines finished in \(budget.compactText)"
    var figure = Figure(
      "linesPeakMebibytes", "\(count) lines: memory", .mebibytes, run.peakMebibytes,
      gate: 200e6 / 1_048_576, note: note)
    if !run.isPeakKnown {
      figure = figure.notJudged()
      figure.note = note + "; not judged, because the benchmark itself had as much"
    }
    return figure
  }
}
