#if Images
package import StintRuntime
package import StintCore

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
#endif
