import StintCore

/// Finds the directory that holds all jobs.
package enum JobsDirectory {
  /// The absolute path: `--jobs-dir`, else `$STINT_JOBS`, else `stint/jobs` in the user's state
  /// directory.
  ///
  /// `$STINT_JOBS` stands in the command line for an option that is not given.
  ///
  /// - Throws: ``StintError`` with the code `usage` if no variable says where the user's home is,
  ///   or the one that does is not UTF-8.
  package static func path(_ parsed: ParsedOptions, in surroundings: Surroundings) throws -> String
  {
    if let value = parsed.value("jobs-dir") {
      // Unlike an option's argument, a variable's text has not been checked yet.
      try OptionScanner.checkText(value.text, of: value.source)
      return try surroundings.absolute(value.text).text
    }
    if let settled = surroundings.jobsDirectory { return settled }
    // XDG: a relative path in the variable is invalid and counts as not set.
    for (variable, folder) in [
      ("XDG_STATE_HOME", "stint/jobs"), ("HOME", ".local/state/stint/jobs"),
    ] {
      guard let text = surroundings.environment[variable], FilePath(text).isAbsolute else {
        continue
      }
      try OptionScanner.checkText(text, of: "$" + variable)
      return FilePath(text).appending(FilePath(folder)).text
    }
    throw StintError(
      .usage,
      "No place for jobs: HOME is not an absolute path. Give --jobs-dir DIR or set STINT_JOBS.")
  }

  /// The path as it was given, if that was a relative one: then the jobs belong to the folder in
  /// which their directory lies, and go with it.
  package static func relativePath(
    _ parsed: ParsedOptions, in surroundings: Surroundings
  ) throws -> String? {
    guard let value = parsed.value("jobs-dir") else { return surroundings.relativeJobsDirectory }
    return FilePath(value.text).isAbsolute ? nil : value.text
  }
}
