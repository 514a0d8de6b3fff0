/// A checkpoint that is durable and verified.
public struct CommittedCheckpoint: Hashable, Sendable {
  /// The generation's number, counted from 1 over the life of the job.
  public var sequence: UInt64
  /// The length of the file, header included.
  public var sizeBytes: Int

  /// Creates the receipt of a commit.
  public init(sequence: UInt64, sizeBytes: Int) {
    self.sequence = sequence
    self.sizeBytes = sizeBytes
  }
}
