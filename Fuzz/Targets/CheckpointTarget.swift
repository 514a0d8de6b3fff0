import StintCore

@testable import StintRuntime

/// The header of a checkpoint and the reader of a whole one.
///
/// The first byte of the input says what is put right before reading, so that the fuzzer gets past
/// checksums that it cannot compute; the rest is the file.
enum CheckpointTarget {
  /// What the first byte asks for.
  struct Repairs: OptionSet {
    let rawValue: UInt8
    static let payloadChecksum = Repairs(rawValue: 1)
    static let payloadLength = Repairs(rawValue: 2)
    static let sequence = Repairs(rawValue: 4)
    static let headerChecksum = Repairs(rawValue: 8)
    /// Not a repair: the second half of the file cannot be read.
    static let cut = Repairs(rawValue: 16)
  }

  private static let allowance = Allowance(
    peakBytes: (fixed: 16_384, perByte: 8), totalBytes: (fixed: 65_536, perByte: 16))

  static func examine(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let repairs = Repairs(rawValue: first)
    let bytes = repaired(Array(input.dropFirst()), repairs)
    let fileSystem = SingleFile(
      bytes, readableBytes: repairs.contains(.cut) ? bytes.count / 2 : nil)
    let reader = CheckpointReader(fileSystem: fileSystem, directory: fileSystem.directory)

    let header = allowance.accepted(input, size: bytes.count) { verified(by: reader) }
    guard let header else { return }
    Plant.rare(header.stateVersion > 1000 && header.kind.contains("-"))
    checkPayload(of: header, bytes: bytes, by: reader)
    checkRoundTrip(header, bytes: bytes)
  }

  private static func verified(by reader: CheckpointReader) -> CheckpointHeader? {
    do {
      return try reader.verify(1)
    } catch let fault as CheckpointFault {
      require(!fault.description.isEmpty, "a fault without words")
      return nil
    } catch {
      fatalError("a file that can be read gave \(error)")
    }
  }

  /// What is verified can be loaded, byte for byte, by the job that it belongs to and by no other.
  private static func checkPayload(
    of header: CheckpointHeader, bytes: [UInt8], by reader: CheckpointReader
  ) {
    var expected = CheckpointExpectation(
      kind: header.kind, parameterHash: header.parameterHash, stateVersion: header.stateVersion)
    let payload = allowance.measured(bytes.count) {
      try? reader.withPayload(of: 1, expecting: expected) { Array($1) }
    }
    require(payload == Array(bytes.dropFirst(128)), "the payload is not what the file holds")
    expected.parameterHash.low ^= 1
    do {
      try reader.withPayload(of: 1, expecting: expected) { _, _ in }
      fatalError("another job's checkpoint was loaded")
    } catch {
      require((error as? CheckpointFault)?.isMismatch == true, "\(error) is no mismatch")
    }
  }

  /// The encoding is canonical: the header's bytes come out as they went in.
  private static func checkRoundTrip(_ header: CheckpointHeader, bytes: [UInt8]) {
    var header = header
    if Plant.spoils { header.workTimeNanoseconds ^= 1 }
    let encoded = header.encoded(digest: XXH3Checksum.digest)
    require(encoded == Array(bytes.prefix(128)), "the header is not encoded as it was read")
  }

  private static func repaired(_ bytes: [UInt8], _ repairs: Repairs) -> [UInt8] {
    guard bytes.count >= CheckpointHeader.sizeBytes else { return bytes }
    var bytes = bytes
    func little(_ number: Int) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    if repairs.contains(.sequence) { bytes.replaceSubrange(48..<56, with: little(1)) }
    if repairs.contains(.payloadLength) {
      bytes.replaceSubrange(64..<72, with: little(bytes.count - CheckpointHeader.sizeBytes))
    }
    if repairs.contains(.payloadChecksum) {
      bytes.replaceSubrange(96..<112, with: XXH3Checksum.digest(Array(bytes[128...])).bytes)
    }
    if repairs.contains(.headerChecksum) {
      bytes.replaceSubrange(112..<128, with: XXH3Checksum.digest(Array(bytes[..<112])).bytes)
    }
    return bytes
  }
}
