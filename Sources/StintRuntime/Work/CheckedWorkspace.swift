/// A workspace that keeps checksums of partial output.
///
/// Called on the thread of the chunks, between two of them.
package protocol CheckedWorkspace: Workspace {
  /// Keeps the checksums of parts up to their ends; what was not written in order is read.
  ///
  /// - Returns: The checksums of all parts of which they are kept, by file and start.
  func keepChecksums(of outputs: [PartialOutput]) throws -> [OutputChecksums]

  /// Goes on from the checksums of a checkpoint, after the last piece has been read back.
  ///
  /// - Parameters:
  ///   - checksums: The checksums of a part.
  ///   - isNeeded: Whether the file must be there.
  /// - Throws: ``StintError`` with the code `damaged`.
  func goOn(from checksums: OutputChecksums, isNeeded: Bool) throws
}
