package import StintCore

/// The name of a job: its kind and a hash of what decides its result and where that goes.
///
/// The same command line gives the same key, so running it again finds the job. Budgets, leads,
/// ticks and thread counts are no part of it.
package struct JobKey: Hashable, Sendable, CustomStringConvertible {
  /// The key, and the name of the job's directory: `fibonacci-1f0c5a93b2d4e687`.
  package let description: String
  /// The checksum of the kind and the canonical parameters, which every checkpoint carries.
  package let parameterHash: Checksum128
  /// A number from 0 up to 1, evenly spread over jobs and the same for one job everywhere.
  package let stagger: Double

  /// Makes the key of a job; its output is nil for the standard output.
  package init(kind: String, parameters: JobParameters, outputPath: FilePath?) {
    let text = kind + "\n" + parameters.canonicalText
    parameterHash = XXH3Checksum.digest(Array(text.utf8))
    let whole = XXH3Checksum.digest(Array((text + "\n" + (outputPath?.text ?? "")).utf8))
    description = kind + "-" + whole.description.prefix(16)
    stagger = Double(whole.high >> 11) / 0x1p53
  }

  /// Whether a name can be that of a job's directory.
  package static func isKey(_ name: String) -> Bool {
    guard let hyphen = name.lastIndex(of: "-") else { return false }
    let hash = name[name.index(after: hyphen)...]
    return hash.utf8.count == 16
      && hash.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
      && CheckpointHeader.isKind(String(name[..<hyphen]))
  }
}
