import StintCore
import StintReport
import Testing

/// A life is thousands of words long as a test's argument.
extension Life: CustomTestStringConvertible {
  package var testDescription: String { "a life of \(stints.count) stints" }
}

enum SampleLives {
  /// What a name may hold that came from a command line or a file name.
  static let hostile =
    "</title><script>alert(1)</script> \" onload='x' &amp; <!-- ]]> \u{0}\u{1B}[2J\u{202E}txt.exe"

  /// Four stints: cut, cut, killed, finished.
  static let cut = Life(stints: [
    LifeStint(
      began: .zero, moment: "2026-11-21T07:30:00Z", process: 11, budget: .seconds(10),
      elapsed: .seconds(9.5), saved: .seconds(9), lost: .zero, ending: .timeUp,
      words: "the next chunk did not fit",
      checkpoints: [
        .init(at: .seconds(4), took: .seconds(0.2), sizeBytes: 1_000, workTime: .seconds(4)),
        .init(at: .seconds(9.4), took: .seconds(0.4), sizeBytes: 2_000, workTime: .seconds(9)),
      ],
      expiries: [.init(at: .seconds(8), reason: "the budget is used up", deadline: .seconds(10))]),
    LifeStint(
      began: .seconds(12), process: 12, budget: .seconds(10), elapsed: .seconds(10.5),
      saved: .seconds(6), lost: .seconds(3), ending: .timeUp, words: "its time ran out",
      checkpoints: [
        .init(at: .seconds(7), took: .seconds(0.3), sizeBytes: 3_000, workTime: .seconds(15))
      ],
      expiries: [.init(at: .seconds(8), reason: "the budget is used up", deadline: .seconds(10))],
      remarks: [.init(at: .seconds(9), kind: .checkpointFailed, text: "no space is left")]),
    LifeStint(
      began: .seconds(30), process: 13, budget: .seconds(10), elapsed: .seconds(5),
      saved: .seconds(2), lost: nil, ending: .killed, words: "it was killed, or it crashed",
      checkpoints: [.init(at: .seconds(3), workTime: .seconds(17))],
      remarks: [.init(at: .seconds(5), kind: .termination, text: hostile)]),
    LifeStint(
      began: .seconds(40), process: 14, budget: .seconds(10), elapsed: .seconds(4),
      saved: .seconds(4), lost: .zero, ending: .finished, words: "finished"),
  ])

  /// A life of one stint without limit that still runs.
  static let running = Life(stints: [
    LifeStint(
      began: .zero, elapsed: .seconds(3), saved: .zero, lost: nil, ending: .open,
      words: "it is running")
  ])

  /// So many stints.
  static func long(_ count: Int) -> Life {
    Life(
      stints: (0..<count).map { index in
        LifeStint(
          began: .seconds(index * 2), budget: .seconds(1), elapsed: .milliseconds(980),
          saved: .milliseconds(900 + index % 60), lost: .zero, ending: .timeUp,
          words: "the next chunk did not fit",
          checkpoints: [.init(at: .milliseconds(970), took: .milliseconds(9))])
      })
  }
}
