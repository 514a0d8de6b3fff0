import Foundation
import StintCore

/// All runs of one pipeline, and what they say.
struct CaseRuns {
  let item: ImageCase
  let tools: ImageTools
  let input: String
  let directory: String
  let rounds: Int
  /// The rounds of those who are not judged.
  let toldRounds: Int

  /// Runs everybody in turn, checks the pixels, and compares.
  func figures() throws -> [Figure] {
    Console.say("\(item.what) ...")
    var done: [ImageSubject: Int] = [:]
    var absent: Set<ImageSubject> = []
    let runs = try Interleaving.run(tools.subjects, rounds: rounds) { subject -> CommandRun? in
      let count = done[subject, default: 0]
      done[subject] = count + 1
      if absent.contains(subject) || !isJudged(subject) && count >= toldRounds { return nil }
      let run = try run(subject)
      if run == nil { absent.insert(subject) }
      return run
    }
    try comparePixels()
    tools.subjects.forEach { remove(path(of: $0)) }
    return try judged(runs) + told(runs)
  }

  private func isJudged(_ subject: ImageSubject) -> Bool {
    subject == .reference || subject.isExact
  }

  // MARK: Running

  private func path(of subject: ImageSubject) -> String {
    "\(directory)/\(subject.rawValue).\(item.output.suffix)"
  }

  /// Runs a subject once; nil if it does not take part, or cannot do it and need not.
  private func run(_ subject: ImageSubject) throws -> CommandRun? {
    let (output, jobs) = (path(of: subject), directory + "/jobs")
    remove(output)
    remove(jobs)
    guard let command = tools.command(subject, item, from: input, to: output, jobs: jobs) else {
      return nil
    }
    let run = try CommandRun(command, logs: directory)
    if isJudged(subject) {
      try run.expectSuccess()
    } else if run.end != .exited(0) {
      Console.say("\(subject.words) is left out of \(item.what): \(run.errors.prefix(200))")
      return nil
    }
    return run
  }

  private func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
  }

  private func comparePixels() throws {
    for subject in tools.subjects where subject.isExact {
      try tools.reference.expectSamePixels(
        path(of: .reference), path(of: subject), logs: directory,
        of: "\(item.what) (\(subject.words))")
    }
  }

  // MARK: Figures

  private func judged(_ runs: [ImageSubject: [CommandRun]]) throws -> [Figure] {
    guard let reference = runs[.reference], let stint = runs[.stint], let durable = runs[.durable]
    else { return [] }
    let waits = reference.map { Double($0.output) ?? 0 }
    return [
      time("TimeRatio", "time", stint, reference, gate: 1.10, goal: 1.05, waits: waits),
      time(
        "DurableTimeRatio", "time, durable every second", durable, reference, gate: 1.25,
        goal: 1.15, waits: nil),
      memory("MemoryRatio", "memory", stint, reference),
      memory("DurableMemoryRatio", "memory, durable every second", durable, reference),
    ]
  }

  private func time(
    _ suffix: String, _ what: String, _ runs: [CommandRun], _ reference: [CommandRun],
    gate: Double, goal: Double, waits: [Double]?
  ) -> Figure {
    let ratios = Sample(zip(runs, reference).map { $0.seconds / $1.seconds })
    let interval = ratios.medianInterval()
    var note = String(
      format: "%.2f s beside %.2f s (of processors %.2f s beside %.2f s); 95 %% of resamples "
        + "between %.3f and %.3f",
      Sample(runs.map(\.seconds)).median, Sample(reference.map(\.seconds)).median,
      Sample(runs.map(\.processorSeconds)).median,
      Sample(reference.map(\.processorSeconds)).median, interval.lowerBound, interval.upperBound)
    if let waits {
      note += String(
        format: "; the C program waits for the disk for %.2f s of its time", Sample(waits).median)
    }
    return Figure(
      item.name + suffix, "\(item.what): \(what)", .ratio, ratios.median, gate: gate, goal: goal,
      of: ratios, note: note)
  }

  private func memory(
    _ suffix: String, _ what: String, _ runs: [CommandRun], _ reference: [CommandRun]
  ) -> Figure {
    let ratios = Sample(zip(runs, reference).map { $0.peakMebibytes / $1.peakMebibytes })
    let note = String(
      format: "%.0f MiB beside %.0f MiB", Sample(runs.map(\.peakMebibytes)).median,
      Sample(reference.map(\.peakMebibytes)).median)
    var figure = Figure(
      item.name + suffix, "\(item.what): \(what)", .ratio, ratios.median, gate: 1.5, goal: 1.2,
      of: ratios, note: note)
    if !(runs + reference).allSatisfy(\.isPeakKnown) {
      figure = figure.notJudged()
      figure.note = note + "; not judged, because the benchmark itself had as much"
    }
    return figure
  }

  /// The Magicks, over the C program: nobody promised anything about them.
  private func told(_ runs: [ImageSubject: [CommandRun]]) -> [Figure] {
    guard let reference = runs[.reference] else { return [] }
    let ownTime = Sample(reference.map(\.seconds)).median
    return [ImageSubject.magick, .graphicsMagick].flatMap { subject -> [Figure] in
      guard let runs = runs[subject] else { return [] }
      let name = item.name + subject.rawValue.prefix(1).uppercased() + subject.rawValue.dropFirst()
      let times = Sample(runs.map { $0.seconds / ownTime })
      let peaks = Sample(runs.map(\.peakMebibytes))
      return [
        Figure(
          name + "TimeRatio", "\(item.what): \(subject.words), time", .ratio, times.median,
          of: times),
        Figure(
          name + "PeakMebibytes", "\(item.what): \(subject.words), memory", .mebibytes,
          peaks.median, of: peaks),
      ]
    }
  }
}
