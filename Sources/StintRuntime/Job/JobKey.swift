package import StintCore

/// The key of a job: its kind and a hash of what decides its result and where that goes, or of its
/// name.
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

  /// Makes the key of a job.
  ///
  /// - Parameters:
  ///   - kind: The kind of the computation.
  ///   - parameters: What decides the result.
  ///   - outputPath: The output as `job.json` has it; nil for the standard output.
  ///   - name: The name that the user gave; then nothing else but the environment and the shard
  ///     is in the key.
  ///   - environment: Variables that tell this job from others, with their values.
  package init(
    kind: String, parameters: JobParameters, outputPath: FilePath?, name: String? = nil,
    environment: [String: String] = [:]
  ) {
    let text = kind + "\n" + parameters.canonicalText
    parameterHash = XXH3Checksum.digest(Array(text.utf8))
    let identity =
      if let name {
        "name\n" + name + "\n" + (Shard(parameters.values)?.text ?? "")
      } else {
        text + "\n" + (outputPath?.text ?? "")
      }
    let variables =
      environment.isEmpty ? "" : "\nenvironment\n" + JobParameters(environment).canonicalText
    let whole = XXH3Checksum.digest(Array((identity + variables).utf8))
    description = kind + "-" + whole.description.prefix(Self.digits)
    stagger = Double(whole.high >> 11) / 0x1p53
  }

  private static let digits = 16

  /// The hyphen and the digits, which jobs of one name share whatever their kind is.
  var ending: Substring { description.suffix(Self.digits + 1) }

  /// Whether a name can be that of a job's directory.
  package static func isKey(_ name: String) -> Bool {
    guard let hyphen = name.lastIndex(of: "-") else { return false }
    let hash = name[name.index(after: hyphen)...]
    return hash.utf8.count == digits
      && hash.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
      && CheckpointHeader.isKind(String(name[..<hyphen]))
  }

  /// The most characters of a name.
  package static let longestName = 64

  /// Whether a user may call a job so: letters, digits, dots, underscores and hyphens, no hyphen
  /// at the beginning, and no key.
  package static func isName(_ text: String) -> Bool {
    (1...longestName).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || "._-".utf8.contains(byte)
      } && !isKey(text)
  }
}
