/// The state of a sequence between two chunks.
///
/// It is immutable; copies share their numbers.
package struct SequenceState: OperationState {
  /// What is being done.
  enum Phase: Sendable {
    /// The pair before the first line is computed.
    case doubling(DoublingState<DecimalNumber>)
    /// Lines are written.
    case lines(LinesState)
    /// The output is read back and compared with the checksum of what was written.
    case checking(SequenceCheck)
    /// Nothing is left; the checksum is over the whole output.
    case complete(sizeBytes: Int, checksum: StreamChecksum)
  }

  var phase: Phase
  package var isUntried = false
}

/// Between two lines.
struct LinesState: Sendable {
  /// The position of the next line.
  var position: Int
  /// Its value.
  var current: DecimalNumber
  /// The value before it; 1 before position 0.
  var previous: DecimalNumber
  /// The length of the lines so far, in bytes.
  var written: Int
  /// Over the lines so far.
  var checksum: StreamChecksum
}

/// An output that is being read back.
struct SequenceCheck: Sendable {
  /// The length of all lines, in bytes.
  var sizeBytes: Int
  /// Over all lines as they were written.
  var expected: StreamChecksum
  /// How many bytes are read.
  var checked: Int
  /// Over those.
  var checksum: StreamChecksum
}
