/// Where a computation keeps output that is not finished yet: the job's `partial/` folder.
///
/// What is written here survives a cut only after ``synchronize()``; the worker calls it before
/// every commit of a checkpoint, so a checkpoint may count on every byte that was written before
/// its state was made.
public protocol Workspace: AnyObject, Sendable {
  /// Opens (or creates) a partial file for reading and writing at offsets.
  ///
  /// - Parameter name: A plain file name of letters, digits, hyphens and dots.
  /// - Returns: The file; the same one at every call.
  /// - Throws: ``StintError``: `usage` for a name that is none, `io`.
  func partialFile(named name: String) throws -> any PartialFile

  /// Makes everything that was written to partial files durable, data and directory entries.
  func synchronize() throws

  /// Removes a partial file if it exists.
  func removePartialFile(named name: String) throws
}

/// A file in a workspace.
///
/// All functions may be called from any thread.
public protocol PartialFile: AnyObject, Sendable {
  /// The file's length in bytes.
  var sizeBytes: Int { get throws }

  /// Writes all of the bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws

  /// Reads exactly as many bytes as the buffer holds, from an offset.
  ///
  /// - Throws: ``StintError`` with the code `damaged` if the file ends before.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws

  /// Cuts or extends the file to a length in bytes.
  func truncate(to sizeBytes: Int) throws
}
