import StintCore
import StintRuntime

/// What `--dry-run` says: memory, disk, time, the length of the result and the least budget that
/// would do.
package enum DryRun {
  static func render(_ estimate: some RunEstimate, time: TimeOptions, json: Bool) -> String {
    let least = leastBudget(estimate)
    if json {
      var line = JSONLine()
      for part in estimate.subject { line.add(part.key, part.text) }
      line.add("digits", estimate.digits)
      line.add("outputBytes", estimate.outputBytes)
      line.add("checkpointBytes", estimate.checkpointBytes)
      line.add("memoryBytes", estimate.memoryBytes)
      line.add("diskBytes", estimate.diskBytes)
      line.add("estimateSeconds", estimate.cost * 1e-9)
      line.add("leastBudgetSeconds", seconds: least)
      return line.line
    }
    var text = ""
    for part in estimate.subject {
      let padding = String(repeating: " ", count: max(1, 13 - part.label.count))
      text += part.label + padding + part.text.showingControlCharacters + "\n"
    }
    if let digits = estimate.digits { text += "digits       \(ReportText.grouped(digits))\n" }
    text += """
      result       \(ReportText.grouped(estimate.outputBytes)) bytes
      checkpoint   up to \(ReportText.grouped(estimate.checkpointBytes)) bytes
      memory       about \(ReportText.grouped(estimate.memoryBytes)) bytes at the peak
      disk         about \(ReportText.grouped(estimate.diskBytes)) bytes while it runs
      time         roughly \(Duration(clampingSeconds: estimate.cost * 1e-9).compactText) of work
      budget       at least about \(least.compactText)

      """
    if let (grant, source) = time.grant(), grant < least {
      text.removeLast()
      text += "; --\(source.rawValue) gives \(grant.compactText), which may be too short\n"
    }
    return text
  }

  /// The least budget that would do before anything is learnt: to load a checkpoint, to do the
  /// hardest step and to save.
  ///
  /// Rounded up to two digits: the cost model knows no more before it has measured this machine.
  package static func leastBudget(_ estimate: some RunEstimate) -> Duration {
    let policy = WorkPolicy()
    let untaught = FitTest(policy: policy)
    let step = Duration(clampingSeconds: estimate.hardestCost * 1e-9 * policy.earlyFactor)
    let sum =
      untaught.expectedCheckpoint(bytes: estimate.checkpointBytes) + step
      + untaught.checkpointQuantile(bytes: estimate.checkpointBytes) + policy.closing
    return max(TimeOptions.Defaults.leastBudget, roundedUp(sum))
  }

  private static func roundedUp(_ duration: Duration) -> Duration {
    var unit: Int64 = 1
    while duration.nanoseconds / unit >= 100 { unit *= 10 }
    let (count, rest) = duration.nanoseconds.quotientAndRemainder(dividingBy: unit)
    return .nanoseconds((count + (rest > 0 ? 1 : 0)) * unit)
  }
}
