import StintCore
import StintRuntime

/// What `progress.json` says (`docs/formats/job.md`).
struct ProgressReading: Hashable, Sendable {
  let stamp: JournalRecord.Stamp
  var report: StatusReport

  /// Reads the file's bytes; nil if they are something else.
  init?(json bytes: [UInt8]) {
    guard let object = try? JSONObject(bytes), let stamp = try? JournalRecord.Stamp(object),
      let report = try? StatusReport(object)
    else { return nil }
    (self.stamp, self.report) = (stamp, report)
  }

  /// The report as of now: its times are advanced by the time since it was written.
  ///
  /// - Parameter now: The boot-time clock of the same boot.
  /// - Returns: A report as the worker itself would give it, but for the progress since.
  func report(now: Instant) -> StatusReport {
    guard report.state == .running || report.state == .saving else { return report }
    let age = max(.zero, stamp.instant.duration(to: now))
    var report = report
    report.remaining = report.remaining.trimmed(by: age)
    report.nextCheckpointIn = report.nextCheckpointIn.map { max(.zero, $0 - age) }
    report.checkpointAge = report.checkpointAge.map { $0 + age }
    report.elapsed += age
    return report
  }
}
