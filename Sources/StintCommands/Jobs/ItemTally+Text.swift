import StintCore

extension ItemTally {
  /// How many are done and have failed, for a cell of a table.
  var shortCounts: String {
    "\(done)/\(count) done" + (failed > 0 ? ", \(failed) failed" : "")
  }

  /// How all of them stand, as a clause.
  var counts: String {
    shortCounts + (running.isEmpty ? "" : ", \(running.count) running")
      + (waiting > 0 ? ", \(waiting) waiting" : "")
  }

  /// The numbers of those that run now.
  var runningText: String {
    let shown = running.prefix(Self.shownNumbers).map(String.init).joined(separator: ", ")
    let more = running.count - Self.shownNumbers
    return "line\(running.count == 1 ? "" : "s") \(shown)" + (more > 0 ? " and \(more) more" : "")
  }

  private static let shownNumbers = 16

  /// The counts for programs.
  var countsJSON: JSONLine {
    var json = JSONLine()
    addCounts(to: &json)
    return json
  }

  func addCounts(to json: inout JSONLine) {
    json.add("count", count)
    json.add("done", done)
    json.add("failed", failed)
    json.add("running", running.count)
    json.add("waiting", waiting)
  }

  /// What failed, a line each, and below it where its output lies.
  func failureList(indent: Int) -> String {
    Self.failureList(failures, of: failed, indent: indent)
  }

  static func failureList(_ failures: [Failure], of count: Int, indent: Int) -> String {
    guard !failures.isEmpty else { return "" }
    let start = String(repeating: " ", count: indent)
    let more = count - failures.count
    return "\n\(start)Failed:\n"
      + failures.map { failure in
        ("\(failure.number): \(failure.text)" as String).line(after: start + "  ")
          + failure.places.map { $0.line(after: start + "      ") }.joined()
      }.joined() + (more > 0 ? "\(start)and \(more) more; --json lists them all\n" : "")
  }
}

extension ItemTally.Failure {
  /// Where its output lies, a text each.
  var places: [String] {
    [outputPath.map { "output: \($0)" }, errorPath.map { "errors: \($0)" }].compactMap { $0 }
  }

  func add(to json: inout JSONLine) {
    json.add("number", number)
    json.add("name", name)
    json.add("why", why)
    json.add("outputPath", outputPath)
    json.add("errorPath", errorPath)
  }

  var json: JSONLine {
    var json = JSONLine()
    add(to: &json)
    return json
  }
}

extension String {
  /// The text on a line of its own, with control characters as escapes.
  fileprivate func line(after start: String) -> String {
    start + CellWidth.fitted(self, to: .max) + "\n"
  }
}
