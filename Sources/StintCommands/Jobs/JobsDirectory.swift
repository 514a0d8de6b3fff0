import StintCore

/// Finds the directory that holds all jobs.
package enum JobsDirectory {
  /// The absolute path: `--jobs-dir`, else `$STINT_JOBS`, else `stint/jobs` in the user's state
  /// directory.
  ///
  /// `$STINT_JOBS` stands in the command line for an option that is not given.
  ///
  /// - Throws: ``StintError`` with the code `usage` if no variable says where the user's home is.
  package static func path(_ parsed: ParsedOptions, in surroundings: Surroundings) throws -> String
  {
    if let value = parsed.value("jobs-dir") { return try surroundings.absolute(value.text).text }
    let environment = surroundings.environment
    // XDG: a relative path in the variable is invalid and counts as not set.
    if let state = environment["XDG_STATE_HOME"].map({ FilePath($0) }), state.isAbsolute {
      return state.appending("stint/jobs").text
    }
    if let home = environment["HOME"].map({ FilePath($0) }), home.isAbsolute {
      return home.appending(".local/state/stint/jobs").text
    }
    throw StintError(
      .usage,
      "No place for jobs: HOME is not an absolute path. Give --jobs-dir DIR or set STINT_JOBS.")
  }
}
