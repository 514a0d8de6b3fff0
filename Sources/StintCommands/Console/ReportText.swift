import StintCore
import StintReport

/// The words and numbers that all renderings of a report share.
package enum ReportText {
  /// A share as per cent with one decimal, cut and not rounded, so that 100 is shown only when all
  /// is done.
  package static func percent(_ fraction: Double) -> String {
    let tenths = fraction.isNaN ? 0 : Int((min(max(fraction, 0), 1) * 1000).rounded(.down))
    let text = "\(tenths / 10).\(tenths % 10)"
    return String(repeating: " ", count: 5 - text.count) + text + "%"
  }

  /// The same without blanks before it.
  static func share(_ fraction: Double) -> String {
    String(percent(fraction).drop { $0 == " " })
  }

  /// A number and what is counted, such as `1 stint` or `2 stints`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// What is being done: the phase while it runs, else the state.
  static func activity(_ report: StatusReport, longest: Int) -> String {
    switch report.state {
    case .registering: "registering"
    case .running: CellWidth.fitted(report.progress.phase, to: longest)
    case .saving: "saving"
    case .waiting: "waiting"
    case .paused: "paused"
    case .finished: "finished"
    }
  }

  /// When the next checkpoint comes, where one is to come: not while nothing runs.
  static func nextCheckpoint(_ report: StatusReport) -> Duration? {
    switch report.state {
    case .running, .saving: report.nextCheckpointIn
    case .registering, .waiting, .paused, .finished: nil
    }
  }

  /// A duration for a line that changes all the time: tenths of a second below a minute, then two
  /// units.
  static func seconds(_ duration: Duration) -> String {
    let shown = max(.zero, duration)
    return shown < .seconds(60) ? shown.secondsText(decimals: 1) + "s" : shown.compactText
  }

  /// A whole number in groups of three digits.
  package static func grouped(_ number: some BinaryInteger) -> String {
    NumberText.grouped(number)
  }
}
