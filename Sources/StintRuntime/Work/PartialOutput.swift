/// A part of a partial file that a state counts on.
///
/// Its end moves on from state to state, and its bytes do not change once a state counts on them.
/// See ``ChunkedComputation/partialOutput(of:)``.
public struct PartialOutput: Hashable, Sendable {
  /// The name of the partial file.
  public var file: String
  /// Where the part begins, in bytes; the same in every state.
  public var start: Int
  /// Where the part ends, in bytes.
  public var end: Int

  /// Creates a part of a partial file.
  ///
  /// - Parameters:
  ///   - file: The name of the partial file.
  ///   - start: Where the part begins; the same in every state.
  ///   - end: Where the part ends, in bytes from the beginning of the file.
  public init(_ file: String, from start: Int = 0, upTo end: Int) {
    precondition(start >= 0 && start <= end, "a part does not end before it begins")
    (self.file, self.start, self.end) = (file, start, end)
  }
}

extension OutputChecksums {
  /// No checksums of a part that is taken as it is.
  init(_ output: PartialOutput) {
    self.init(
      file: output.file, start: output.start, origin: output.end, end: output.end, pieces: [])
  }
}
