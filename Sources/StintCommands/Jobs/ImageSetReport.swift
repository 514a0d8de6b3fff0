package import StintCore
import StintRuntime

/// What a run over many images made, as the command line tells it.
package struct ImageSetReport: Hashable, Sendable {
  /// An input of which nothing could be made.
  package struct Failure: Hashable, Sendable {
    package var input: String
    package var error: StintError

    package init(input: String, error: StintError) {
      self.input = input
      self.error = error
    }
  }

  /// How many inputs there are.
  package var inputs: Int
  /// How many of them are done.
  package var done: Int
  /// How many files they became.
  package var files: Int
  /// The length of all files.
  package var sizeBytes: Int
  /// The XXH3-128 of the checksums of all files, in order.
  package var checksum: String
  /// How many files this process made.
  package var madeNow: Int
  /// The inputs that failed.
  package var failures: [Failure]

  package init(
    inputs: Int, done: Int, files: Int, sizeBytes: Int, checksum: String, madeNow: Int,
    failures: [Failure]
  ) {
    self.inputs = inputs
    self.done = done
    self.files = files
    self.sizeBytes = sizeBytes
    self.checksum = checksum
    self.madeNow = madeNow
    self.failures = failures
  }

  /// The sentence with which a run ends.
  func sentence(in folder: String, _ report: StatusReport, stints: Int) -> String {
    let size =
      "\(ReportText.grouped(files)) image\(files == 1 ? "" : "s"), "
      + "\(ReportText.grouped(sizeBytes)) bytes"
    if madeNow == 0 {
      return "Finished before: \(folder), \(size). --fresh computes them again."
    }
    return "Finished: \(folder), \(size), \(ReportText.grouped(madeNow)) of them in this run; "
      + "\(report.workTime.compactText) of work in \(stints) stint\(stints > 1 ? "s" : ""), "
      + "\(report.elapsed.compactText) in this run."
  }

  /// Adds the members of the account of `--json`.
  func add(to json: inout JSONLine) {
    json.add("inputs", inputs)
    json.add("inputsDone", done)
    json.add("inputsFailed", failures.count)
    json.add("files", files)
    json.add("filesMadeNow", madeNow)
    json.add(
      "failures",
      objects: failures.map { failure in
        var object = JSONLine()
        object.add("input", failure.input)
        object.add("code", failure.error.code.description)
        object.add("error", Sentence.of(failure.error))
        return object
      })
  }
}
