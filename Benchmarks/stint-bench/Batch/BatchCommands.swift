import Foundation
import StintCore

/// Many commands that do nothing, so that what is measured is their start and their account.
struct BatchCommands {
  let stint: String
  let directory: String
  let count: Int
  let rounds: Int

  /// Measures everybody in turn.
  ///
  /// - Throws: ``StintError``: `unavailable` if a program fails, `checkFailed` if commands are
  ///   missing in its job log.
  func figures() throws -> [Figure] {
    let subjects = BatchSubject.present(logs: directory)
    // The first of each reads its files from the disk.
    for subject in subjects { _ = try milliseconds(subject) }
    let times = try Interleaving.run(subjects, rounds: rounds) { try milliseconds($0) }
    var figures: [Figure] = []
    if let own = times[.stint], let others = times[.parallel] {
      figures.append(
        Figure.timeRatio(
          "commandsTimeRatio", "\(count) commands: time over GNU parallel", own, over: others,
          gate: 1.0 / 3))
    }
    for subject in subjects {
      guard let sample = times[subject].map({ Sample($0) }) else { continue }
      figures.append(
        Figure(
          "commands\(subject.rawValue.capitalized)Milliseconds",
          "\(count) commands: \(subject.words)", .milliseconds, sample.median, of: sample))
    }
    return figures
  }

  /// From before the start to when this process knows of the end.
  private func milliseconds(_ subject: BatchSubject) throws -> Double {
    let (jobs, log) = (directory + "/jobs", directory + "/joblog")
    for path in [jobs, log] { try? FileManager.default.removeItem(atPath: path) }
    let command = subject.command(
      (1...count).map(String.init), stint: stint, jobs: jobs, log: log)
    let run = try CommandRun(command, logs: directory)
    try run.expectSuccess()
    let rows = ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n")
    guard rows.count == count + 1 else {
      throw StintError(
        .checkFailed,
        "\(subject.words) has \(rows.count) lines in its job log for \(count) commands and the "
          + "header: \(run.errors.prefix(200))")
    }
    return run.seconds * 1e3
  }
}
