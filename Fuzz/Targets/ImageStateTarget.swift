#if Images
import StintCore
import StintRuntime

@testable import StintImages

/// What a checkpoint of an image holds, and the fingerprints beside the jobs.
///
/// The first byte chooses: statistics of a filter, an encoder's progress, or the file of
/// fingerprints, whose checksum is put right before it is read. The rest is what is read.
enum ImageStateTarget {
  /// The most bands that are tried: of 16 bits they are half a megabyte each.
  private static let mostBands = 2
  private static let allowance = Allowance(
    peakBytes: (fixed: 6 << 20, perByte: 512), totalBytes: (fixed: 12 << 20, perByte: 2048))

  static func examine(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let bytes = Array(input.dropFirst())
    switch first % 3 {
    case 0: examineStatistics(bytes, input)
    case 1: examineProgress(bytes, input)
    case _: examineFingerprints(bytes, input)
    }
  }

  private static func examineStatistics(_ bytes: [UInt8], _ input: [UInt8]) {
    guard bytes.first ?? 0 <= mostBands else { return }
    let statistics = allowance.accepted(input) {
      unlessRefused("a bad statistic", .damaged) { try FilterStatistics(decoding: bytes) }
    }
    guard let statistics else { return }
    require(spoilt(statistics.encoded) == bytes, "the statistics are not encoded as they were read")
  }

  private static func examineProgress(_ bytes: [UInt8], _ input: [UInt8]) {
    let progress = allowance.accepted(input) {
      try? bytes.withUnsafeBytes { try EncodingProgress(encoded: $0) }
    }
    guard let progress else { return }
    Plant.rare(progress.adler != 1)
    require(spoilt(progress.encoded) == bytes, "the progress is not encoded as it was read")
  }

  private static func examineFingerprints(_ body: [UInt8], _ input: [UInt8]) {
    let bytes = body + Array("\(XXH3Checksum.digest(body))\n".utf8)
    let entries = allowance.measured(input.count) {
      let entries = FingerprintCache.decoded(bytes)
      if !entries.isEmpty { Plant.accepted(input) }
      return entries
    }
    guard !entries.isEmpty else { return }
    require(
      FingerprintCache.decoded(spoilt(FingerprintCache.encoded(entries))) == entries,
      "the fingerprints did not come back")
  }

  private static func spoilt(_ bytes: [UInt8]) -> [UInt8] {
    Plant.spoils ? bytes.dropLast() + [bytes[bytes.count - 1] ^ 1] : bytes
  }
}
#endif
