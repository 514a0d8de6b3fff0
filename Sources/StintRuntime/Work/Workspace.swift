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

  /// Puts a complete partial file where the result belongs.
  ///
  /// For ``ChunkedComputation/finish(_:in:)``. The file appears under its path at once and whole,
  /// and is durable on return (W9). Whatever has the path is replaced. The partial file stays, so
  /// it may be called again after a kill; do not write to it afterwards.
  ///
  /// - Parameters:
  ///   - name: The partial file.
  ///   - path: Where the result goes; a relative path begins at the current directory. The folder
  ///     is made if it is missing, private to the user.
  /// - Throws: ``StintError``: `usage` if the workspace is not that of a ``Job``, `damaged` if
  ///   there is no such partial file, `cannotCreate`, `io`, or `busy` if the job is another
  ///   process's by now.
  func publish(partialFileNamed name: String, to path: String) throws
}

extension Workspace {
  /// Refuses: only the workspace of a job can publish.
  public func publish(partialFileNamed name: String, to path: String) throws {
    throw StintError(.usage, "only the workspace of a job can publish a result")
  }

  /// Writes a file where the result belongs, at once, whole and durably (W9).
  ///
  /// For results that fit into memory; a larger one is written to a partial file, which
  /// ``publish(partialFileNamed:to:)`` then puts in its place. The bytes go through a partial file
  /// named `published`, which is removed in the end.
  ///
  /// ```swift
  /// func finish(_ state: State, in workspace: any Workspace) throws {
  ///   try workspace.publish("\(state.sum)\n".utf8, to: "sum.txt")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: All of the file.
  ///   - path: Where the result goes; a relative path begins at the current directory. The folder
  ///     is made if it is missing, private to the user.
  /// - Throws: ``StintError``, as ``publish(partialFileNamed:to:)``.
  public func publish(_ bytes: some Sequence<UInt8>, to path: String) throws {
    let name = "published"
    // A file of that name may be a second name of an earlier result.
    try removePartialFile(named: name)
    let file = try partialFile(named: name)
    try Array(bytes).withUnsafeBytes { try file.write($0, at: 0) }
    try publish(partialFileNamed: name, to: path)
    try removePartialFile(named: name)
  }
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
