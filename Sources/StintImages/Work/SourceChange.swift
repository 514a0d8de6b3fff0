#if Images
package import StintRuntime
package import StintCore

/// Looks for unfinished work on the same path and output that was begun when the source was another
/// one.
package enum SourceChange {
  /// A job whose source has changed.
  package struct Stale: Hashable, Sendable {
    package var key: String
    /// What the source was when it was begun.
    package var fingerprint: SourceFingerprint

    package init(key: String, fingerprint: SourceFingerprint) {
      self.key = key
      self.fingerprint = fingerprint
    }
  }

  /// Finds such jobs.
  ///
  /// - Parameters:
  ///   - catalog: All jobs.
  ///   - source: The path of the source.
  ///   - fingerprint: What it is now.
  ///   - output: Where the result goes.
  /// - Returns: The jobs, none if the source is what it was.
  /// - Throws: ``StintError`` with the code `io`.
  package static func stale(
    in catalog: JobCatalog, source: FilePath, fingerprint: SourceFingerprint, output: FilePath?
  ) throws(StintError) -> [Stale] {
    var stale: [Stale] = []
    for key in try catalog.keys() where key.hasPrefix(ImageComputation.kind + "-") {
      let summary = catalog.summary(of: key)
      guard !summary.isFinished, let record = summary.record, record.outputPath == output,
        let parameters = try? ImageParameters(record), parameters.source == source,
        parameters.fingerprint != fingerprint
      else { continue }
      stale.append(Stale(key: key, fingerprint: parameters.fingerprint))
    }
    return stale
  }

  /// The refusal of a source that changed between two stints.
  package static func refusal(
    _ stale: Stale, source: FilePath, fingerprint: SourceFingerprint
  ) -> StintError {
    StintError(
      .mismatch,
      "The input \(source) has changed since \(stale.key) was begun: it had "
        + "\(stale.fingerprint.sizeBytes) bytes with the checksum \(stale.fingerprint.checksum), and "
        + "has \(fingerprint.sizeBytes) bytes with \(fingerprint.checksum).",
      remedies: ["put the old one back", .startOver])
  }
}
#endif
