import Glibc
import StintCore
import StintRuntime

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

/// Checks the jobs directory before the work begins.
///
/// Otherwise a failure to save would show only after the work was done.
enum JobsPlace {
  /// Refuses a path that is no directory and cannot become one.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  static func checkCanBeFound(_ path: String) throws {
    let place = existingPart(of: path)
    var status = stat()
    if stat(place, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
      throw refusal(path, ENOTDIR)
    }
    try check(path, at: place, place == path ? X_OK : W_OK | X_OK)
  }

  /// Refuses a directory, which need not exist yet, in which no job can be made.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  static func checkCanBeWritten(_ path: String) throws {
    try check(path, at: existingPart(of: path), W_OK | X_OK)
  }

  /// Holds a job from before anything is done for it, though there may never be anything to keep.
  ///
  /// On a full disk it is done all the same: it may need no checkpoint, and one would fail with the
  /// same error.
  ///
  /// - Throws: ``StintError``: `busy` if another process was faster, `unavailable`.
  static func hold(_ job: Job, say: (String) -> Void = { _ in }) throws {
    do {
      try job.reserve()
    } catch {
      let isOfThisProcess = [EMFILE, ENFILE].contains(error.errno)
      guard error.code == .io, !isOfThisProcess else { throw error }
      say(error.typed)
    }
  }

  private static func check(_ path: String, at place: String, _ mode: Int32) throws {
    guard access(place, mode) == 0 else { throw refusal(path, errno) }
  }

  private static func refusal(_ path: String, _ code: Int32) -> StintError {
    StintError(
      .io,
      "The jobs directory \(path) cannot be used: \(String(cString: strerror(code))); choose "
        + "another with --jobs-dir or STINT_JOBS.", errno: code)
  }

  /// The longest part of a path that exists.
  static func existingPart(of path: String) -> String {
    var path = FilePath(path)
    while path != "/", access(path.text, F_OK) != 0 { path = path.folder ?? "/" }
    return path.text
  }
}
