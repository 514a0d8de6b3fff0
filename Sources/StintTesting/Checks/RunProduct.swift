import Stint

/// What is left at the end of a run.
struct RunProduct: Hashable {
  /// The encoded state that the result was made from.
  var finalState: [UInt8]
  /// The partial files by name, and files outside of the job by path.
  var files: [String: [UInt8]]
  /// What the owner of the computation says that was delivered.
  var output: [UInt8]

  /// How this product differs from the uninterrupted run's, or nil.
  func difference(from expected: Self, except scratchFiles: Set<String>) -> String? {
    if finalState != expected.finalState {
      return "W8: the final state differs from that of the uninterrupted run"
        + Self.place(finalState, expected.finalState)
    }
    for name in Set(files.keys).union(expected.files.keys).subtracting(scratchFiles).sorted()
    where files[name] != expected.files[name] {
      let what = name.contains("/") ? "published file" : "partial file"
      return "W8: the \(what) \(name) differs from that of the uninterrupted run"
        + Self.place(files[name] ?? [], expected.files[name] ?? [])
    }
    if output != expected.output {
      return "W8: the output differs from that of the uninterrupted run"
        + Self.place(output, expected.output)
    }
    return nil
  }

  private static func place(_ found: [UInt8], _ expected: [UInt8]) -> String {
    let first = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    if let first { return " at byte \(first)." }
    return " in length: \(found.count) bytes in place of \(expected.count)."
  }
}

extension FaultyFileSystem {
  /// The files that a result can be in: the partial files of a job by name, and what lies outside
  /// of the jobs by path.
  ///
  /// - Parameter jobPath: The directory of the job.
  /// - Returns: Their contents.
  func resultFiles(besides jobPath: String) -> [String: [UInt8]] {
    let partial = jobPath + "/partial/"
    var found: [String: [UInt8]] = [:]
    for path in files() {
      if path.hasPrefix(partial) {
        found[String(path.dropFirst(partial.count))] = contents(of: path)
      } else if !path.hasPrefix(Self.jobsPath + "/") {
        found[path] = contents(of: path)
      }
    }
    return found
  }
}
