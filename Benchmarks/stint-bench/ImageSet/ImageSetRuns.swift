import Foundation
import StintCore

/// All runs of one set.
struct ImageSetRuns {
  /// How many times the time of the fastest a subject may need to stay in.
  private static let tooSlow = 1.3

  let cell: ImageSetCell
  let subjects: [ImageSetSubject]
  let tools: ImageSetTools
  let inputs: [String]
  let directory: String
  let rounds: Int

  /// Runs everybody in turn, and compares the pixels.
  ///
  /// - Returns: What each did, by round. A subject that needs more than ``tooSlow`` times
  ///   the time of the fastest leaves: Stint is judged by the fastest alone.
  func all() throws -> [ImageSetSubject: [CommandRun]] {
    var fastest = Double.infinity
    var left: Set<ImageSetSubject> = []
    let runs = try Interleaving.run(subjects, rounds: rounds) {
      subject -> CommandRun? in
      guard !left.contains(subject) else { return nil }
      let run = try run(subject)
      guard subject != .stint else { return run }
      fastest = min(fastest, run.seconds)
      if run.seconds > fastest * Self.tooSlow { left.insert(subject) }
      return run
    }
    for input in Set([inputs.first, inputs[inputs.count / 2], inputs.last]).compactMap({ $0 }) {
      let name = URL(filePath: input).lastPathComponent
      try tools.reference.expectSamePixels(
        folder(.reference) + "/" + name, folder(.stint) + "/" + name, logs: directory,
        of: "\(cell.what), \(name)")
    }
    return runs
  }

  private func folder(_ subject: ImageSetSubject) -> String { "\(directory)/\(subject.rawValue)" }

  private func run(_ subject: ImageSetSubject) throws -> CommandRun {
    let (folder, jobs) = (folder(subject), directory + "/jobs")
    for path in [folder, jobs] { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let run = try CommandRun(
      tools.command(subject, cell.filter, inputs, into: folder, jobs: jobs), logs: directory)
    try run.expectSuccess()
    let results = try FileManager.default.contentsOfDirectory(atPath: folder)
    guard Set(results) == Set(inputs.map { URL(filePath: $0).lastPathComponent }) else {
      throw StintError(
        .checkFailed,
        "\(subject.words) made \(results.count) results of \(inputs.count) images: "
          + run.errors.prefix(200))
    }
    return run
  }
}
