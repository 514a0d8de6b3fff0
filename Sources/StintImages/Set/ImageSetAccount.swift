#if Images
package import StintCore

/// How many images of a set were made, and which inputs failed.
package struct ImageSetAccount: Hashable, Sendable {
  /// An input that failed.
  package struct Failure: Hashable, Sendable {
    package var input: String
    /// Why.
    package var error: StintError

    /// Both; most sentences name their input themselves.
    var full: StintError { error.message.holds(input) ? error : error.about(input) }
  }

  /// How many inputs there are.
  package var count: Int
  /// How many of them are done.
  package var done = 0
  /// How many files they became.
  package var files = 0
  /// The length of all files.
  package var sizeBytes = 0
  /// The checksum of the checksums of all files, in order.
  package var checksum = Checksum128(high: 0, low: 0)
  /// How many files this process made.
  package var madeNow: Int
  package var failures: [Failure] = []
  /// Results of this job whose inputs the set has no more, by their names.
  package var orphans: [FilePath] = []
  /// Whether those were removed.
  package var orphansAreRemoved = false

  /// The results whose inputs the set has no more, in words; nil if there are none.
  ///
  /// - Parameter folder: Where they are.
  /// - Returns: What there is to say.
  package func orphansNotice(in folder: String) -> Notice? {
    guard !orphans.isEmpty else { return nil }
    let names = orphans.prefix(5).map(\.text).joined(separator: ", ")
    let more = orphans.count > 5 ? " (and \(orphans.count - 5) more)" : ""
    let results = "\(orphans.count) result\(orphans.count == 1 ? "" : "s")"
    if orphansAreRemoved {
      return
        "\(results) without an input \(orphans.count == 1 ? "was" : "were") removed from \(folder): \(names)\(more)."
    }
    return Notice(
      "The input of \(results) in \(folder) is gone: \(names)\(more).", remedies: [.removeOrphans])
  }

  /// What the run ends with if inputs have failed.
  ///
  /// - Parameters:
  ///   - folder: Where the other results are.
  ///   - sentence: The words for one of the failures.
  /// - Returns: The failure, or nil.
  package func failure(in folder: String, _ sentence: (StintError) -> String) -> StintError? {
    guard !failures.isEmpty else { return nil }
    let shown = failures.prefix(5).map { sentence($0.full) }
    let more = failures.count > 5 ? " (and \(failures.count - 5) more)" : ""
    return StintError(
      .partlyFailed,
      "\(failures.count) of \(count) images failed; the other \(done) are in \(folder). "
        + shown.joined(separator: " ") + more
        + " Run the same command again to try \(failures.count == 1 ? "it" : "them") again.")
  }
}
#endif
