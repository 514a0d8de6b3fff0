package import StintCore

/// What a command line is read in: nothing of it is asked from the process inside the parser.
package struct Surroundings: Sendable {
  package var environment: [String: String]
  package var workingDirectory: String
  package var wallTime: WallTime
  /// Whether a supervisor grants this process its time.
  package var isGrantedTime = false
  /// Where jobs live, if that is settled, as it is for the lines of a batch; an option on the
  /// command line has precedence.
  package var jobsDirectory: String?
  /// The same as it was given, if that was a relative path.
  package var relativeJobsDirectory: String?
  /// Variables that belong to the key of every job, with their values, as for the lines of a batch.
  package var keyVariables: [String: String] = [:]

  /// The absolute path of what a user named.
  ///
  /// - Throws: ``StintError`` with the code `usage` if the working directory has a name that cannot
  ///   be written down.
  package func absolute(_ path: String) throws -> FilePath {
    let path = FilePath(path)
    if path.isAbsolute { return path }
    return path.from(try folder())
  }

  /// The working directory, for what is found again by it.
  ///
  /// - Throws: ``StintError`` with the code `usage` if its name cannot be written down.
  package func folder() throws -> FilePath {
    // What was no UTF-8 has become U+FFFD, and names another folder.
    guard !workingDirectory.unicodeScalars.contains("\u{FFFD}") else {
      throw StintError(
        .usage,
        "The name of the working directory is not UTF-8, which Stint needs; work in another folder."
      )
    }
    return FilePath(workingDirectory)
  }
}
