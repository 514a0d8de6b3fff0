#if Images
import StintCommands
package import StintCore
package import StintImages
package import StintRuntime

extension ImageSetAccount: ManyResults {
  package var published: OutputFile.Published {
    .init(sizeBytes: sizeBytes, checksum: checksum.description)
  }

  package var areOld: Bool { madeNow == 0 }

  package func sentence(in folder: String, _ report: StatusReport, stints: Int) -> String {
    let size =
      "\(ReportText.grouped(files)) image\(files == 1 ? "" : "s"), "
      + "\(ReportText.grouped(sizeBytes)) bytes"
    if areOld {
      return "Finished before: \(folder), \(size). --fresh computes them again."
    }
    return "Finished: \(folder), \(size), \(ReportText.grouped(madeNow)) of them in this run; "
      + "\(report.workTime.compactText) of work in \(stints) stint\(stints > 1 ? "s" : ""), "
      + "\(report.elapsed.compactText) in this run."
  }

  package func add(to json: inout JSONLine) {
    json.add("inputs", count)
    json.add("inputsDone", done)
    json.add("inputsFailed", failures.count)
    json.add("files", files)
    json.add("filesMadeNow", madeNow)
    json.add("orphans", orphans.map(\.text))
    json.add("orphansDeleted", isTrue: orphansAreRemoved)
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

extension ResultOutput {
  /// Tells of one image of many, to whoever asked for events: its result, or why there is none.
  func tellImage(
    _ input: String, output: String? = nil, published: OutputFile.Published? = nil,
    error: StintError? = nil
  ) {
    if let error {
      say(error.typed.holds(input) ? error.typed : "\(input): \(error.typed)")
    }
    tellPart("image") { json in
      json.add("input", input)
      json.add("outcome", error == nil ? "done" : "failed")
      json.add("output", output)
      json.add("sizeBytes", published?.sizeBytes)
      json.add("xxh3", published?.checksum)
      json.add("code", error?.code.description)
      json.add("error", error.map { Sentence.of($0) })
    }
  }
}
#endif
