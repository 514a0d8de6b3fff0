import StintCore

/// What is told of one job: its life and what surrounds it.
package struct JobAccount: Hashable, Sendable {
  /// A line of a batch that failed.
  package struct FailedItem: Hashable, Sendable {
    /// Its number in the file.
    package var number: Int
    /// What it is and why it failed.
    package var text: String
    /// Where its output lies; empty where that is nowhere.
    package var places: String

    package init(number: Int, text: String, places: String) {
      (self.number, self.text, self.places) = (number, text, places)
    }
  }

  /// The job's key.
  package var name: String
  /// What is computed, as one would write it on a command line.
  package var what: String
  /// How it stands, in a word or two.
  package var state: String
  package var life: Life
  /// When this was told.
  package var written: String
  /// Where the result goes; nil where that is nobody's business.
  package var output: String?
  package var directory: String?
  /// What the slices of its chain print into; nil without one.
  package var log: String?
  /// The result, once it is durable: its size and checksum.
  package var result: String?
  /// The job's own time that is kept.
  package var workTime: Duration = .zero
  /// The share that is done.
  package var fraction: Double?
  package var isFinished = false
  /// How the lines of a batch stand, as a clause.
  package var counts: String?
  /// How many of them failed, and the first of these.
  package var failedItems = 0
  package var failures: [FailedItem] = []
  /// The work time that the rest is expected to take, by the running process's own word.
  package var rest: Duration?
  /// What one should know to read this, as clauses.
  package var notes: [String] = []
  /// What is wrong with the job's files, as clauses.
  package var problems: [String] = []

  package init(name: String, what: String, state: String, life: Life, written: String) {
    self.name = name
    self.what = what
    self.state = state
    self.life = life
    self.written = written
  }

  package var figures: LifeFigures { LifeFigures(life) }

  /// The work time that is left: what the process says, else what the share that is done makes
  /// probable; nil if neither is known or nothing is left.
  package var expectedRest: Duration? {
    guard !isFinished else { return nil }
    if let rest { return rest }
    guard let fraction, workTime > .zero, fraction > 0, fraction < 1 else { return nil }
    return Duration(clampingSeconds: workTime.inSeconds * (1 - fraction) / fraction)
  }

  /// How many stints like those before the rest will take; nil if nothing is known of either.
  package var expectedStints: Int? {
    guard let rest = expectedRest else { return nil }
    let saved = life.stints.filter { $0.budget != nil && $0.ending == .timeUp }.map(\.saved)
    let mean = saved.reduce(.zero, +).inSeconds / Double(max(1, saved.count))
    guard mean > 0, rest.inSeconds / mean < 1e9 else { return nil }
    return max(1, Int((rest.inSeconds / mean).rounded(.up)))
  }

  /// A sentence about the time to finish.
  package var timeToFinish: String? {
    let figures = figures
    if isFinished {
      return figures.span > figures.elapsed + .seconds(1)
        ? "\(figures.elapsed.compactText) in stints, \(figures.span.compactText) from the first begin to the end"
        : "\(figures.elapsed.compactText)"
    }
    guard let rest = expectedRest else { return nil }
    let stints = expectedStints.map { ", about \(NumberText.count($0, "more stint"))" } ?? ""
    return "about \(rest.compactText) of work left\(stints)"
  }
}
