package import StintCore

/// One line of progress for a log, a pipe or a terminal in the background (W3).
package enum PlainLine {
  /// Renders a report in full, without a newline.
  package static func render(_ report: StatusReport) -> String {
    var parts = [
      "\(ReportText.percent(report.progress.fraction)) \(ReportText.activity(report, longest: 60))"
    ]
    switch report.remaining {
    case .unlimited: parts.append("no time limit")
    case .limited(let rest): parts.append("\(rest.secondsText(decimals: 1))s left")
    }
    if let next = ReportText.nextCheckpoint(report) {
      parts.append("next checkpoint in \(ReportText.seconds(next))")
    }
    if let age = report.checkpointAge {
      parts.append("last one \(ReportText.seconds(age)) old")
    }
    if report.state != .finished, let estimate = report.estimateToFinish {
      parts.append("done in about \(ReportText.seconds(estimate))")
    }
    if let speed = report.speed, speed.isFinite {
      parts.append("\(Duration(clampingSeconds: speed * 100).secondsText(decimals: 2)) %/s")
    }
    parts.append(
      "stint \(report.stint), \(ReportText.seconds(report.workTime)) of work kept in "
        + ReportText.seconds(report.elapsed))
    return "stint: " + parts.joined(separator: ", ")
  }

  /// Lets one line through at a time, such as one a second.
  package struct Throttle: Hashable, Sendable {
    private let distance: Duration
    private var last: Instant?

    package init(every distance: Duration = .seconds(1)) { self.distance = distance }

    /// Whether a line may be written now; if so, it counts as written.
    package mutating func admits(at now: Instant) -> Bool {
      if let last, last.duration(to: now) < distance { return false }
      last = now
      return true
    }
  }
}
