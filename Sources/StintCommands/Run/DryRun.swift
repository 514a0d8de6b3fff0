import Stint
import StintCore
import StintFibonacci

/// What `--dry-run` says: memory, disk and the length of the result.
enum DryRun {
  /// Prints the estimate to standard output.
  static func show(_ estimate: FibonacciEstimate, json: Bool) throws {
    if json {
      var line = JSONLine()
      line.add("digits", estimate.digits)
      line.add("outputBytes", estimate.outputBytes)
      line.add("checkpointBytes", estimate.checkpointBytes)
      line.add("memoryBytes", estimate.memoryBytes)
      line.add("diskBytes", estimate.diskBytes)
      line.add("estimateSeconds", estimate.cost * 1e-9)
      writeToStandardOutput(line.line)
      return
    }
    var text = ""
    if let digits = estimate.digits { text += "digits       \(ReportText.grouped(digits))\n" }
    text += """
      result       \(ReportText.grouped(estimate.outputBytes)) bytes
      checkpoint   up to \(ReportText.grouped(estimate.checkpointBytes)) bytes
      memory       about \(ReportText.grouped(estimate.memoryBytes)) bytes at the peak
      disk         about \(ReportText.grouped(estimate.diskBytes)) bytes while it runs
      time         roughly \(Duration(clampingSeconds: estimate.cost * 1e-9).compactText) of work

      """
    writeToStandardOutput(text)
  }
}
