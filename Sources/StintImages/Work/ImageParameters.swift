#if Images
package import StintCore
package import StintRuntime

/// What decides the file that an image job makes, in canonical form: the job's parameters.
package struct ImageParameters: Hashable, Sendable {
  /// The absolute path of the source.
  package var source: FilePath
  /// Its length and checksum when the job was made.
  package var fingerprint: SourceFingerprint
  package var selection: ImageSource.Selection
  /// The filters in canonical form.
  package var pipeline: String
  /// The format and its options in canonical form.
  package var output: String
  /// What the user trusts in so far as the source needs it.
  package var trusted: Set<UntrustedFormat>

  private enum Name {
    static let source = "source"
    static let sizeBytes = "sourceBytes"
    static let checksum = "sourceXXH3"
    static let page = "page"
    static let orientation = "orientation"
    static let pipeline = "pipeline"
    static let output = "output"
    static let trust = "trust"
    static let damaged = "damaged"
  }

  static func of(_ plan: ImagePlan, _ fingerprint: SourceFingerprint) -> JobParameters {
    var values = [
      Name.source: plan.source.file.path.text,
      Name.sizeBytes: String(fingerprint.sizeBytes),
      Name.checksum: fingerprint.checksum.description,
      Name.page: String(plan.source.selection.page),
      Name.orientation: plan.source.selection.keepsOrientation ? "kept" : "applied",
      Name.pipeline: plan.pipeline.canonicalText,
      Name.output: plan.output.request.canonicalText,
    ]
    values[Name.damaged] = plan.source.selection.damaged.stored
    // The bytes of the source decide it, so that no two jobs differ by it alone.
    values[Name.trust] = UntrustedFormat.text(plan.source.neededTrust)
    return JobParameters(values)
  }

  /// Reads what a job was made by.
  ///
  /// - Parameter record: What the job is.
  /// - Throws: ``StintError`` with the code `damaged` if it is of no image.
  package init(_ record: JobRecord) throws(StintError) {
    let values = record.parameters
    guard record.kind == ImageComputation.kind, let source = values[Name.source],
      let sizeBytes = values[Name.sizeBytes].flatMap({ Int($0) }),
      let checksum = values[Name.checksum].flatMap(Checksum128.init(hex:)),
      let page = values[Name.page].flatMap({ Int($0) }), page >= 0,
      let orientation = values[Name.orientation], ["kept", "applied"].contains(orientation),
      let pipeline = values[Name.pipeline], let output = values[Name.output],
      let trusted = UntrustedFormat.set(stored: values[Name.trust]),
      let damaged = try? DamagePolicy(word: values[Name.damaged])
    else {
      throw StintError(
        .damaged,
        "\(record.key) is of the kind \(record.kind) with parameters that this program cannot run.")
    }
    self.source = record.placed(FilePath(source))
    fingerprint = SourceFingerprint(sizeBytes: sizeBytes, checksum: checksum)
    selection = .init(page: page, keepsOrientation: orientation == "kept", damaged: damaged)
    self.pipeline = pipeline
    self.output = output
    self.trusted = trusted
  }
}

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
