import StintCore
import StintRuntime

extension BudgetChoice {
  private static let fileOption = OptionSpecification(
    "deadline-file", argument: "FILE", group: .time,
    help:
      "Stop by the time written in this file, such as 2026-11-21T06:00:00Z or @1795250641; the "
      + "file may appear and change while the work runs")
  /// A file server that does not answer must not hold up the start for longer.
  private static let firstLookMayTake = Duration.milliseconds(500)

  /// A file by which any program says when the time ends: `--deadline-file`.
  static let deadlineFile = BudgetChoice(options: [fileOption]) { parsed, _ in
    let grace = try TimeOptions.stopGrace(parsed)
    return parsed.text("deadline-file").map { path in
      .asked { _, complain throws(StintError) in
        let file = DeadlineFile(
          path: path, nanoseconds: UntilTime.instant,
          wallClock: { StoreIdentity.current().wallClock() }, grace: grace, complain: complain)
        let source = try file.source()
        _ = source.wait(atMost: firstLookMayTake)
        return source
      }
    }
  }
}
