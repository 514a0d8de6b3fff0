import StintCore

/// Finds the directory that holds all jobs.
package enum JobsDirectory {
  /// The absolute path: `--jobs-dir`, else `$STINT_JOBS`, else `stint/jobs` in the user's state directory.
  ///
  /// - Parameters:
  ///   - parsed: The command line; `$STINT_JOBS` stands in it for an option that is not given.
  ///   - environment: For `XDG_STATE_HOME` and `HOME`.
  ///   - workingDirectory: The absolute path that a relative one starts from.
  /// - Returns: The path, whether or not anything is there yet.
  /// - Throws: ``StintError`` with the code `usage` if no variable says where the user's home is.
  package static func path(
    _ parsed: ParsedOptions, environment: [String: String], workingDirectory: String
  ) throws -> String {
    if let value = parsed.value("jobs-dir") {
      return value.text.hasPrefix("/") ? value.text : "\(workingDirectory)/\(value.text)"
    }
    // XDG: a relative path in the variable is invalid and counts as not set.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return state + "/stint/jobs"
    }
    if let home = environment["HOME"], home.hasPrefix("/") {
      return (home == "/" ? "" : home) + "/.local/state/stint/jobs"
    }
    throw StintError(
      .usage, "No place for jobs: HOME is no absolute path. Give --jobs-dir DIR or set STINT_JOBS.")
  }
}
