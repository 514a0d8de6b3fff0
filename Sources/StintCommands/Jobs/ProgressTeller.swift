import Dispatch
import StintCore
import StintRuntime

/// Writes `progress.json` for those who watch: at most once a second, and at a change of state.
final class ProgressTeller: Sendable {
  private struct State {
    var lastWritten: Instant?
    var lastState: StatusReport.State?
    var lastElapsed = Duration.zero
    var isWriting = false
    var hasEnded = false
  }

  private static let interval = Duration.seconds(1)

  private let state = Protected(State())
  /// Writing and removing exclude each other: nothing is written after the end.
  private let writing = DispatchQueue(label: "stint.progress")
  private let job: Job

  init(_ job: Job) {
    self.job = job
  }

  /// Tells a report.
  ///
  /// Any thread; while another writes, the report is dropped, and so is one that was made before
  /// the last that was told. What cannot be written is of no consequence.
  func tell(_ report: StatusReport) {
    guard job.isMaterialized else { return }
    let now = BootClock.now
    let mayWrite = state.withLock { state in
      let isDue = state.lastWritten.map { $0.duration(to: now) >= Self.interval } ?? true
      guard isDue || state.lastState != report.state, report.elapsed >= state.lastElapsed,
        !state.isWriting, !state.hasEnded
      else { return false }
      state.lastWritten = now
      state.lastElapsed = report.elapsed
      state.lastState = report.state
      state.isWriting = true
      return true
    }
    guard mayWrite else { return }
    let line = ReportJSON.tick(report, stamp: JournalRecord.Stamp(.current()))
    writing.sync {
      if state.withLock({ $0.hasEnded }) { return }
      try? job.tellProgress(Array((line + "\n").utf8))
    }
    state.withLock { $0.isWriting = false }
  }

  /// The state that was told last.
  var lastTold: StatusReport.State? { state.withLock { $0.lastState } }

  /// Removes the file; nothing is written afterwards.
  func end() {
    writing.sync {
      state.withLock { $0.hasEnded = true }
      if job.isMaterialized { job.forgetProgress() }
    }
  }
}
