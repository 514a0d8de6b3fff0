/// What a file must say to be a checkpoint of a given job.
package struct CheckpointExpectation: Hashable, Sendable {
  /// The kind of the computation.
  package var kind: String
  /// The checksum of the canonical parameters.
  package var parameterHash: Checksum128
  /// The version of the state's encoding.
  package var stateVersion: UInt32

  package init(kind: String, parameterHash: Checksum128, stateVersion: UInt32) {
    self.kind = kind
    self.parameterHash = parameterHash
    self.stateVersion = stateVersion
  }
}

extension CheckpointHeader {
  /// Reads a header and checks all that can be checked without the payload.
  ///
  /// The order of the checks: first whether the bytes are what was written (a failure is damage),
  /// then whether they are what is wanted (a failure is a mismatch, C5). No length is used before
  /// the checksum over it has been verified.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of the file: 128 bytes, or all there is if the file is shorter.
  ///   - fileLength: The length of the whole file as the file system tells it.
  ///   - sequence: The generation that the file's name says.
  ///   - digest: The checksum function.
  /// - Throws: ``CheckpointFault``.
  package init(
    decoding bytes: [UInt8], fileLength: UInt64, sequence: UInt64, digest: Digest
  ) throws(CheckpointFault) {
    guard bytes.count >= Self.sizeBytes, fileLength >= UInt64(Self.sizeBytes) else {
      throw .tooShort(actual: min(UInt64(bytes.count), fileLength), least: UInt64(Self.sizeBytes))
    }
    let header = Array(bytes[..<Self.sizeBytes])
    guard Array(header[..<8]) == Self.magic else {
      throw Self.looksLikeTextTransfer(header) ? .textTransfer : .notACheckpoint
    }
    let stored = Checksum128(bytes: header[Offset.headerChecksum...])
    let computed = digest(Array(header[..<Offset.headerChecksum]))
    guard stored == computed else { throw .headerChecksum(stored: stored, computed: computed) }

    let version: UInt32 = header.littleEndian(at: Offset.formatVersion)
    guard (1...Self.formatVersion).contains(version) else {
      throw .formatVersion(stored: version, expected: Self.formatVersion)
    }
    guard let kind = Self.kind(in: header[Offset.kind..<Offset.parameterHash]) else {
      throw .malformed("kind")
    }
    guard header[Offset.reserved..<Offset.payloadChecksum].allSatisfy({ $0 == 0 }) else {
      throw .malformed("reserved bytes")
    }
    self.init(
      stateVersion: header.littleEndian(at: Offset.stateVersion), kind: kind,
      parameterHash: Checksum128(bytes: header[Offset.parameterHash..<Offset.sequence]),
      sequence: header.littleEndian(at: Offset.sequence),
      workTimeNanoseconds: header.littleEndian(at: Offset.workTime),
      payloadLength: header.littleEndian(at: Offset.payloadLength),
      createdNanoseconds: header.littleEndian(at: Offset.created),
      payloadChecksum: Checksum128(bytes: header[Offset.payloadChecksum..<Offset.headerChecksum]),
      holdsOutputRecord: version > 1)

    guard payloadLength == fileLength - UInt64(Self.sizeBytes) else {
      throw .length(actual: fileLength - UInt64(Self.sizeBytes), stored: payloadLength)
    }
    guard self.sequence == sequence else {
      throw .sequence(stored: self.sequence, expected: sequence)
    }
  }

  /// Refuses a checkpoint of another job or of another version of the computation (C5).
  ///
  /// - Throws: ``CheckpointFault`` with both values.
  package func check(_ expected: CheckpointExpectation) throws(CheckpointFault) {
    guard kind == expected.kind else { throw .kind(stored: kind, expected: expected.kind) }
    guard parameterHash == expected.parameterHash else {
      throw .parameters(stored: parameterHash, expected: expected.parameterHash)
    }
    guard stateVersion == expected.stateVersion else {
      throw .stateVersion(stored: stateVersion, expected: expected.stateVersion)
    }
  }

  /// Checks what was read after the header.
  ///
  /// - Throws: ``CheckpointFault`` with both checksums.
  package func check(payload checksum: Checksum128) throws(CheckpointFault) {
    guard checksum == payloadChecksum else {
      throw .payloadChecksum(stored: payloadChecksum, computed: checksum)
    }
  }

  private static func looksLikeTextTransfer(_ header: [UInt8]) -> Bool {
    let unixEnds: [UInt8] = [0xD3, 0x53, 0x54, 0x4E, 0x0A, 0x1A]
    let dosEnds: [UInt8] = [0xD3, 0x53, 0x54, 0x4E, 0x0D, 0x0D, 0x0A, 0x1A]
    let sevenBits: [UInt8] = [0x53, 0x53, 0x54, 0x4E]
    return header.starts(with: unixEnds) || header.starts(with: dosEnds)
      || header.starts(with: sevenBits)
  }

  private static func kind(in field: ArraySlice<UInt8>) -> String? {
    let name = field.prefix { $0 != 0 }
    guard field.dropFirst(name.count).allSatisfy({ $0 == 0 }) else { return nil }
    let text = String(decoding: name, as: UTF8.self)
    return isKind(text) ? text : nil
  }
}

extension [UInt8] {
  /// The number at an offset, its lowest byte first.
  fileprivate func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(
    at offset: Int
  ) -> Number {
    (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(self[offset + $1]) << ($1 * 8) }
  }
}
