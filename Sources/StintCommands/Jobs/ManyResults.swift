package import StintCore
package import StintRuntime

/// What a run made whose results are many files, as its kind tells it.
package protocol ManyResults: Sendable {
  /// The length of all files, and the checksum of their checksums in order.
  var published: OutputFile.Published { get }

  /// Whether an earlier process made all of them.
  var areOld: Bool { get }

  /// The sentence with which the run ends.
  func sentence(in folder: String, _ report: StatusReport, stints: Int) -> String

  /// Adds the members of the account of `--json`.
  func add(to json: inout JSONLine)
}
