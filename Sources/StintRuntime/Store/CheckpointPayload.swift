/// The bytes of a state on their way into a checkpoint: a list of segments, of which large ones are
/// lent by their owner and never copied.
public struct CheckpointPayload: @unchecked Sendable {
  // Unchecked: a lent buffer belongs to an owner whose contract is that it does not change (W14).

  /// One run of bytes.
  struct Segment {
    var bytes: UnsafeRawBufferPointer
    var owner: AnyObject
  }

  private(set) var segments: [Segment] = []

  /// The sum of all segments' lengths, in bytes.
  public private(set) var sizeBytes = 0

  /// Whether it ends with a record of partial output.
  var holdsOutputRecord = false

  /// Creates an empty payload.
  public init() {}

  /// Appends a copy of the bytes.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    let copy = OwnedBytes(Array(bytes))
    lend(copy.buffer, owner: copy)
  }

  /// Appends a number in little-endian order.
  public mutating func append(_ number: some FixedWidthInteger) {
    append(withUnsafeBytes(of: number.littleEndian) { Array($0) })
  }

  /// Appends bytes without copying them.
  ///
  /// - Parameters:
  ///   - bytes: The bytes; they must not change and must stay valid as long as the owner lives.
  ///   - owner: Kept alive until the checkpoint is written.
  public mutating func lend(_ bytes: UnsafeRawBufferPointer, owner: AnyObject) {
    guard !bytes.isEmpty else { return }
    segments.append(Segment(bytes: bytes, owner: owner))
    sizeBytes += bytes.count
  }

  /// Calls the body with each segment in order.
  public func forEachSegment(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    for segment in segments {
      try withExtendedLifetime(segment.owner) { try body(segment.bytes) }
    }
  }
}

/// A copy of bytes at a fixed address.
private final class OwnedBytes {
  let buffer: UnsafeRawBufferPointer

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    copy.copyBytes(from: bytes)
    buffer = UnsafeRawBufferPointer(copy)
  }

  deinit {
    buffer.deallocate()
  }
}
