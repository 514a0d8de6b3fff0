/// The first 128 bytes of a checkpoint file.
///
/// `docs/formats/checkpoint.md` has the table of its bytes. The magic, the format version and the
/// place of the header checksum are the same in every version to come, so that a newer file is told
/// from a damaged one.
package struct CheckpointHeader: Hashable, Sendable {
  /// A function from bytes to their checksum.
  package typealias Digest = ([UInt8]) -> Checksum128

  /// The length of the header in bytes.
  package static let sizeBytes = 128
  /// The newest version that this code reads.
  ///
  /// The one before it has no record of partial output.
  package static let formatVersion: UInt32 = 2
  /// The first bytes.
  ///
  /// The first is not ASCII and a CR LF pair follows, so that a transfer in text mode shows.
  package static let magic: [UInt8] = [0xD3, 0x53, 0x54, 0x4E, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Where each field begins, in bytes.
  enum Offset {
    static let formatVersion = 8
    static let stateVersion = 12
    static let kind = 16
    static let parameterHash = 32
    static let sequence = 48
    static let workTime = 56
    static let payloadLength = 64
    static let created = 72
    static let reserved = 80
    static let payloadChecksum = 96
    static let headerChecksum = 112
  }

  /// The version of the payload's encoding.
  package var stateVersion: UInt32
  /// The kind of the computation: 1 to 16 ASCII letters, digits or hyphens.
  package var kind: String
  /// The checksum of the canonical parameters.
  package var parameterHash: Checksum128
  /// The number of the generation, from 1.
  package var sequence: UInt64
  /// The job's own time up to this state, in nanoseconds.
  package var workTimeNanoseconds: UInt64
  /// The length of what follows the header, in bytes.
  package var payloadLength: UInt64
  /// When the checkpoint was made, in nanoseconds since 1970; a label only.
  package var createdNanoseconds: UInt64
  /// The checksum of what follows the header.
  package var payloadChecksum: Checksum128
  /// Whether the payload ends with a record of partial output.
  ///
  /// Else the version is 1, which older programs read.
  package var holdsOutputRecord = false

  package init(
    stateVersion: UInt32, kind: String, parameterHash: Checksum128, sequence: UInt64,
    workTimeNanoseconds: UInt64, payloadLength: UInt64, createdNanoseconds: UInt64,
    payloadChecksum: Checksum128, holdsOutputRecord: Bool = false
  ) {
    self.stateVersion = stateVersion
    self.kind = kind
    self.parameterHash = parameterHash
    self.sequence = sequence
    self.workTimeNanoseconds = workTimeNanoseconds
    self.payloadLength = payloadLength
    self.createdNanoseconds = createdNanoseconds
    self.payloadChecksum = payloadChecksum
    self.holdsOutputRecord = holdsOutputRecord
  }

  /// Whether a text can be a kind.
  package static func isKind(_ text: String) -> Bool {
    (1...16).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// The 128 bytes.
  package func encoded(digest: Digest) -> [UInt8] {
    precondition(Self.isKind(kind), "a kind is 1 to 16 ASCII letters, digits or hyphens")
    var bytes = Self.magic
    bytes.reserveCapacity(Self.sizeBytes)
    bytes.appendLittleEndian(holdsOutputRecord ? Self.formatVersion : 1)
    bytes.appendLittleEndian(stateVersion)
    bytes += Array(kind.utf8)
    bytes += [UInt8](repeating: 0, count: Offset.parameterHash - bytes.count)
    bytes += parameterHash.bytes
    bytes.appendLittleEndian(sequence)
    bytes.appendLittleEndian(workTimeNanoseconds)
    bytes.appendLittleEndian(payloadLength)
    bytes.appendLittleEndian(createdNanoseconds)
    bytes += [UInt8](repeating: 0, count: Offset.payloadChecksum - bytes.count)
    bytes += payloadChecksum.bytes
    bytes += digest(bytes).bytes
    return bytes
  }
}

extension [UInt8] {
  /// Appends a number, its lowest byte first.
  fileprivate mutating func appendLittleEndian(_ number: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
