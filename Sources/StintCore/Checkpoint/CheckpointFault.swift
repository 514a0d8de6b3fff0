/// What is wrong with a checkpoint file.
///
/// Each case becomes a clause that names both values (C5).
package enum CheckpointFault: Error, Hashable, Sendable {
  // Damage: the bytes are not those that were written.
  case tooShort(actual: UInt64, least: UInt64)
  case notACheckpoint
  case textTransfer
  case headerChecksum(stored: Checksum128, computed: Checksum128)
  case malformed(String)
  case length(actual: UInt64, stored: UInt64)
  case sequence(stored: UInt64, expected: UInt64)
  case payloadChecksum(stored: Checksum128, computed: Checksum128)

  // Mismatch: the file is whole, but not of this job or not of this version.
  case formatVersion(stored: UInt32, expected: UInt32)
  case kind(stored: String, expected: String)
  case parameters(stored: Checksum128, expected: Checksum128)
  case stateVersion(stored: UInt32, expected: UInt32)

  /// Whether the file is whole and of something else, as opposed to damaged.
  package var isMismatch: Bool {
    switch self {
    case .formatVersion, .kind, .parameters, .stateVersion: true
    case .tooShort, .notACheckpoint, .textTransfer, .headerChecksum, .malformed, .length,
      .sequence, .payloadChecksum:
      false
    }
  }
}

extension CheckpointFault: CustomStringConvertible {
  /// The fault as the end of a sentence that begins with the file's name.
  package var description: String {
    switch self {
    case .tooShort(let actual, let least):
      "is cut off: it has \(actual) bytes and a header alone has \(least)"
    case .notACheckpoint:
      "does not begin like a checkpoint"
    case .textTransfer:
      "was copied in text mode, which changed its bytes"
    case .headerChecksum(let stored, let computed):
      "has a damaged header: its checksum says \(stored), its bytes give \(computed)"
    case .malformed(let field):
      "has a header whose \(field) cannot be"
    case .length(let actual, let stored):
      "has \(actual) bytes after its header, which says \(stored)"
    case .sequence(let stored, let expected):
      "says that it is generation \(stored), its name says \(expected)"
    case .payloadChecksum(let stored, let computed):
      "has damaged contents: the checksum says \(stored), the bytes give \(computed)"
    case .formatVersion(let stored, let expected):
      "has format version \(stored), and this program reads versions up to \(expected)"
    case .kind(let stored, let expected):
      "is of a \(stored) job, not of a \(expected) job"
    case .parameters(let stored, let expected):
      "belongs to other parameters: their hash is \(stored), that of this job \(expected)"
    case .stateVersion(let stored, let expected):
      "has state version \(stored), and this program reads version \(expected)"
    }
  }
}
